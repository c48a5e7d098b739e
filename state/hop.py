"""The settings and state of HopRAG's traversal: the hops made so far, and what follows from them.

Queue and visits of Algorithm 1 are read from the list of hops. A vertex that had finished before a
kill has its hop there, and counts once however often the run is resumed.

Edges are kept without their questions, and judgements under keys of ten digits. Hundreds of
questions are judged for one query, and the state is written twice a round: their texts would make
up most of a thread. Texts that tell the path are read from the graph at the end.
"""

from __future__ import annotations

import hashlib
import operator
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.group import Group, Limit
from hopyard.state.schemas import StrategyState


class HopSettings(Group):
    """HopRAG. The defaults are the paper's, or less if the built-in model reasons."""

    group: ClassVar[str] = "hop"

    n_hop: Limit = Field(
        None,
        le=10,
        description="Maximum number of rounds: 4 (paper) by default, or 2 for the built-in model.",
    )
    top_k: Limit = Field(
        None,
        le=100,
        description="Number of entry edges, and of passages kept at the end: 20 (paper) by "
        "default, or 6 for the built-in model.",
    )


ENTRY: Final = 0
"""The round in which the query itself leads to the first passages."""

Relevance = Literal["irrelevant", "indirect", "necessary"]
"""HopRAG's judgement of an edge question (Fig. 8), in one word each: Completely Irrelevant,
Indirectly Relevant, Relevant and Necessary."""

Judged = dict[str, Relevance]
"""Judgements by the key of the question: they hold for one query, at whatever vertex."""


class Hop(TypedDict):
    """The action of one vertex in its round: hop along an edge, or stay."""

    round: int
    tail: NotRequired[str]
    """The vertex that chose the edge; none for an entry passage."""
    edge: NotRequired[int]
    """The edge's place among those of the tail, from 0; none where no edge was chosen."""
    verdict: NotRequired[Relevance]
    """The judgement of the question; none if similarity chose."""
    head: NotRequired[str]
    """The vertex reached; none where the vertex stayed."""
    times: NotRequired[int]
    """How many edges with this question led to the head at the entry; 1 where it is not said."""
    reason: NotRequired[str]


class Vertex(TypedDict):
    """A vertex in the queue."""

    passage_id: str
    known: Judged
    """Those of its edge questions that were judged at another vertex."""


def round_id(in_round: int) -> str:
    """The id of a round's step; a call that chooses for the whole round carries it."""
    return f"round-{in_round}"


def hop_id(in_round: int, passage_id: str) -> str:
    """The id of the step in which a vertex chooses; its model call carries it."""
    return f"hop-{in_round}-{passage_id}"


def question_key(question: str) -> str:
    """Ten hexadecimal digits that stand for an edge question."""
    return hashlib.blake2b(question.encode(), digest_size=5).hexdigest()


def merge_judged(old: Judged, new: Judged) -> Judged:
    """Reducer: of two vertices of a round that had the same question judged, the first counts."""
    return new | old


class HopState(StrategyState):
    """The strategy's state."""

    round: int
    """The round that the queue is for."""
    queue: list[Vertex]
    hops: Annotated[list[Hop], operator.add]
    judged: Annotated[Judged, merge_judged]
    truncated: Annotated[bool, operator.or_]


class HopTask(TypedDict):
    """The input of the task of one vertex."""

    run: str
    question: str
    round: int
    vertex: Vertex


def visits(hops: Iterable[Hop]) -> dict[str, int]:
    """How often each vertex was reached, the entry included (C_count of Algorithm 1)."""
    counts: Counter[str] = Counter()
    for hop in hops:
        if "head" in hop:
            counts[hop["head"]] += hop.get("times", 1)
    return dict(counts)


def arrivals(hops: Iterable[Hop], in_round: int) -> list[str]:
    """The vertices first reached in a round: those that hop in the next (C_queue)."""
    heads = [(hop["head"], hop["round"]) for hop in hops if "head" in hop]
    before = {head for head, when in heads if when < in_round}
    return list(
        dict.fromkeys(head for head, when in heads if when == in_round and head not in before)
    )
