"""The record of `react`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="react",
    about=(
        "A baseline to compare with: LangChain's `create_agent` with the search as its only tool. "
        "The model needs tool calls."
    ),
    graph="hopyard.graphs.react:graph",
    baseline=True,
    profiles=("capable",),
    rank=92,
    calls=2.3,
    label="LangChain's create_agent with the search as a tool",
)
