"""The state of HopRAG's traversal: the hops made so far, and what follows from them.

Queue, visits and judgements of Algorithm 1 are all read from the list of hops. A vertex that had
finished before a kill has its hop there, and is counted once however often the run goes on.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Final, Literal, NotRequired

from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState

__all__ = (
    "ENTRY",
    "Hop",
    "HopState",
    "HopTask",
    "Relevance",
    "Vertex",
    "arrivals",
    "verdicts",
    "visits",
)

ENTRY: Final = 0
"""The round in which the query itself leads to the first passages."""

Relevance = Literal["irrelevant", "indirect", "necessary"]
"""HopRAG's judgement of an edge question (Fig. 8), in one word each: Completely Irrelevant,
Indirectly Relevant, Relevant and Necessary."""


class Hop(TypedDict):
    """What one vertex did in its round: hop along an edge, or stay."""

    round: int
    tail: NotRequired[str]
    """The vertex that chose; at the entry there is none."""
    question: NotRequired[str]
    """The edge's question; none where no edge was chosen, or a passage was entered by itself."""
    verdict: NotRequired[Relevance]
    """What the model judged the question to be; none where similarity chose."""
    head: NotRequired[str]
    """The vertex reached; none where the vertex stayed."""
    score: NotRequired[float]
    """Similarity of query and question, from -0.5 to 1."""
    reason: NotRequired[str]


class Vertex(TypedDict):
    """A vertex in the queue."""

    passage_id: str
    known: dict[str, Relevance]
    """Those of its edge questions that another vertex has had judged."""


class HopState(StrategyState):
    """The strategy's state."""

    round: int
    """The round that the queue is for."""
    queue: list[Vertex]
    hops: Annotated[list[Hop], operator.add]
    truncated: Annotated[bool, operator.or_]


class HopTask(TypedDict):
    """What the task of one vertex is sent."""

    run: str
    question: str
    round: int
    vertex: Vertex


def visits(hops: Iterable[Hop]) -> dict[str, int]:
    """How often each vertex was reached, the entry included (C_count of Algorithm 1)."""
    return dict(Counter(hop["head"] for hop in hops if "head" in hop))


def arrivals(hops: Iterable[Hop], in_round: int) -> list[str]:
    """The vertices first reached in a round: those that hop in the next (C_queue)."""
    heads = [(hop["head"], hop["round"]) for hop in hops if "head" in hop]
    before = {head for head, when in heads if when < in_round}
    return list(
        dict.fromkeys(head for head, when in heads if when == in_round and head not in before)
    )


def verdicts(hops: Iterable[Hop]) -> dict[str, Relevance]:
    """What each edge question was judged to be; where two vertices differ, the first one's."""
    judged: dict[str, Relevance] = {}
    for hop in hops:
        if "question" in hop and "verdict" in hop:
            judged.setdefault(hop["question"], hop["verdict"])
    return judged
