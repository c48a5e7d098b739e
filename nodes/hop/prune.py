"""Prune: keep the passages that help most (HopRAG, Algorithm 1, line 17; equations 2 and 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.corpus_index import Index
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.similarity import similarities
from hopyard.nodes.hop.query import Query, graph_of, query_of
from hopyard.nodes.resources import context_of, index_of
from hopyard.state.hop import HopState, visits
from hopyard.state.schemas import Evidence
from hopyard.state.settings import Context

__all__ = ("by_helpfulness", "helpfulness", "importance", "prune")


def importance(counts: Mapping[str, int]) -> dict[str, float]:
    """IMP: each vertex's share of all visits.

    Liu et al., "HopRAG: Multi-Hop Reasoning for Logic-Aware Retrieval-Augmented Generation",
    equation 3. The authors' code leaves the count unnormalised, which drowns the similarity.

    Args:
        counts: Visits by vertex, each at least 1.

    Returns:
        Values in (0, 1] that add up to 1.
    """
    total = sum(counts.values())
    return {passage_id: count / total for passage_id, count in counts.items()}


def helpfulness(similarity: float, importance: float) -> float:
    """H: the mean of what a passage says and how often the traversal came to it.

    Liu et al., equation 2.

    Args:
        similarity: SIM of passage and query (equation 1), from -0.5 to 1.
        importance: IMP of the passage (equation 3), above 0 and up to 1.
    """
    return (similarity + importance) / 2


async def prune(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the top_k most helpful passages."""
    context = context_of(runtime)
    settings = context.hop.for_model(context.model)
    counts = visits(state["hops"])
    index, graph = await index_of(context), await graph_of(context)
    query = await query_of(state["question"], context)
    ranked = await asyncio.to_thread(by_helpfulness, index, graph, query, counts)
    return {"evidence": ranked[: settings.top_k], "judged": Overwrite({})}


def by_helpfulness(
    index: Index, graph: GraphIndex, query: Query, counts: Mapping[str, int]
) -> list[Evidence]:
    """All visited passages by helpfulness, the most helpful first."""
    found = list(counts)
    if not found:
        return []
    scores = similarities(
        query.keywords,
        query.vector,
        [graph.passage_keywords(passage_id) for passage_id in found],
        index.vectors(found),
    )
    important = importance(counts)
    helpful = [
        Evidence(passage_id=one, score=round(helpfulness(float(score), important[one]), 4))
        for one, score in zip(found, scores, strict=True)
    ]
    return sorted(helpful, key=lambda one: (-one["score"], one["passage_id"]))
