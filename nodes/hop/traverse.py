"""Retrieve, and the rounds of hops (HopRAG, Algorithm 1, lines 1 to 16)."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.nodes.approve import approved_passages
from hopyard.nodes.hop.query import Query, graph_of, query_of
from hopyard.nodes.resources import context_of, index_of
from hopyard.state.hop import (
    ENTRY,
    Hop,
    HopState,
    HopTask,
    Judged,
    Vertex,
    arrivals,
    question_key,
    visits,
)
from hopyard.state.settings import Context, HopSettings

__all__ = ("collect", "enter", "next_hops")


async def enter(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Follow the edges most similar to the query: their heads are the first queue.

    A graph without a single edge is entered by its passages, as if these had been asked for.

    Raises:
        IndexMissingError: The index has no passage graph, or no dense part to prune by; nothing
            has been spent by then.
    """
    context = context_of(runtime)
    settings = context.hop.for_model(context.model)
    graph, query = await graph_of(context), await query_of(state["question"], context)
    index = await index_of(context)
    index.kind_directory("dense")
    hops = await asyncio.to_thread(_by_edges, graph, query, settings)
    if settings.entry != "edges" or not hops:
        missing = settings.top_k - sum(visits(hops).values())
        found = await asyncio.to_thread(index.dense_search, query.vector, missing)
        hops += [Hop(round=ENTRY, head=one.passage_id) for one in found]
    queue = [Vertex(passage_id=head, known={}) for head in arrivals(hops, ENTRY)]
    return {
        "hops": Overwrite(hops),
        "judged": Overwrite({}),
        "queue": _approved(state["question"], ENTRY + 1, queue, context),
        "round": ENTRY + 1,
        "truncated": Overwrite(False),
    }


def _by_edges(graph: GraphIndex, query: Query, settings: HopSettings) -> list[Hop]:
    """The hops along the most similar edges; those with one question and one head are one hop."""
    shares = {"edges": settings.top_k, "both": settings.top_k // 2, "passages": 0}
    k = shares[settings.entry]
    found = graph.entry_edges(query.vector, query.keywords, k) if k else []
    hops: dict[tuple[str, str], Hop] = {}
    for edge, _ in found:
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


async def collect(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Wait until every vertex of the round has chosen; those reached first are the next queue."""
    context = context_of(runtime)
    settings = context.hop.for_model(context.model)
    reached = arrivals(state["hops"], state["round"])
    if state["truncated"] or state["round"] == settings.n_hop or not reached:
        return {"queue": []}
    graph = await graph_of(context)
    queue = await asyncio.to_thread(_queued, graph, reached, state["judged"])
    following = state["round"] + 1
    return {
        "queue": _approved(state["question"], following, queue, context),
        "round": following,
    }


def _approved(question: str, in_round: int, queue: list[Vertex], context: Context) -> list[Vertex]:
    """The vertices that may hop, where somebody is to be asked about them."""
    if "hops" not in context.approve or not queue:
        return queue
    kept = approved_passages(question, in_round, [one["passage_id"] for one in queue])
    return [one for one in queue if one["passage_id"] in kept]


def _queued(graph: GraphIndex, reached: list[str], judged: Judged) -> list[Vertex]:
    """Each vertex with the judgements that it can use: the whole list would be sent with each."""
    queue = []
    for passage_id in reached:
        keys = {question_key(edge.question): None for edge in graph.out_edges(passage_id)}
        known = {key: judged[key] for key in keys if key in judged}
        queue.append(Vertex(passage_id=passage_id, known=known))
    return queue


def next_hops(state: HopState) -> list[Send] | Literal["prune"]:
    """One task for each vertex in the queue; all of a round run side by side."""
    return [
        Send(
            "choose_hop",
            HopTask(
                run=state["run"], question=state["question"], round=state["round"], vertex=vertex
            ),
        )
        for vertex in state["queue"]
    ] or "prune"
