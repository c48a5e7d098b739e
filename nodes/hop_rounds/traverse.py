"""The entry, the rounds of hops, and the passages that are kept.

HopRAG makes a call for each vertex, and the model sees one edge question at a time. Here one call
reads the passages and all edges of the round that lead to a new passage. It follows as many as the
question needs, or says that the passages read so far are enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.traversal import Exit
from hopyard.nodes.attempt import attempted
from hopyard.nodes.hop.choose import ask_for_hops, chosen_numbers, offers_of, verdicts
from hopyard.nodes.hop.retrieve import enter_graph, graph_of, query_of
from hopyard.nodes.hop.traverse import approved, rank_by_helpfulness
from hopyard.nodes.run import run_of
from hopyard.prompts.strategies.hop import MOST_FOLLOWED
from hopyard.state.hop import ENTRY, Hop, Relevance, arrivals, round_id, visits
from hopyard.state.hop_rounds import HopRoundsState, RoundNote, useful_so_far
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import BUDGET, ENOUGH, FALLBACK

N_HOP: Final = 4
"""Rounds at most, as in HopRAG."""
TOP_K: Final = 10
"""Entry edges and passages, half each, and passages kept at the end. One call reads all of them."""


async def enter(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Make the first queue: heads of the edges most similar to the query, and found passages."""
    run, question = await run_of(state, runtime), state["question"]
    hops, truncated = await enter_graph(run, question, TOP_K // 2, TOP_K)
    return {
        "hops": Overwrite(hops),
        "queue": approved(run, question, ENTRY + 1, arrivals(hops, ENTRY)),
        "round": ENTRY + 1,
        "rounds": Overwrite([]),
        "truncated": Overwrite(truncated),
    }


async def collect(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the passages that the round reached first as the next queue."""
    run, following = await run_of(state, runtime), state["round"] + 1
    reached = arrivals(state["hops"], state["round"])
    if state["truncated"] or following > N_HOP or not reached:
        return {"queue": []}
    return {"queue": approved(run, state["question"], following, reached), "round": following}


def next_step(state: HopRoundsState) -> Literal["choose_round", "prune"]:
    """Another round if there is a queue."""
    return "choose_round" if state["queue"] else "prune"


async def prune(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the passages that are needed, then the most helpful."""
    run = await run_of(state, runtime)
    ranked = await rank_by_helpfulness(run, state["question"], state["hops"])
    return {"evidence": by_need(ranked, state["hops"], state["rounds"])[:TOP_K]}


def by_need(
    ranked: Sequence[Evidence], hops: Sequence[Hop], notes: Iterable[RoundNote]
) -> list[Evidence]:
    """Passages in the order in which they are kept: needed, reached indirectly, merely similar.

    A passage is needed if a round found it useful, or if a necessary question leads to it or away
    from it. Similarity does not matter for these: the target of a second hop need not resemble the
    question.

    Args:
        ranked: All passages that were reached, in the order for equals.
        notes: The passages that the rounds found useful.

    Returns:
        The passages: needed passages in the order of the rounds, then targets of indirect
        questions, then the others by rank.
    """
    useful = {note["round"]: note["useful"] for note in notes}
    needed: dict[str, None] = {}
    for number in sorted({*useful, *(hop["round"] for hop in hops)}):
        needed |= dict.fromkeys(useful.get(number, ()))
        for hop in hops:
            if hop["round"] == number and hop.get("verdict") == "necessary":
                needed |= dict.fromkeys([hop["tail"], hop["head"]])
    indirect = dict.fromkeys(hop["head"] for hop in hops if hop.get("verdict") == "indirect")
    first = {name: place for place, name in enumerate(needed | indirect)}
    return sorted(ranked, key=lambda unit: first.get(unit["id"], len(first)))


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
    state: HopRoundsState, verdict: str = "", reason: str = "", useful: Sequence[str] = ()
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
