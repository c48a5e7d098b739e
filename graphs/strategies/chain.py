"""The record of `chain`."""

from __future__ import annotations

from typing import Final

from hopyard.graphs.registry import Strategy
from hopyard.state.chain import ChainSettings

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="chain",
    about=(
        "CoR-RAG: sub-questions one after another, each asked knowing the answers so far. "
        "For a question whose next step only shows when the last one is answered."
    ),
    graph="hopyard.graphs.chain:graph",
    settings=ChainSettings,
    steps="hopyard.nodes.chain.steps:steps_of",
    rank=20,
    label="CoR-RAG: sequential sub-questions",
)
