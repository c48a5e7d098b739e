"""The state of HopRAG's traversal: the hops made so far, and what follows from them.

Queue and visits of Algorithm 1 are read from the list of hops. A vertex that had finished before
a kill has its hop there, and is counted once however often the run is resumed. Where one call
chooses for a whole round, a note says what the call found.

Edges stand here without their questions, and judgements under keys of ten digits. Hundreds of
questions are judged for one query, and the state is written down twice a round: their texts would
make up most of a thread, and those that tell the path are read from the graph at the end.
"""

from __future__ import annotations

import hashlib
import operator
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, ClassVar, Final, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState
from hopyard.state.settings.fields import AUTO, Group, Profile

__all__ = (
    "ENTRY",
    "Hop",
    "HopSettings",
    "HopState",
    "HopTask",
    "Judged",
    "Relevance",
    "RoundNote",
    "RoundVerdict",
    "Vertex",
    "arrivals",
    "hop_id",
    "merge_judged",
    "question_key",
    "round_id",
    "useful_so_far",
    "visits",
)


class HopSettings(Group):
    """HopRAG. The defaults are the paper's, or less where the built-in model reasons."""

    group: ClassVar[str] = "hop"

    form: Literal["auto", "rounds", "paper"] = Field(
        "auto",
        description="paper: one call for each passage, which follows at most one edge; rounds: "
        "one call for each round, and the closing call selects its passages; auto: paper for the "
        "built-in model, rounds for others.",
    )
    n_hop: int = Field(
        0,
        ge=0,
        le=10,
        description="Maximum number of rounds; 0 means 4 (as in the paper), or 2 for the "
        "built-in model.",
    )
    top_k: int = Field(
        0,
        ge=0,
        le=100,
        description="Number of entry edges and passages, and of passages kept at the end; 0 "
        "means 20 (paper), 10 (rounds), or 6 for the built-in model.",
    )
    evidence_k: int = Field(
        0,
        ge=0,
        le=100,
        description="Kept passages that the closing call reads; 0 means all (as in the paper), "
        "or 5 for the built-in model.",
    )
    reasoner: Literal["model", "similarity"] = Field(
        "model",
        description="Who chooses an edge: model, or similarity to the question, without a model "
        "call (paper, Table 5).",
    )
    entry: Literal["both", "edges", "passages"] = Field(
        "both",
        description="Start of the traversal: edges (targets of the edges most similar to the "
        "question, as in the paper), passages (found by the search method), or both (half each).",
    )
    prune: Literal["auto", "necessary", "helpfulness"] = Field(
        "auto",
        description="Rule for keeping passages: helpfulness prefers passages similar to the "
        "question and often reached (paper, equations 2 and 3); necessary prefers targets of "
        "necessary questions; auto: helpfulness in the paper's form, necessary in rounds.",
    )
    max_choices: int = Field(
        8, ge=1, le=32, description="Number of most similar edges of a passage that are judged."
    )
    temperature: float = Field(
        0.1, ge=0, le=2, description="Sampling temperature for choosing edges (paper: 0.1)."
    )

    def for_profile(self, profile: Profile) -> HopSettings:
        """These settings with every 0 and every `auto` filled in.

        Args:
            profile: The run's. The built-in model runs on the user's own processor: it is given
                fewer vertices to reason about, and fewer passages to read.
        """
        small = profile == "builtin"
        few_hops = small and self.reasoner == "model"
        form = self.form if self.form != AUTO else "paper" if small else "rounds"
        top_k = self.top_k or (6 if few_hops else 10 if form == "rounds" else 20)
        prune = "helpfulness" if form == "paper" else "necessary"
        return self.model_copy(
            update={
                "form": form,
                "n_hop": self.n_hop or (2 if few_hops else 4),
                "top_k": top_k,
                "evidence_k": self.evidence_k or (5 if small else top_k),
                "prune": prune if self.prune == AUTO else self.prune,
            }
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


RoundVerdict = Literal["enough", "fallback", "budget"]
"""Nothing is missing any more; the call gave nothing usable; or the budget left none."""


class RoundNote(TypedDict):
    """The output of a round's call."""

    round: int
    useful: list[str]
    """The passages read so far whose facts the question needs, in the order of need."""
    verdict: NotRequired[RoundVerdict]
    reason: NotRequired[str]


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
    in_rounds: bool
    """Whether one call chooses for all vertices of a round."""
    hops: Annotated[list[Hop], operator.add]
    rounds: Annotated[list[RoundNote], operator.add]
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


def useful_so_far(notes: Iterable[RoundNote]) -> list[str]:
    """The passages that some round found useful, the first rounds' first."""
    return list(dict.fromkeys(name for note in notes for name in note["useful"]))
