"""The state of a global search (GraphRAG): communities, reports, and points from the reports.

Reports that the index holds stand here by their ids alone. Those that the question had written are
kept until it is answered: no file has them, and a killed run must not pay for them again.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Group, Profile

__all__ = (
    "UNRATED",
    "GlobalSettings",
    "GlobalState",
    "MapTask",
    "PassageTask",
    "Point",
    "PointState",
    "RateTask",
    "ReportTask",
    "WrittenReport",
    "map_id",
    "rate_id",
    "report_id",
)


class GlobalSettings(Group):
    """Global search. The defaults are the paper's, and its cheapest level."""

    group: ClassVar[str] = "global_search"

    level: int = Field(
        0,
        ge=-1,
        description="Level of the communities whose reports are read: 0 (the root, fewest calls) "
        "to 3 (paper), or -1 for the deepest; a level that the index lacks means the deepest.",
    )
    window: int = Field(
        0,
        ge=0,
        description="Maximum tokens of the reports in one map call, and of the points in the "
        "closing call; 0 means 8000 (as in the paper), or 1200 for the built-in model.",
    )
    min_score: int = Field(
        1, ge=1, le=100, description="Least score of a point that is kept (paper: all above 0)."
    )
    dynamic: bool = Field(
        False,
        description="Rate the communities from the root down, and read only reports of relevant "
        "communities, down to global_search.level.",
    )
    min_rating: int = Field(
        2, ge=1, le=5, description="Least rating (0 to 5) of a relevant community, with dynamic."
    )
    most_reports: int = Field(
        150,
        ge=1,
        description="Maximum reports that one question has written, those of sub-communities "
        "included.",
    )
    excerpts: int = Field(
        -1,
        ge=-1,
        description="Maximum tokens of sentences that are read in place of reports: of small "
        "communities, and of those beyond most_reports; -1 means four windows, 0 leaves "
        "these communities out or has reports written.",
    )
    passages: int = Field(
        -1,
        ge=-1,
        description="Passages that one search finds for the question, read in one more map call "
        "as far as they fit into the window; -1 means 100, or none for the built-in model; 0 reads "
        "reports alone (paper).",
    )
    order: Literal["size", "relevance"] = Field(
        "size",
        description="Communities whose reports are written first: those in most passages, or "
        "those whose title is most similar to the question.",
    )
    seed: int = Field(0, ge=0, description="Seed of the order in which reports are put together.")

    def for_profile(self, profile: Profile) -> GlobalSettings:
        """These settings with the defaults of a profile in place of -1 and 0."""
        builtin = profile == "builtin"
        window = self.window or (1200 if builtin else 8000)
        excerpts = 4 * window if self.excerpts < 0 else self.excerpts
        passages = (0 if builtin else 100) if self.passages < 0 else self.passages
        return self.model_copy(
            update={"window": window, "excerpts": excerpts, "passages": passages}
        )


UNRATED: Final = -1
"""The rating of a community that could not be rated: it is kept, and not divided."""

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


class PointState(StrategyState):
    """The state of a strategy that reduces points to its answer."""

    written: Annotated[dict[str, WrittenReport], operator.or_]
    """Reports written for this question, by community."""
    points: Annotated[list[Point], operator.add]
    notes: Annotated[list[Step], operator.add]
    """The steps so far."""
    truncated: Annotated[bool, operator.or_]


class GlobalState(PointState):
    """The strategy's state."""

    frontier: list[list[str]]
    """Communities to rate next, one list for each call."""
    ratings: Annotated[dict[str, int], operator.or_]
    """How relevant communities are to the question, 0 to 5, or `UNRATED`."""
    chosen: list[str]
    """Communities that are read: their reports, or excerpts of their sentences."""
    missing: dict[str, int]
    """Those of them whose reports are to be written, and how many reports each of them takes."""
    chunks: list[list[str]]
    """Communities whose reports one map call reads."""
    found: list[str]
    """Passages that one more map call reads, the nearest first."""


class RateTask(TypedDict):
    """The input of the task that rates some communities."""

    run: str
    question: str
    communities: list[str]


class ReportTask(TypedDict):
    """The input of the task that has one report written."""

    run: str
    community: str
    most: int
    """Reports to be written at most, those of its parts included."""


class MapTask(TypedDict):
    """The input of one map call."""

    run: str
    question: str
    number: int
    """Its place among the map calls, from 1."""
    of: int
    """How many map calls there are."""
    communities: list[str]
    written: dict[str, WrittenReport]
    """Those of the reports that the index does not hold."""


class PassageTask(TypedDict):
    """The input of one map call over the source text."""

    run: str
    question: str
    number: int
    """Its place among the map calls, from 1."""
    of: int
    """How many map calls there are."""
    passages: list[str]


def rate_id(communities: list[str]) -> str:
    """The id of the step that rates some communities: a community is rated once."""
    return f"rate-{communities[0]}"


def report_id(community: str) -> str:
    """The id of the step that writes a report."""
    return f"report-{community}"


def map_id(number: int) -> str:
    """The id of the step of a map call."""
    return f"map-{number}"
