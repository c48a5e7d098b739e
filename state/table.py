"""The state of `table`: the tables that the model saw, its query, and the query's result."""

from __future__ import annotations

from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState


class Asked(TypedDict):
    """The query of the model."""

    sql: str
    """"" if no table holds what the question asks for."""
    sentence: str
    """The answer, with a result's columns in curly brackets."""
    knows: bool
    """Whether it is another sentence than the first, written after an empty result."""


class Outcome(TypedDict):
    """The result of a query."""

    error: str
    columns: list[str]
    rows: list[list[str | None]]
    more: bool
    """Whether the query gave more rows than were taken."""
    sources: list[tuple[str, int]]
    """The rows that the result came from, those with its values first: a passage's id, and where
    the row begins in it."""


class TableState(StrategyState):
    """The strategy's state."""

    tables: list[str]
    """Ids of the tables whose schemas the model saw, the best first."""
    asked: Asked
    outcome: Outcome
    tries: int
    """Queries so far."""
