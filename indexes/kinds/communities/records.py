"""Communities of the entity graph and their reports, as builders, strategies and pages see them."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from hopyard.indexes.written.store import WrittenStore

__all__ = (
    "REPORTED",
    "REPORTS_FILE",
    "Community",
    "Finding",
    "Report",
    "ReportStore",
    "Source",
    "WrittenReport",
)

REPORTS_FILE: Final = "reports.sqlite"


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True)


class Community(_Plain):
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


class Source(_Plain):
    """A place in a passage that supports an element: an entity, a relationship or a claim."""

    passage: str
    """Id of the passage."""
    sentence: int
    """The place among its sentences, or -1."""


class Finding(_Plain):
    """A statement of a report, with the elements that support it."""

    summary: str
    explanation: str
    elements: tuple[str, ...] = ()
    """Ids of elements, such as `E12` (an entity's row) or `R7` (a fact's row)."""


class Report(_Plain):
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


REPORTED: Final = "reported"
"""The outcome of a community about which the model wrote a report."""


class WrittenReport(BaseModel):
    """A report with the numbers of its own prompt: E1 is the first entity that the prompt showed.

    So it stays true while rows of the entity graph change.
    """

    model_config = ConfigDict(frozen=True)

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
