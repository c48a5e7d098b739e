"""The record of `single`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="single",
    about=("One search, one answer from what it found: for a fact that one passage can state."),
    graph="hopyard.graphs.single:graph",
    route=RouteLabel("it asks for one fact, which one passage can state"),
    default_for=("small",),
    stronger=("chain", "cor"),
    rank=10,
    calls=1,
    label="native RAG: one search",
)
