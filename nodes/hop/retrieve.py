"""Retrieve: the passage graph, the query, and the entry (HopRAG, Algorithm 1, line 1)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from hopyard.indexes.kinds.passage_graph import traversal
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.nodes.run import Run
from hopyard.prompts.traits import traits_of
from hopyard.state.hop import ENTRY, Hop, HopSettings, visits
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context


@dataclass(frozen=True)
class HopLimits:
    """How far a traversal goes.

    Attributes:
        n_hop: Rounds at most.
        top_k: Entry edges and passages, and passages kept at the end.
        by_edges: How many of the entries are edges; a search finds the others.
        read: Passages kept that the closing call reads.
    """

    n_hop: int
    top_k: int
    by_edges: int
    read: int


def limits_of(settings: Context) -> HopLimits:
    """The limits of a run; a setting that is not set depends on the model."""
    given, traits = HopSettings.of(settings), traits_of(settings)
    top_k = given.top_k or traits.hop_passages
    return HopLimits(
        n_hop=given.n_hop or traits.hops,
        top_k=top_k,
        by_edges=top_k if traits.hops_by_text else top_k // 2,
        read=traits.hop_readings or top_k,
    )


async def graph_of(run: Run) -> GraphIndex:
    """The passage graph of the run's index."""
    graph: GraphIndex = await run.reader("passage-graph", "hop")
    return graph


async def query_of(run: Run, question: str) -> traversal.Query:
    """The question's vector and keywords, and the passages that the run may find."""
    vector = await run.embed(question)
    return await asyncio.to_thread(traversal.query_of, question, vector, await run.allowed())


async def enter_graph(run: Run, question: str, by_edges: int, top_k: int) -> tuple[list[Hop], bool]:
    """The hops to the first passages: along edges similar to the question, and by a search.

    Args:
        by_edges: Edges at most. A graph without an edge is entered by passages.
        top_k: Edges and passages in all.

    Returns:
        The hops, and whether the budget left something out.
    """
    graph, query = await graph_of(run), await query_of(run, question)
    await run.reader("dense")
    hops = await asyncio.to_thread(_by_edges, graph, query, by_edges)
    if hops and by_edges == top_k:
        return hops, False
    found = await run.try_find(question, k=top_k - sum(visits(hops).values()))
    entered = [Hop(round=ENTRY, head=name) for name in passage_ids(found.evidence)]
    if found.reason:
        entered = [Hop(**hop, reason=found.reason) for hop in entered]
    return hops + entered, found.truncated


def _by_edges(graph: GraphIndex, query: traversal.Query, k: int) -> list[Hop]:
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
