"""The reports that were written so far, by what their prompts showed (see `written_store`)."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.kinds.communities.records import Finding
from hopyard.indexes.written.store import WrittenStore

__all__ = ("REPORTED", "REPORTS_FILE", "ReportStore", "WrittenReport")

REPORTS_FILE: Final = "reports.sqlite"

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
