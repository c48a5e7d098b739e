"""The steps of a traversal: its rounds, and the hops in them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import Query
from hopyard.nodes.hop.retrieve import graph_of, query_of
from hopyard.nodes.run import Run
from hopyard.state.hop import Hop, hop_id, round_id
from hopyard.state.hop_rounds import RoundNote
from hopyard.state.schemas import Step


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a traversal that is under way, or of the hops that a task has written."""
    return list(state.get("steps") or _steps(state.get("hops") or (), state.get("rounds") or ()))


async def path_of(
    run: Run, question: str, hops: Sequence[Hop], notes: Sequence[RoundNote] = ()
) -> list[Step]:
    """The hops as steps, with each edge's question and how similar it is to the query."""
    graph, query = await graph_of(run), await query_of(run, question)
    return await asyncio.to_thread(_with_questions, hops, notes, graph, query)


def _with_questions(
    hops: Sequence[Hop], notes: Sequence[RoundNote], graph: GraphIndex, query: Query
) -> list[Step]:
    steps = _steps(hops, notes)
    taken = [step for step in steps if step["kind"] == "hop"]
    for step, hop in zip(taken, hops, strict=True):
        if edge := _edge_of(hop, graph):
            [score] = graph.similarities(query.vector, query.keywords, [edge])
            step["question"], step["score"] = edge.question, round(score, 2)
    return steps


def _steps(hops: Sequence[Hop], notes: Sequence[RoundNote]) -> list[Step]:
    """One step a round, and under it one a hop."""
    said = {note["round"]: note for note in notes}
    steps: list[Step] = []
    visits: Counter[str] = Counter()
    ids: set[str] = set()
    rounds: set[int] = set()
    for number, hop in enumerate(hops):
        if hop["round"] not in rounds:
            rounds.add(hop["round"])
            steps.append(_round_step(hop["round"], said.get(hop["round"])))
        step = _step(hop, number, visits)
        if step["id"] in ids:  # one call chose several ways out of a passage
            step["id"] += f"-{hop['edge']}"
        ids.add(step["id"])
        steps.append(step)
    steps += [_round_step(number, note) for number, note in said.items() if number not in rounds]
    return steps


def _round_step(number: int, note: RoundNote | None) -> Step:
    title = f"Round {number} of hops" if number else "Entry: the first passages"
    return _with_why(Step(id=round_id(number), kind="round", title=title), note or {})


def _step(hop: Hop, number: int, visits: Counter[str]) -> Step:
    tail, head = hop.get("tail", ""), hop.get("head", "")
    step = Step(id=_hop_id(hop, number), kind="hop", parent=round_id(hop["round"]))
    if tail and hop["round"]:  # whatever edge it was entered by, the way begins at the question
        step["tail"] = tail
    if head:
        visits[head] += hop.get("times", 1)
        step["head"] = head
        step["facts"] = {"visits": str(visits[head])}
    return _with_why(step, hop)


def _with_why(step: Step, found: Mapping[str, Any]) -> Step:
    return step | {key: found[key] for key in ("verdict", "reason") if key in found}  # type: ignore[return-value]


def _hop_id(hop: Hop, number: int) -> str:
    """Where a vertex chooses for itself, its choice's model call and its hop have one id."""
    return hop_id(hop["round"], hop["tail"]) if hop["round"] else f"entry-{number}"


def _edge_of(hop: Hop, graph: GraphIndex) -> Edge | None:
    """The edge of a hop; None where there was none, or where a build has moved it meanwhile."""
    if "edge" not in hop or "tail" not in hop:
        return None
    edges = graph.out_edges(hop["tail"])[hop["edge"] :]
    return edges[0] if edges and edges[0].head == hop.get("head") else None
