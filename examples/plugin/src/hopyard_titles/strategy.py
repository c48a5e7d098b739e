"""The record of the strategy `second-look`. It is light: a list of names must not load a graph."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from hopyard.state.group import Group
from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy


class SecondLookSettings(Group):
    """The strategy `second-look`."""

    group: ClassVar[str] = "second_look"

    tries: int = Field(1, ge=0, le=5, description="Further searches after an answer Unknown.")


STRATEGY: Final = Strategy(
    name="second-look",
    about="One search; when its passages do not answer, search again in other words.",
    graph="hopyard_titles.graph:graph",
    route=RouteLabel(
        "it asks for one fact in words that the documents may not use",
        examples=("What do they call the boss of the harbour?",),
    ),
    settings=SecondLookSettings,
    rank=15,
    label="one search, and another in other words",
)
