"""The entry of a traversal (HopRAG, Algorithm 1, line 1)."""

from __future__ import annotations

import asyncio

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Query
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.run import Run
from hopyard.state.hop import ENTRY, Hop, visits
from hopyard.state.schemas import passage_ids

__all__ = ("enter_graph",)


async def enter_graph(run: Run, question: str, by_edges: int, top_k: int) -> tuple[list[Hop], bool]:
    """The hops to the first passages: along edges similar to the question, and by a search.

    Args:
        run: The run.
        question: The question.
        by_edges: Edges at most. A graph without an edge is entered by passages.
        top_k: Edges and passages in all.

    Returns:
        The hops, and whether the budget left something out.

    Raises:
        IndexMissingError: The index has no passage graph, or no dense part to prune by; nothing
            has been spent by then.
    """
    graph, query = await graph_of(run), await query_of(run, question)
    await asyncio.to_thread((await run.index()).reader, "dense")
    hops = await asyncio.to_thread(_by_edges, graph, query, by_edges)
    if hops and by_edges == top_k:
        return hops, False
    found = await run.try_find(question, k=top_k - sum(visits(hops).values()))
    entered = [Hop(round=ENTRY, head=name) for name in passage_ids(found.evidence)]
    if found.reason:
        entered = [Hop(**hop, reason=found.reason) for hop in entered]
    return hops + entered, found.truncated


def _by_edges(graph: GraphIndex, query: Query, k: int) -> list[Hop]:
    """The hops along the k most similar edges; those with one question and head are one hop."""
    found = graph.entry_edges(query.vector, query.keywords, k) if k else []
    hops: dict[tuple[str, str], Hop] = {}
    for edge in (edge for edge, _ in found if query.allows(edge)):
        if same := hops.get((edge.question, edge.head)):
            same["times"] = same.get("times", 1) + 1
        else:
            hops[edge.question, edge.head] = Hop(
                round=ENTRY,
                tail=edge.tail,
                edge=graph.out_edges(edge.tail).index(edge),
                head=edge.head,
            )
    return list(hops.values())
