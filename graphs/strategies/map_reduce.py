"""The record of `map-reduce`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="map-reduce",
    about=(
        "A baseline to compare global with: map and reduce over all passages. It reads the whole "
        "corpus for each question, with the settings window, min_score and seed of global_search."
    ),
    graph="hopyard.graphs.map_reduce:graph",
    steps="hopyard.nodes.global_search.steps:steps_of",
    baseline=True,
    rank=91,
    legend={
        "points": "statements from the passages that help to answer the question",
        "dropped": "points with a score of 0, or below global_search.min_score",
        "score": "the best point's, from 0 to 1",
    },
    label="map and reduce over the source text",
)
