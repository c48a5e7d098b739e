"""Retrieve, and the rounds of hops (HopRAG, Algorithm 1, lines 1 to 16)."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Query
from hopyard.nodes.approve import approve_passages
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.run import Run, run_of
from hopyard.state.hop import (
    ENTRY,
    Hop,
    HopSettings,
    HopState,
    HopTask,
    Judged,
    Vertex,
    arrivals,
    question_key,
    visits,
)
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context, profile_of

__all__ = ("collect", "enter", "next_hops")


async def enter(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Make the first queue: heads of the edges most similar to the query, and found passages.

    A graph without a single edge is entered by its passages, as if these had been asked for.

    Raises:
        IndexMissingError: The index has no passage graph, or no dense part to prune by; nothing
            has been spent by then.
    """
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    graph, query = await graph_of(run), await query_of(run, state["question"])
    await asyncio.to_thread((await run.index()).reader, "dense")
    hops = await asyncio.to_thread(_by_edges, graph, query, settings)
    if settings.entry != "edges" or not hops:
        missing = settings.top_k - sum(visits(hops).values())
        found = await run.find(state["question"], k=missing)
        entered = [Hop(round=ENTRY, head=name) for name in passage_ids(found)]
        if run.problem:
            entered = [Hop(**hop, reason=run.problem) for hop in entered]
        hops += entered
    queue = [Vertex(passage_id=head, known={}) for head in arrivals(hops, ENTRY)]
    return {
        "hops": Overwrite(hops),
        "judged": Overwrite({}),
        "queue": _approve(run, state["question"], ENTRY + 1, queue),
        "round": ENTRY + 1,
        "in_rounds": settings.form == "rounds" and settings.reasoner == "model",
        "rounds": Overwrite([]),
        "truncated": Overwrite(run.out_of_budget),
    }


def _by_edges(graph: GraphIndex, query: Query, settings: HopSettings) -> list[Hop]:
    """The hops along the most similar edges; those with one question and one head are one hop."""
    shares = {"edges": settings.top_k, "both": settings.top_k // 2, "passages": 0}
    k = shares[settings.entry]
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


async def collect(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Wait until the round has chosen; the passages reached first are the next queue."""
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    reached = arrivals(state["hops"], state["round"])
    if state["truncated"] or state["round"] == settings.n_hop or not reached:
        return {"queue": []}
    graph = await graph_of(run)
    queue = await asyncio.to_thread(_make_queue, graph, reached, state["judged"])
    following = state["round"] + 1
    return {
        "queue": _approve(run, state["question"], following, queue),
        "round": following,
    }


def _approve(run: Run, question: str, in_round: int, queue: list[Vertex]) -> list[Vertex]:
    """The vertices that may hop, where somebody is to be asked about them."""
    if "hops" not in run.settings.approve or not queue:
        return queue
    kept = approve_passages(question, in_round, [vertex["passage_id"] for vertex in queue])
    return [vertex for vertex in queue if vertex["passage_id"] in kept]


def _make_queue(graph: GraphIndex, reached: list[str], judged: Judged) -> list[Vertex]:
    """Each vertex with the judgements that it can use: the whole list would be sent with each."""
    queue = []
    for passage_id in reached:
        keys = {question_key(edge.question): None for edge in graph.out_edges(passage_id)}
        known = {key: judged[key] for key in keys if key in judged}
        queue.append(Vertex(passage_id=passage_id, known=known))
    return queue


def next_hops(state: HopState) -> list[Send] | Literal["choose_round", "prune"]:
    """One step for all vertices in the queue, or one task for each; tasks run side by side."""
    if state["queue"] and state["in_rounds"]:
        return "choose_round"
    return [
        Send(
            "choose_hop",
            HopTask(
                run=state["run"], question=state["question"], round=state["round"], vertex=vertex
            ),
        )
        for vertex in state["queue"]
    ] or "prune"
