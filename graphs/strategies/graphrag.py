"""The record of `graphrag`."""

from __future__ import annotations

from typing import Final

from hopyard.state.global_search import GlobalSettings
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="graphrag",
    about=(
        "A baseline to compare global with: GraphRAG as published. Every community of the level "
        "has a report, and no passage is read. The index needs communities."
    ),
    graph="hopyard.graphs.global_search:published",
    needs=("communities",),
    settings=GlobalSettings,
    steps="hopyard.state.schemas:noted_steps",
    baseline=True,
    rank=92,
    legend={
        "communities": "groups of entities that belong together, each with a report",
        "reports to write": "communities whose report the index does not have",
        "left out": "communities beyond global.most_reports",
        "points": "statements from the reports that help to answer the question",
        "dropped": "points with a score of 0",
        "score": "the score of the best point, from 0 to 1",
    },
    calls="hopyard.nodes.global_search.plan:estimate_published_calls",
    label="GraphRAG as published",
)
