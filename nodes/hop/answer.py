"""Answer from the passages kept, and tell the path that led to them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Query
from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.run import run_of
from hopyard.state.hop import Hop, HopSettings, HopState, hop_id
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings import Context, profile_of

__all__ = ("answer", "path_of", "steps_of")


async def answer(state: HopState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the best of the passages kept; every hop becomes a step."""
    run = await run_of(state, runtime)
    settings = HopSettings.of(run.settings).for_profile(profile_of(run.settings))
    graph, kept = await graph_of(run), state["evidence"]
    query = await query_of(run, state["question"])
    steps = await asyncio.to_thread(path_of, state["hops"], graph, query)
    title = "Keep the most helpful passages"
    steps.append(Step(id="prune", kind="prune", title=title, passages=kept))
    evidence = kept[: settings.evidence_k]
    readable = cast(StrategyState, {**state, "steps": steps, "evidence": evidence})
    update = await answer_from_evidence(readable, runtime)
    return update | {"evidence": evidence, "hops": Overwrite([])}


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a traversal that is under way, or of the hops that a task has written."""
    return list(state.get("steps") or _steps(state.get("hops") or ()))


def path_of(hops: Sequence[Hop], graph: GraphIndex, query: Query) -> list[Step]:
    """The hops as steps, with each question and how similar it is to the query."""
    steps = _steps(hops)
    by_id = {step["id"]: step for step in steps}
    for number, hop in enumerate(hops):
        if edge := _edge_of(hop, graph):
            step = by_id[_hop_id(hop, number)]
            [score] = graph.similarities(query.vector, query.keywords, [edge])
            step["question"], step["score"] = edge.question, round(score, 2)
    return steps


def _steps(hops: Sequence[Hop]) -> list[Step]:
    """One step a round, and under it one a hop."""
    steps: list[Step] = []
    visits: Counter[str] = Counter()
    rounds: set[int] = set()
    for number, hop in enumerate(hops):
        if hop["round"] not in rounds:
            rounds.add(hop["round"])
            title = f"Round {hop['round']} of hops" if hop["round"] else "Entry: the first passages"
            steps.append(Step(id=f"round-{hop['round']}", kind="round", title=title))
        steps.append(_step(hop, number, visits))
    return steps


def _step(hop: Hop, number: int, visits: Counter[str]) -> Step:
    tail, head = hop.get("tail", ""), hop.get("head", "")
    step = Step(id=_hop_id(hop, number), kind="hop", parent=f"round-{hop['round']}")
    if tail and hop["round"]:  # whatever edge it was entered by, the way begins at the question
        step["tail"] = tail
    if head:
        visits[head] += hop.get("times", 1)
        step["head"] = head
        step["facts"] = {"visits": str(visits[head])}
    if "verdict" in hop:
        step["verdict"] = hop["verdict"]
    if "reason" in hop:
        step["reason"] = hop["reason"]
    return step


def _hop_id(hop: Hop, number: int) -> str:
    """A vertex chooses once a round, so its choice's model call and its hop have one id."""
    return hop_id(hop["round"], hop["tail"]) if hop["round"] else f"entry-{number}"


def _edge_of(hop: Hop, graph: GraphIndex) -> Edge | None:
    """The edge of a hop; None where there was none, or where a build has moved it meanwhile."""
    if "edge" not in hop or "tail" not in hop:
        return None
    edges = graph.out_edges(hop["tail"])[hop["edge"] :]
    return edges[0] if edges and edges[0].head == hop.get("head") else None
