"""Prune: keep the passages that help most (HopRAG, Algorithm 1, line 17; equations 2 and 3)."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.traversal import by_helpfulness
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.run import run_of
from hopyard.state.hop import HopSettings, HopState, visits
from hopyard.state.settings import Context, profile_of

__all__ = ("prune",)


async def prune(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the top_k most helpful passages."""
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    allowed = await run.allowed()
    counts = {
        name: count
        for name, count in visits(state["hops"]).items()
        if allowed is None or name in allowed
    }
    index, graph = await run.index(), await graph_of(run)
    query = await query_of(run, state["question"])
    dense = await asyncio.to_thread(index.reader, "dense", "hop")
    ranked = await asyncio.to_thread(by_helpfulness, graph, dense, query, counts)
    return {"evidence": ranked[: settings.top_k], "judged": Overwrite({})}
