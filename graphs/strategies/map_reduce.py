"""The record of `map-reduce`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="map-reduce",
    about=(
        "A baseline to compare global with: map and reduce over all passages. It reads the whole "
        "corpus for each question, in windows of global.window tokens."
    ),
    graph="hopyard.graphs.map_reduce:graph",
    steps="hopyard.state.global_search:steps_of",
    baseline=True,
    rank=91,
    legend={
        "points": "statements from the passages that help to answer the question",
        "dropped": "points with a score of 0",
        "score": "the best point's, from 0 to 1",
    },
    label="map and reduce over the source text",
)
