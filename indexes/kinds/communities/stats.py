"""What the communities of an index are and how they came about: the file behind `index status`."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.arrays.kind_stats import KindStats
from hopyard.indexes.written.calls import AuthorShare, WritingCalls
from hopyard.state.text.counting import counted

__all__ = ("COMMUNITIES_VERSION", "CommunityStats", "MadeWith", "ReportCounts")

COMMUNITIES_VERSION: Final = 2
"""Counted up when the weights, the clustering, the files or what a report shows change: then it is
clustered again."""


class _Stats(BaseModel):
    model_config = ConfigDict(frozen=True)


class MadeWith(_Stats):
    """What decides about the communities besides the entity graph."""

    version: int = COMMUNITIES_VERSION
    weights: Literal["rarity", "counts"]
    max_size: int
    resolution: float
    seed: int
    reports: Literal["on-demand", "all"]
    tokens: int = 0
    """Tokens of a community in the prompt of its report; 0 where the build writes none."""
    findings: int = 0
    """Findings of a report at most; 0 where the build writes none."""


class ReportCounts(_Stats):
    """The reports that builds wrote."""

    written: int = 0
    """Communities with a report."""
    rewritten: int = 0
    """Communities whose report the last build had to write, because it shows something new."""
    missing: int = 0
    """Communities that the model was not asked about, because a budget ended the build or the build
    had no model."""
    failed: int = 0
    """Communities for which the model wrote nothing usable."""
    unknown_elements: int = 0
    """Elements that reports cited and no prompt showed; they are left out."""
    unsupported_findings: int = 0
    """Findings that cited no element; they are left out."""
    authors: tuple[AuthorShare, ...] = ()
    calls: tuple[WritingCalls, ...] = ()
    """Model calls that this index paid for; the ledger's answers cost nothing and are not here."""
    runs: tuple[str, ...] = ()
    """The runs whose calls were counted last."""


class CommunityStats(KindStats):
    """Counts of one generation of the communities."""

    whose: ClassVar[str] = "communities"

    model: str
    """The chat model as `--model` takes it; "" if none was asked."""
    made_with: MadeWith
    entities: int
    communities: tuple[int, ...]
    """At each level: those that hold each entity once."""
    modularity: tuple[float, ...]
    """At each level."""
    largest: tuple[int, ...]
    """At each level, the number of entities of the largest community."""
    reports: ReportCounts = ReportCounts()

    def plain(self) -> dict[str, Any]:
        """What `hopyard index status` shows; values of 0 are left out."""
        made = self.made_with.model_dump(mode="json", exclude={"version"})
        levels = {
            f"C{level}": f"{counted(communities, 'community')}, the largest of "
            f"{counted(largest, 'entity')}, modularity {quality:.3f}"
            for level, (communities, largest, quality) in enumerate(
                zip(self.communities, self.largest, self.modularity, strict=True)
            )
        }
        reports = self.reports.model_dump(mode="json", exclude={"runs"})
        for row, calls in zip(reports["calls"], self.reports.calls, strict=True):
            row["parse_rate"] = round(calls.rate, 4)
        counts = {
            f"reports_{name}": reports.pop(name)
            for name in ("written", "rewritten", "missing", "failed")
        }
        head = {"model": self.model, **made, "entities": self.entities}
        own = {**head, "levels": len(self.communities), **levels, **counts, **reports}
        return {name: value for name, value in own.items() if value}
