"""Answer from the passages kept, and tell the path that led to them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.hop.query import Query, graph_of, query_of
from hopyard.nodes.resources import context_of
from hopyard.state.hop import Hop, HopState
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings import Context

__all__ = ("answer", "path_of")


async def answer(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the best of the passages kept; every hop becomes a step."""
    context = context_of(runtime)
    graph, kept = await graph_of(context), state["evidence"]
    query = await query_of(state["question"], context)
    steps = await asyncio.to_thread(path_of, state["hops"], graph, query)
    steps.append(Step(step="prune", question=state["question"], passages=kept))
    evidence = kept[: context.hop.for_model(context.model).evidence_k]
    readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
    update = await answer_from_evidence(readable, runtime)
    return update | {"evidence": evidence, "hops": Overwrite([])}


def path_of(hops: Sequence[Hop], graph: GraphIndex, query: Query) -> list[Step]:
    """The hops as they are read afterwards: with each question, its score, and visits so far."""
    steps: list[Step] = []
    visits: Counter[str] = Counter()
    for hop in hops:
        step = Step(step="hop", round=hop["round"])
        for key in ("tail", "verdict", "head", "reason"):
            if key in hop:
                step[key] = hop[key]
        if edge := _edge_of(hop, graph):
            step["question"] = edge.question
            [score] = graph.similarities(query.vector, query.keywords, [edge])
            step["score"] = round(score, 2)
        if "head" in hop:
            visits[hop["head"]] += hop.get("times", 1)
            step["visits"] = visits[hop["head"]]
        steps.append(step)
    return steps


def _edge_of(hop: Hop, graph: GraphIndex) -> Edge | None:
    """The edge of a hop; None where there was none, or where a build has moved it meanwhile."""
    if "edge" not in hop or "tail" not in hop:
        return None
    edges = graph.out_edges(hop["tail"])[hop["edge"] :]
    return edges[0] if edges and edges[0].head == hop.get("head") else None
