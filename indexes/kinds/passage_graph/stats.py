"""Counts and settings of a passage graph, for `index status`."""

from __future__ import annotations

from typing import Any, Final

from hopyard.indexes.written.stats import WrittenCounts, WrittenStats

MATCHING_VERSION: Final = 2
"""Counted up when keywords, SIM or the files change: then a graph is matched again."""


class QuestionCounts(WrittenCounts):
    """Who wrote the questions, and what they cost."""

    too_few_questions: int = 0
    """Passages with fewer questions than the paper asks for, failed passages included."""


class GraphStats(WrittenStats):
    """Counts of one generation of the graph."""

    matching: int = MATCHING_VERSION
    embedding: str
    dimension: int
    vertices: int
    """Passages that have questions."""
    edges: int
    incoming_questions: int
    outcoming_questions: int
    written: QuestionCounts

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`, with the edges a vertex (the paper's: 5.87)."""
        values = super().plain()
        del values["matching"]
        values["without_questions"] = values.pop("missing")
        return {**values, "mean_out_degree": round(self.edges / max(self.vertices, 1), 4)}
