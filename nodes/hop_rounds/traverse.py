"""The entry, the rounds of hops, and the passages that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.nodes.hop.prune import rank_by_helpfulness
from hopyard.nodes.hop.retrieve import enter_graph
from hopyard.nodes.hop.traverse import approved
from hopyard.nodes.run import run_of
from hopyard.state.hop import ENTRY, Hop, arrivals
from hopyard.state.hop_rounds import HopRoundsState, RoundNote
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Context

__all__ = ("by_need", "collect", "enter", "next_step", "prune")

N_HOP: Final = 4
"""Rounds at most, as in HopRAG."""
TOP_K: Final = 10
"""Entry edges and passages, half each, and passages kept at the end. One call reads all of them."""


async def enter(state: HopRoundsState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Make the first queue: heads of the edges most similar to the query, and found passages.

    Raises:
        IndexMissingError: The index has no passage graph, or no dense part to prune by; nothing
            has been spent by then.
    """
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
