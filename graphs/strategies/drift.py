"""The record of `drift`."""

from __future__ import annotations

from typing import Final

from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="drift",
    about=(
        "GraphRAG's DRIFT search: the community reports nearest to the question lead to follow-up "
        "questions, which local search answers, round by round. For questions about one subject "
        "that need many details. The index needs communities."
    ),
    graph="hopyard.graphs.drift:graph",
    needs=("dense", "communities"),
    stronger=("chain", "cor"),
    steps="hopyard.state.global_search:steps_of",
    baseline=True,
    rank=61,
    legend={
        "communities": "groups of entities that belong together, each with a report",
        "reports to write": "communities whose report the index does not have",
        "points": "statements from reports and passages that help to answer the question",
        "dropped": "points with a score of 0",
        "follow-ups": "questions about what is still missing, with a score; the best new questions "
        "are asked in the next round",
        "beyond the window": "points with too low a score for the closing call",
        "score": "the score of the best point, from 0 to 1",
    },
    label="GraphRAG DRIFT: follow-up questions from reports",
)
