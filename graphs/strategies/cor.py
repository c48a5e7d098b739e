"""The record of `cor`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="cor",
    about=(
        "A baseline to compare with: CoR-RAG as published. One call asks for the next missing "
        "fact, one answers it, and a last one answers the question."
    ),
    graph="hopyard.graphs.cor:graph",
    baseline=True,
    profiles=("small", "builtin"),
    stronger=("tree",),
    steps="hopyard.nodes.cor.steps:steps_of",
    rank=93,
    calls=6.7,
    label="CoR-RAG as published",
)
