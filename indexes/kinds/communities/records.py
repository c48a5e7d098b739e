"""Communities of the entity graph, their reports, and the counts of an index of them."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, Field

from hopyard.indexes.written.stats import Plain, WrittenCounts, WrittenStats
from hopyard.indexes.written.store import WrittenStore
from hopyard.state.text.counting import counted

REPORTS_FILE: Final = "reports.sqlite"
REPORTED: Final = "reported"
"""The outcome of a community about which the model wrote a report."""
COMMUNITIES_VERSION: Final = 2
"""Counted up when the weights, the clustering, the files or what a report shows change: then it is
clustered again."""


class Community(Plain):
    """A group of entities that belong together more than with others."""

    id: str
    """`LEVEL-NUMBER`, such as `0-3`; level 0 is the root level, C0."""
    level: int
    parent: str = ""
    """The community of the level above that contains it; "" at level 0."""
    children: tuple[str, ...] = ()
    entities: tuple[int, ...]
    """Rows of the entity graph, ascending."""
    passages: int
    """In how many passages its entities stand."""
    title: str
    """The title of its report, or the labels of its best connected entities."""


class Source(Plain):
    """A place in a passage that supports an element: an entity or a relationship."""

    passage: str
    """Id of the passage."""
    sentence: int
    """The place among its sentences, or -1."""


class Finding(Plain):
    """A statement of a report, with the elements that support it."""

    summary: str
    explanation: str
    elements: tuple[str, ...] = ()
    """Ids of elements, such as `E12` (an entity's row) or `R7` (a fact's row)."""


class Report(Plain):
    """The report about a community."""

    community: str
    title: str
    summary: str
    rating: float = Field(ge=0, le=10)
    """How important the community is, by the model."""
    findings: tuple[Finding, ...] = ()
    read: tuple[str, ...] = ()
    """Ids of the elements that it was written from, itself or through reports of sub-communities;
    none if an earlier version wrote it."""


class WrittenReport(BaseModel, frozen=True):
    """A report with the numbers of its own prompt: E1 is the first entity that the prompt showed.

    So it stays true while rows of the entity graph change.
    """

    title: str = ""
    summary: str = ""
    rating: float = 0.0
    findings: tuple[Finding, ...] = ()
    unknown: int = 0
    """Numbers that the prompt did not show, which are left out."""
    unsupported: int = 0
    """Findings without an element of the prompt, which are left out."""


class ReportStore(WrittenStore[WrittenReport]):
    """The reports of communities, by the hash of what their prompts showed."""

    file_name: ClassVar[str] = REPORTS_FILE
    content: ClassVar[type[BaseModel]] = WrittenReport


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
