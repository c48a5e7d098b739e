"""The state of a global search (GraphRAG): communities, reports, and points from the reports.

Reports that the index holds stand here by their ids alone. Those that the question had written are
kept until it is answered: no file has them, and a killed run must not pay for them again.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Group


class GlobalSettings(Group):
    """Global search. The defaults are the paper's, and its cheapest level."""

    group: ClassVar[str] = "global"

    level: int | None = Field(
        0,
        ge=0,
        description="Level of the communities whose reports are read: 0 (the root, fewest calls) "
        "to 3 (paper); without a level, or at one that the index lacks, the deepest.",
    )
    most_reports: int = Field(
        150,
        ge=1,
        description="Maximum reports that one question has written, those of sub-communities "
        "included.",
    )
    window: int | None = Field(
        None,
        ge=1,
        description="Maximum tokens of the reports in one map call, and of the points in the "
        "closing call: 8000 (paper) by default, or 1200 for the built-in model.",
    )


WrittenReport = dict[str, Any]
"""A report (`indexes.kinds.communities.records.Report`) as plain values, or nothing for one
that took no call."""


class Point(TypedDict):
    """A point that a map call found in reports."""

    text: str
    score: int
    """How much it helps to answer the question, 1 to 100."""
    reports: list[str]
    """Communities whose reports state it."""
    passages: list[str]
    """Passages that support these findings, best first."""


class GlobalState(StrategyState):
    """The strategy's state."""

    written: Annotated[dict[str, WrittenReport], operator.or_]
    """Reports written for this question, by community."""
    points: Annotated[list[Point], operator.add]
    notes: Annotated[list[Step], operator.add]
    """The steps so far."""
    truncated: Annotated[bool, operator.or_]

    published: NotRequired[bool]
    """Whether reports alone are read, as published."""
    chosen: list[str]
    """Communities that are read: their reports, or excerpts of their sentences."""
    missing: dict[str, int]
    """Those of them whose reports are to be written, and how many reports each of them takes."""
    chunks: list[list[str]]
    """Communities whose reports one map call reads."""
    found: list[str]
    """Passages that one more map call reads, the nearest first."""


class ReportTask(TypedDict):
    """The input of the task that has one report written."""

    run: str
    community: str
    most: int
    """Reports to be written at most, those of its parts included."""


class _MapTask(TypedDict):
    run: str
    question: str
    number: int
    """Its place among the map calls, from 1."""
    of: int
    """How many map calls there are."""
    needed: NotRequired[bool]
    """Whether no other call has read: the error of this one ends the run."""


class MapTask(_MapTask):
    """The input of one map call over reports."""

    communities: list[str]
    written: dict[str, WrittenReport]
    """Those of the reports that the index does not hold."""


class PassageTask(_MapTask):
    """The input of one map call over the source text."""

    passages: list[str]


def report_id(community: str) -> str:
    """The id of the step that writes a report."""
    return f"report-{community}"


def map_id(number: int) -> str:
    """The id of the step of a map call."""
    return f"map-{number}"
