"""What a passage graph holds and how it came about: the file that `index status` reads."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.arrays.kind_stats import KindStats
from hopyard.indexes.kinds.passage_graph.matching import Agreement
from hopyard.indexes.written.calls import AuthorShare, WritingCalls

__all__ = ("MATCHING_VERSION", "GraphStats", "MatchAgreement")

MATCHING_VERSION: Final = 1
"""Counted up when keywords, SIM or the files change: then a graph is matched again."""


class _Stats(BaseModel):
    model_config = ConfigDict(frozen=True)


class MatchAgreement(_Stats):
    """How far matches that went through HNSW agree with the exact ones, on a sample."""

    sampled: int
    share: float
    mean_loss: float
    worst_loss: float

    @classmethod
    def of(cls, agreement: Agreement) -> Self:
        """Plain values of a measurement."""
        return cls(
            sampled=agreement.sampled,
            share=agreement.share,
            mean_loss=agreement.mean_loss,
            worst_loss=agreement.worst_loss,
        )


class GraphStats(KindStats):
    """Counts of one generation of the graph."""

    whose: ClassVar[str] = "a passage graph"

    matching: int = MATCHING_VERSION
    model: str
    """The model as `--model` takes it: additions are written by the same one."""
    embedding: str
    dimension: int
    edge_factor: float
    vertices: int
    """Passages that have questions."""
    edges: int
    incoming_questions: int
    outcoming_questions: int
    without_questions: int
    """Passages that were not asked for yet, because a budget ended the build."""
    too_few_questions: int
    """Passages of which fewer questions came than the paper asks for, failed ones included."""
    failed: int
    """Passages of which nothing usable came."""
    authors: tuple[AuthorShare, ...]
    calls: tuple[WritingCalls, ...]
    """Model calls that this index paid for; the ledger's answers cost nothing and are not here."""
    runs: tuple[str, ...]
    """The runs whose calls were counted last."""
    approximate: int
    """Matches that went through HNSW; 0 where all are exact."""
    agreement: MatchAgreement | None
    """Measured where `approximate` is not 0."""

    @property
    def mean_out_degree(self) -> float:
        """Edges a vertex (the paper's graphs have 5.87)."""
        return self.edges / self.vertices if self.vertices else 0.0

    def plain(self) -> dict[str, Any]:
        """What `hopyard index status` shows."""
        values = self.model_dump(mode="json", exclude={"runs", "matching"})
        values["mean_out_degree"] = round(self.mean_out_degree, 4)
        for row, calls in zip(values["calls"], self.calls, strict=True):
            row["parse_rate"] = round(calls.rate, 4)
        return values
