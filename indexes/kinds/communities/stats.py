"""Counts and settings of the communities of an index, for `index status`."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from hopyard.indexes.written.stats import Plain, WrittenCounts, WrittenStats
from hopyard.state.text.counting import counted

__all__ = ("COMMUNITIES_VERSION", "CommunityStats", "MadeWith", "ReportCounts")

COMMUNITIES_VERSION: Final = 2
"""Counted up when the weights, the clustering, the files or what a report shows change: then it is
clustered again."""


class MadeWith(Plain):
    """The settings of the communities."""

    version: int = COMMUNITIES_VERSION
    max_size: int
    reports: Literal["on-demand", "all"]
    tokens: int = 0
    """Tokens of a community in the prompt of its report; 0 where the build writes none."""
    findings: int = 0
    """Findings of a report at most; 0 where the build writes none."""


class ReportCounts(WrittenCounts):
    """The reports that builds wrote."""

    written: int = 0
    """Communities with a report."""
    rewritten: int = 0
    """Communities whose report the last build had to write, because it shows something new."""
    unknown_elements: int = 0
    """Elements that reports cited and no prompt showed; they are left out."""
    unsupported_findings: int = 0
    """Findings that cited no element; they are left out."""


class CommunityStats(WrittenStats):
    """Counts of one generation of the communities."""

    whose: ClassVar[str] = "communities"

    made_with: MadeWith
    entities: int
    communities: tuple[int, ...]
    """At each level: those that hold each entity once."""
    modularity: tuple[float, ...]
    """At each level."""
    largest: tuple[int, ...]
    """At each level, the number of entities of the largest community."""
    written: ReportCounts

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`, without those of 0."""
        made = self.made_with.model_dump(mode="json", exclude={"version"})
        levels = {
            f"C{level}": f"{counted(communities, 'community')}, the largest of "
            f"{counted(largest, 'entity')}, modularity {quality:.3f}"
            for level, (communities, largest, quality) in enumerate(
                zip(self.communities, self.largest, self.modularity, strict=True)
            )
        }
        reports = self.written.plain()
        counts = {
            f"reports_{name}": reports.pop(name)
            for name in ("written", "rewritten", "missing", "failed")
        }
        head = {"model": self.model, **made, "entities": self.entities}
        own = {**head, "levels": len(self.communities), **levels, **counts, **reports}
        return {name: value for name, value in own.items() if value}
