"""The state of `every`: groups of passages, the columns of the table, and the rows found."""

from __future__ import annotations

import operator
from typing import Annotated, Any, ClassVar

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Group


class EverySettings(Group):
    """The strategy `every`."""

    group: ClassVar[str] = "every"

    calls: int = Field(
        20,
        ge=1,
        description="Maximum groups of passages that one question reads, one model call each; the "
        "least promising documents are left out.",
    )


class Table(TypedDict):
    """The form of the table, which the first call decides."""

    item: str
    """The meaning of one row, with every condition of the question."""
    columns: list[str]
    count: bool
    """Whether the question asks how many."""
    sentence: str
    """Introduces the table; `#` stands for the number of rows."""


class FoundRow(TypedDict):
    """A row that a call found in its passages."""

    cells: list[str]
    passages: list[str]
    """The id of the passage behind each cell, or ""."""


class EveryState(StrategyState):
    """The strategy's state."""

    asked: str
    """The question that the documents are read for: this one, or an earlier one in other words."""
    said: dict[str, Any]
    """Whether this question asks for a number, and its sentence, if `asked` is an earlier one."""
    groups: list[list[str]]
    """Passages that one call reads, the most promising group first."""
    opened: int
    """Groups that were read, or tried, to decide the form of the table."""
    table: Table | None
    rows: Annotated[list[FoundRow], operator.add]
    unread: Annotated[list[str], operator.add]
    """Passages of groups whose call gave nothing."""
    notes: Annotated[list[Step], operator.add]
    """The steps so far."""
    truncated: Annotated[bool, operator.or_]


class ReadTask(TypedDict):
    """The input of the task that reads one group."""

    run: str
    question: str
    number: int
    """Its place among the groups, from 1."""
    of: int
    passages: list[str]
    table: Table


def read_id(number: int) -> str:
    """The id of the step that reads a group."""
    return f"read-{number}"
