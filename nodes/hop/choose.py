"""Reason: one vertex chooses one of its edges, or none (HopRAG, Algorithm 1, line 8).

The paper's judgement is of one edge question at a time. Here one call judges all questions of a
vertex, and the most useful edge is chosen, the most similar among equals. A judgement holds for
all later rounds: no vertex asks again about a question that another has had judged, nor about one
that could no longer be chosen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.models.call import call_model
from hopyard.nodes.hop.query import Query, graph_of, query_of
from hopyard.nodes.resources import context_of
from hopyard.prompts.hop import judge_prompt, question_lines
from hopyard.prompts.passages import one_line
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.hop import Hop, HopTask, Judged, Relevance, question_key
from hopyard.state.settings import Context

__all__ = ("choose_hop",)

_USE: Final[Mapping[Relevance, int]] = {"irrelevant": 0, "indirect": 1, "necessary": 2}


@dataclass(frozen=True)
class _Option:
    """An edge that may be chosen."""

    edge: Edge
    place: int
    """Among the edges of its tail."""
    key: str
    """Of its question."""


async def choose_hop(state: HopTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let one vertex hop along its most useful edge, or stay where all are irrelevant.

    A vertex whose call gives nothing usable hops by similarity. One that the budget leaves without
    a call stays, and the traversal ends with its round.
    """
    context = context_of(runtime)
    settings = context.hop.for_model(context.model)
    graph, query = await graph_of(context), await query_of(state["question"], context)
    options = await asyncio.to_thread(_options, graph, query, state["vertex"]["passage_id"])
    if not options:
        return {"hops": [_stay(state, "it has no edge to another passage")]}
    if settings.reasoner == "similarity":
        return {"hops": [_go(state, options[0], reason="the most similar question")]}
    known = state["vertex"]["known"]
    open_options = _open(options, known, settings.max_choices)
    try:
        new = await _judged(state, open_options, context)
    except BudgetExceededError as error:
        return {"hops": [_stay(state, str(error))], "truncated": True}
    except ModelOutputError as error:
        hop = _go(state, open_options[0], reason=f"the most similar question: {error}")
        return {"hops": [hop]}
    return {"hops": [_most_useful(state, open_options, {**new, **known})], "judged": new}


def _options(graph: GraphIndex, query: Query, passage_id: str) -> list[_Option]:
    """A vertex's edges, the most similar first, each question once."""
    edges = graph.out_edges(passage_id)
    scores = graph.similarities(query.vector, query.keywords, edges)
    options: dict[str, _Option] = {}
    for place in sorted(range(len(edges)), key=lambda place: -scores[place]):
        key = question_key(edges[place].question)
        options.setdefault(key, _Option(edges[place], place, key))
    return list(options.values())


def _open(options: Sequence[_Option], known: Judged, most: int) -> list[_Option]:
    """The edges that may still be chosen: nothing less similar beats a necessary question."""
    possible: list[_Option] = []
    for option in options:
        verdict = known.get(option.key)
        if verdict != "irrelevant":
            possible.append(option)
        if verdict == "necessary" or len(possible) == most:
            break
    return possible


async def _judged(state: HopTask, options: Sequence[_Option], context: Context) -> Judged:
    """The model's judgement of the questions not judged before; no call where there is none."""
    new = [option for option in options if option.key not in state["vertex"]["known"]]
    if not new:
        return {}
    questions = [option.edge.question for option in new]
    output = await call_model(
        judge_prompt(len(questions)),
        {"question": one_line(state["question"]), "follow_ups": question_lines(questions)},
        context=context.model_copy(update={"temperature": context.hop.temperature}),
        run=state["run"],
        about=state["vertex"]["passage_id"],
    )
    return dict(zip((option.key for option in new), output.judgements, strict=True))


def _most_useful(state: HopTask, options: Sequence[_Option], judged: Judged) -> Hop:
    """Hop along the best judged edge, the first of equals, unless nothing is relevant."""
    use = [_USE[judged[option.key]] for option in options]
    if not any(use):
        return _stay(state, "none of its questions is relevant")
    chosen = options[use.index(max(use))]
    return _go(state, chosen, judged[chosen.key])


def _go(
    state: HopTask, option: _Option, verdict: Relevance | None = None, *, reason: str = ""
) -> Hop:
    hop = Hop(
        round=state["round"],
        tail=option.edge.tail,
        edge=option.place,
        head=option.edge.head,
    )
    if verdict:
        hop["verdict"] = verdict
    if reason:
        hop["reason"] = reason
    return hop


def _stay(state: HopTask, reason: str) -> Hop:
    return Hop(round=state["round"], tail=state["vertex"]["passage_id"], reason=reason)
