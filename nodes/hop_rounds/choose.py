"""Reason about a whole round: one call follows the edges that lead to what is missing.

HopRAG makes a call for each vertex, and the model sees one edge question at a time. Here the model
reads the passages and sees all edges of the round that lead to a new passage. It follows as many
as the question needs, or says that the passages read so far are enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.kinds.passage_graph.traversal import Exit
from hopyard.nodes.attempt import attempted
from hopyard.nodes.hop.offers import ask_for_hops, chosen_numbers, offers_of, verdicts
from hopyard.nodes.hop.retrieve import graph_of, query_of
from hopyard.nodes.run import run_of
from hopyard.prompts.strategies.hop import MOST_FOLLOWED
from hopyard.state.hop import Hop, Relevance, round_id, visits
from hopyard.state.hop_rounds import HopRoundsState, RoundNote, useful_so_far
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import BUDGET, ENOUGH, FALLBACK

__all__ = ("choose_round",)


async def choose_round(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Follow the most useful edges of all vertices in the queue.

    The model reads these vertices and the useful passages of earlier rounds. If the call gives
    nothing usable, every vertex hops by similarity. If the budget leaves no call, the traversal
    ends.
    """
    run = await run_of(state, runtime)
    graph, query = await graph_of(run), await query_of(run, state["question"])
    queue, seen = state["queue"], visits(state["hops"])
    offers = await asyncio.to_thread(offers_of, graph, query, queue, seen)
    if not offers:
        return {"rounds": [_note(state, reason="no question leads to another passage")]}
    read = list(dict.fromkeys([*useful_so_far(state["rounds"]), *queue]))
    step = round_id(state["round"])
    attempt = await attempted(ask_for_hops(run, state["question"], read, offers, step=step))
    if attempt.truncated:
        return {"rounds": [_note(state, BUDGET, attempt.reason)], "truncated": True}
    if (choice := attempt.output) is None:
        reason = f"follow the most similar question of each passage: {attempt.reason}"
        hops = [_hop(state, way) for way in _most_similar(offers)]
        return {"rounds": [_note(state, FALLBACK, reason)], "hops": hops}
    useful = [read[number - 1] for number in chosen_numbers(choice.useful, len(read))]
    followed = islice(verdicts(choice, len(offers)).items(), MOST_FOLLOWED)
    hops = [_hop(state, offers[place], verdict) for place, verdict in followed]
    if choice.enough:
        note = _note(state, ENOUGH, "the passages read so far are enough", useful)
    else:
        note = _note(state, reason="" if hops else "no question is useful", useful=useful)
    return {"rounds": [note], "hops": hops}


def _note(
    state: HopRoundsState,
    verdict: str = "",
    reason: str = "",
    useful: Sequence[str] = (),
) -> RoundNote:
    note = RoundNote(round=state["round"], useful=list(useful))
    if verdict:
        note["verdict"] = verdict
    if reason:
        note["reason"] = reason
    return note


def _most_similar(offers: Iterable[Exit]) -> list[Exit]:
    """The first edge of each tail: a tail's edges are in the order of their similarity."""
    first: dict[str, Exit] = {}
    for way in offers:
        first.setdefault(way.edge.tail, way)
    return list(first.values())


def _hop(state: HopRoundsState, way: Exit, verdict: Relevance | None = None) -> Hop:
    hop = Hop(round=state["round"], tail=way.edge.tail, edge=way.place, head=way.edge.head)
    return {**hop, "verdict": verdict} if verdict else hop
