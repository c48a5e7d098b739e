"""Retrieve, hop in rounds, prune by helpfulness, and answer (HopRAG, Algorithm 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import by_helpfulness
from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.approve import approve_passages
from hopyard.nodes.hop.retrieve import enter_graph, graph_of, limits_of, query_of
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.run import Run, run_of
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
from hopyard.state.schemas import Evidence, Step, StrategyState
from hopyard.state.settings.fields import Context


async def enter(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Make the first queue: the heads of the edges most similar to the query."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    hops, truncated = await enter_graph(run, state["question"], limits.by_edges, limits.top_k)
    queue = approved(run, state["question"], ENTRY + 1, arrivals(hops, ENTRY))
    return {
        "hops": Overwrite(hops),
        "judged": Overwrite({}),
        "queue": [Vertex(passage_id=head, known={}) for head in queue],
        "round": ENTRY + 1,
        "truncated": Overwrite(truncated),
    }


async def collect(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Wait until all vertices have chosen; the passages reached first are the next queue."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    reached = arrivals(state["hops"], state["round"])
    if state["truncated"] or state["round"] >= limits.n_hop or not reached:
        return {"queue": []}
    following = state["round"] + 1
    kept = approved(run, state["question"], following, reached)
    queue = await asyncio.to_thread(_make_queue, await graph_of(run), kept, state["judged"])
    return {"queue": queue, "round": following}


def approved(run: Run, question: str, in_round: int, queue: list[str]) -> list[str]:
    """The passages that may hop, if a person is to be asked about them."""
    if "hops" not in run.settings.approve or not queue:
        return queue
    kept = approve_passages(question, in_round, queue)
    return [passage_id for passage_id in queue if passage_id in kept]


def _make_queue(graph: GraphIndex, reached: list[str], judged: Judged) -> list[Vertex]:
    """Each vertex with the judgements that it can use: the whole list would be sent with each."""
    queue = []
    for passage_id in reached:
        keys = {question_key(edge.question): None for edge in graph.out_edges(passage_id)}
        known = {key: judged[key] for key in keys if key in judged}
        queue.append(Vertex(passage_id=passage_id, known=known))
    return queue


def next_hops(state: HopState) -> list[Send] | Literal["prune"]:
    """One task for each vertex in the queue; they run side by side."""
    return [
        Send(
            "choose_hop",
            HopTask(
                run=state["run"], question=state["question"], round=state["round"], vertex=vertex
            ),
        )
        for vertex in state["queue"]
    ] or "prune"


async def prune(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Keep the top_k most helpful passages."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    ranked = await rank_by_helpfulness(run, state["question"], state["hops"])
    return {"evidence": ranked[: limits.top_k], "judged": Overwrite({})}


async def rank_by_helpfulness(run: Run, question: str, hops: Sequence[Hop]) -> list[Evidence]:
    """All passages reached, by H: half similarity to the question, half share of the visits."""
    graph, query = await graph_of(run), await query_of(run, question)
    dense = await run.reader("dense", "hop")
    return await asyncio.to_thread(by_helpfulness, graph, dense, query, visits(hops))


async def answer(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the best of the passages kept; every hop becomes a step."""
    run = await run_of(state, runtime)
    limits = limits_of(run.settings)
    evidence = state["evidence"][: limits.read]
    pruned = Step(id="prune", kind="prune", title="Keep the most helpful passages")
    pruned["passages"] = state["evidence"]
    steps = [*await path_of(run, state["question"], state["hops"]), pruned]
    readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
    update = await answer_from_evidence(readable, runtime)
    return {"evidence": evidence, "unconfirmed": "", **update, "hops": Overwrite([])}
