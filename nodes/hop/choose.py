"""Reason: one vertex chooses one of its edges, or none (HopRAG, Algorithm 1, line 8).

The paper's judgement is of one edge question at a time. Here one call judges all questions of a
vertex, and the most useful edge is chosen, the most similar among equals. A judgement holds for
all later rounds: no vertex asks again about a question that another has had judged, nor about one
that could no longer be chosen. The built-in model is shown the questions alone; other models read
the vertex too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Exit, Query, exits
from hopyard.nodes.answer import format_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.hop.retrieve import graph_of, query_of
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.hop import (
    CHOOSE_HOPS,
    HopChoice,
    judge_prompt,
    offer_lines,
    question_lines,
)
from hopyard.prompts.traits import traits_of
from hopyard.state.hop import Hop, HopTask, Judged, Relevance, hop_id, question_key
from hopyard.state.settings.fields import Context

MOST_CHOICES: Final = 8
"""Edges of one passage that are judged, those most similar to the question."""
TEMPERATURE: Final = 0.1
"""Sampling temperature of a choice (HopRAG, section 4.1)."""
_USE: Final[Mapping[Relevance, int]] = {"irrelevant": 0, "indirect": 1, "necessary": 2}


def offers_of(
    graph: GraphIndex, query: Query, tails: Sequence[str], seen: Collection[str]
) -> list[Exit]:
    """The edges to passages that were not reached yet, tail by tail, each question once."""
    offers: dict[tuple[str, str], Exit] = {}
    for tail in tails:
        new = [way for way in exits(graph, query, tail) if way.edge.head not in seen]
        for way in new[:MOST_CHOICES]:
            offers.setdefault((way.edge.question, way.edge.head), way)
    return list(offers.values())


async def ask_for_hops(
    run: Run, question: str, read: Sequence[str], offers: Sequence[Exit], *, step: str
) -> HopChoice:
    """Let the model choose among edges.

    Args:
        read: The passages that the model reads; the tails of all edges are among them.
    """
    heads = list(dict.fromkeys(way.edge.head for way in offers if way.edge.head not in read))
    passages = await run.passages([*read, *heads])
    titles = {passage.id: passage.title for passage in passages}
    places = {name: number for number, name in enumerate(read, 1)}
    values = {
        "question": one_line(question),
        "passages": format_passages(passages[: len(read)], run.settings),
        "follow_ups": offer_lines(
            [(places[way.edge.tail], titles[way.edge.head], way.edge.question) for way in offers]
        ),
    }
    asking = run.with_settings(temperature=TEMPERATURE)
    return await asking.call(CHOOSE_HOPS, values, step=step)


def verdicts(choice: HopChoice, offered: int) -> Mapping[int, Relevance]:
    """The judgement of every edge chosen, by its place from 0, the necessary edges first."""
    found: dict[int, Relevance] = {}
    if not choice.enough:
        for number in chosen_numbers(choice.necessary, offered):
            found[number - 1] = "necessary"
        for number in chosen_numbers(choice.indirect, offered):
            found.setdefault(number - 1, "indirect")
    return found


def chosen_numbers(numbers: Sequence[int], shown: int) -> list[int]:
    """The valid numbers from 1 to `shown`, without duplicates."""
    return [number for number in dict.fromkeys(numbers) if 1 <= number <= shown]


async def choose_hop(state: HopTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let one vertex hop along its most useful edge, or stay where all are irrelevant.

    A vertex whose call gives nothing usable hops by similarity. One that the budget leaves without
    a call stays, and the traversal ends with its round.
    """
    run = await run_of(state, runtime)
    graph, query = await graph_of(run), await query_of(run, state["question"])
    options = await asyncio.to_thread(exits, graph, query, state["vertex"]["passage_id"])
    if not options:
        return {"hops": [_stay(state, "it has no edge to another passage")]}
    known = state["vertex"]["known"]
    open_options = _open(options, known)
    attempt = await attempted(_judge(run, state, open_options))
    if attempt.truncated:
        return {"hops": [_stay(state, attempt.reason)], "truncated": True}
    if (new := attempt.output) is None:
        hop = _go(state, open_options[0], reason=f"the most similar question: {attempt.reason}")
        return {"hops": [hop]}
    return {"hops": [_most_useful(state, open_options, {**new, **known})], "judged": new}


def _open(options: Sequence[Exit], known: Judged) -> list[Exit]:
    """The edges that may still be chosen: nothing less similar beats a necessary question."""
    possible: list[Exit] = []
    for option in options:
        verdict = known.get(_key(option))
        if verdict != "irrelevant":
            possible.append(option)
        if verdict == "necessary" or len(possible) == MOST_CHOICES:
            break
    return possible


async def _judge(run: Run, state: HopTask, options: Sequence[Exit]) -> Judged:
    """Judge the questions that were not judged before; if all were, no call is made."""
    new = [option for option in options if _key(option) not in state["vertex"]["known"]]
    if not new:
        return {}
    step = hop_id(state["round"], state["vertex"]["passage_id"])
    if not traits_of(run.settings).hops_by_text:
        labels = await _judge_questions(run, state["question"], new, step)
    else:
        read = [state["vertex"]["passage_id"]]
        choice = await ask_for_hops(run, state["question"], read, new, step=step)
        found = verdicts(choice, len(new))
        labels = [found.get(place, "irrelevant") for place in range(len(new))]
    return dict(zip(map(_key, new), labels, strict=True))


async def _judge_questions(
    run: Run, question: str, options: Sequence[Exit], step: str
) -> list[Relevance]:
    questions = [option.edge.question for option in options]
    asking = run.with_settings(temperature=TEMPERATURE)
    output = await asking.call(
        judge_prompt(len(questions)),
        {"question": one_line(question), "follow_ups": question_lines(questions)},
        step=step,
    )
    return output.judgements


def _most_useful(state: HopTask, options: Sequence[Exit], judged: Judged) -> Hop:
    """Hop along the best judged edge, the first of equals, unless nothing is relevant."""
    use = [_USE[judged[_key(option)]] for option in options]
    if not any(use):
        return _stay(state, "none of its questions is relevant")
    chosen = options[use.index(max(use))]
    return _go(state, chosen, judged[_key(chosen)])


def _go(state: HopTask, option: Exit, verdict: Relevance | None = None, *, reason: str = "") -> Hop:
    edge = option.edge
    hop = Hop(round=state["round"], tail=edge.tail, edge=option.place, head=edge.head)
    if verdict:
        hop["verdict"] = verdict
    if reason:
        hop["reason"] = reason
    return hop


def _stay(state: HopTask, reason: str) -> Hop:
    return Hop(round=state["round"], tail=state["vertex"]["passage_id"], reason=reason)


def _key(option: Exit) -> str:
    return question_key(option.edge.question)
