"""The record of `decompose`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="decompose",
    about=(
        "A baseline to compare with: the question is split once, the passages found for its "
        "sub-questions are read together."
    ),
    graph="hopyard.graphs.decompose:graph",
    baseline=True,
    rank=90,
    label="one split, k/m passages for each of m sub-questions",
)
