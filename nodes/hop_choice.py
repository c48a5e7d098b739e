"""Reason: one vertex chooses one of its edges, or none (HopRAG, Algorithm 1, line 8).

In the paper the model picks the edge whose question helps most, and judges questions one by one.
Here a vertex costs one call: the model sees its questions together, picks one or none, and judges
the one that it picked. A judgement holds for the rest of the run: a question found irrelevant is
shown to no later vertex, and a vertex whose questions are all judged asks nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.passage_graph.graph import Edge, GraphIndex
from hopyard.models.call import call_model
from hopyard.nodes.hop_graph import Query, graph_of, query_of
from hopyard.nodes.resources import context_of
from hopyard.prompts.hop import NONE, choice_prompt, question_lines
from hopyard.prompts.passages import one_line
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.hop import Hop, HopTask, Relevance
from hopyard.state.settings import Context

__all__ = ("choose_hop",)

Option = tuple[Edge, float]
"""An edge, and the similarity of its question to the query."""

_USE: Final[Mapping[Relevance, int]] = {"irrelevant": 0, "indirect": 1, "necessary": 2}


async def choose_hop(state: HopTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let one vertex hop along its most useful edge.

    A vertex whose call gives nothing usable hops by similarity. One that the budget leaves without
    a call stays, and the traversal ends with its round.
    """
    context = context_of(runtime)
    try:
        return {"hops": [await _chosen(state, context)]}
    except BudgetExceededError as error:
        return {"hops": [_stay(state, str(error))], "truncated": True}


async def _chosen(state: HopTask, context: Context) -> Hop:
    settings, known = context.hop.for_model(context.model), state["vertex"]["known"]
    graph, query = await graph_of(context), await query_of(state["question"], context)
    options = await asyncio.to_thread(_options, graph, query, state["vertex"]["passage_id"])
    if not options:
        return _stay(state, "it has no edge to another passage")
    useful = [option for option in options if known.get(option[0].question) != "irrelevant"]
    if not useful:
        return _stay(state, "its questions were all judged irrelevant before")
    if settings.reasoner == "similarity":
        return _go(state, useful[0], reason="the most similar question")
    shown = useful[: settings.max_choices]
    if all(edge.question in known for edge, _ in shown):
        best = max(shown, key=lambda option: _USE[known[option[0].question]])
        return _go(state, best, known[best[0].question], reason="judged before")
    try:
        return await _asked(state, shown, context)
    except ModelOutputError as error:
        return _go(state, shown[0], reason=f"the most similar question: {error}")


def _options(graph: GraphIndex, query: Query, passage_id: str) -> list[Option]:
    """A vertex's edges, the most similar first, each question once."""
    edges = graph.out_edges(passage_id)
    scores = graph.similarities(query.vector, query.keywords, edges)
    ranked = sorted(
        zip(edges, map(float, scores), strict=True), key=lambda one: (-one[1], one[0].id)
    )
    first: dict[str, Option] = {}
    for edge, score in ranked:
        first.setdefault(edge.question, (edge, score))
    return list(first.values())


async def _asked(state: HopTask, shown: Sequence[Option], context: Context) -> Hop:
    """The model's choice. A question judged before keeps that judgement."""
    values = {
        "question": one_line(state["question"]),
        "follow_ups": question_lines([edge.question for edge, _ in shown]),
    }
    output = await call_model(
        choice_prompt(len(shown)),
        values,
        context=context.model_copy(update={"temperature": context.hop.temperature}),
        run=state["run"],
    )
    if output.choice == NONE:
        return _stay(state, "none of its questions helps")
    chosen = shown[output.choice - 1]
    verdict = state["vertex"]["known"].get(chosen[0].question, output.relevance)
    return _go(state, chosen, verdict)


def _go(
    state: HopTask, option: Option, verdict: Relevance | None = None, *, reason: str = ""
) -> Hop:
    """Hop along an edge; one whose question is irrelevant is chosen but not followed."""
    edge, score = option
    hop = Hop(
        round=state["round"],
        tail=state["vertex"]["passage_id"],
        question=edge.question,
        score=round(score, 4),
    )
    if verdict is not None:
        hop["verdict"] = verdict
    if verdict != "irrelevant":
        hop["head"] = edge.head
    if reason:
        hop["reason"] = reason
    return hop


def _stay(state: HopTask, reason: str) -> Hop:
    return Hop(round=state["round"], tail=state["vertex"]["passage_id"], reason=reason)
