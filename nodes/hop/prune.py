"""Prune by helpfulness, and answer (HopRAG, Algorithm 1, lines 17 and 18; equations 2 and 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.traversal import by_helpfulness
from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.hop.retrieve import graph_of, limits_of, query_of
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.run import Run, run_of
from hopyard.state.hop import Hop, HopState, visits
from hopyard.state.schemas import Evidence, Step, StrategyState
from hopyard.state.settings.fields import Context

__all__ = ("answer", "prune", "rank_by_helpfulness")


async def prune(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the top_k most helpful passages."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    ranked = await rank_by_helpfulness(run, state["question"], state["hops"])
    return {"evidence": ranked[: limits.top_k], "judged": Overwrite({})}


async def rank_by_helpfulness(run: Run, question: str, hops: Sequence[Hop]) -> list[Evidence]:
    """All passages reached, by H: half similarity to the question, half share of the visits."""
    index, graph = await run.index(), await graph_of(run)
    query = await query_of(run, question)
    dense = await asyncio.to_thread(index.reader, "dense", "hop")
    return await asyncio.to_thread(by_helpfulness, graph, dense, query, visits(hops))


async def answer(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the best of the passages kept; every hop becomes a step."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    evidence = state["evidence"][: limits.read]
    pruned = Step(
        id="prune",
        kind="prune",
        title="Keep the most helpful passages",
        passages=state["evidence"],
    )
    steps = [*await path_of(run, state["question"], state["hops"]), pruned]
    readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
    update = await answer_from_evidence(readable, runtime)
    return {"evidence": evidence, "unconfirmed": "", **update, "hops": Overwrite([])}
