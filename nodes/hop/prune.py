"""Prune: keep the passages that help most (HopRAG, Algorithm 1, line 17; equations 2 and 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.traversal import by_helpfulness
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.run import run_of
from hopyard.state.hop import Hop, HopSettings, HopState, RoundNote, visits
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Context, profile_of

__all__ = ("by_need", "prune")


async def prune(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the top_k passages that are needed, or most helpful."""
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    counts = visits(state["hops"])
    index, graph = await run.index(), await graph_of(run)
    query = await query_of(run, state["question"])
    dense = await asyncio.to_thread(index.reader, "dense", "hop")
    ranked = await asyncio.to_thread(by_helpfulness, graph, dense, query, counts)
    if settings.prune == "necessary":
        ranked = by_need(ranked, state["hops"], state["rounds"])
    return {"evidence": ranked[: settings.top_k], "judged": Overwrite({})}


def by_need(
    ranked: Sequence[Evidence], hops: Sequence[Hop], notes: Iterable[RoundNote]
) -> list[Evidence]:
    """Passages in the order in which they are kept: needed, reached indirectly, merely similar.

    A passage is needed if a round found it useful, or if a necessary question leads to it or away
    from it. Similarity has no say about these: what a second hop reaches need not resemble the
    question.

    Args:
        ranked: All passages that were reached, in the order for equals.
        hops: The hops that reached them.
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
