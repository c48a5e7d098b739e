"""The record of `global`."""  # noqa: N999

from __future__ import annotations

from typing import Final

from hopyard.state.global_search import GlobalSettings
from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="global",
    about=(
        "GraphRAG: map and reduce over the reports about all communities of the entity graph, and "
        "over the passages nearest to the question. For questions about the documents as a whole: "
        "main themes, summaries, how documents differ. The index needs communities."
    ),
    graph="hopyard.graphs.global_search:graph",
    needs=("communities",),
    route=RouteLabel(
        "it asks about the documents as a whole: main themes, summaries, how documents differ",
        examples=(
            "What are the main themes of these documents?",
            "Summarise what the reports say about safety.",
            "On which points do the articles disagree?",
        ),
    ),
    beside=("capable",),
    stronger=("chain", "cor", "single"),
    settings=GlobalSettings,
    steps="hopyard.state.schemas:noted_steps",
    rank=60,
    legend={
        "communities": "groups of entities that belong together, each with a report",
        "reports to write": "communities whose report the index does not have",
        "excerpts": "communities without a report, of which sentences of the documents are read",
        "left out": "communities beyond global.most_reports and four windows of excerpts",
        "rating": "0 to 5: how much the report is likely to help, by its title",
        "importance": "0 to 10: how important the community is, by the author of the report",
        "points": "statements from the reports that help to answer the question",
        "dropped": "points with a score of 0",
        "beyond the window": "points with too low a score for the closing call",
        "score": "the score of the best point, from 0 to 1",
    },
    calls="hopyard.nodes.global_search.plan:estimate_calls",
    label="GraphRAG: map and reduce over community reports",
    sweeps={
        "levels": tuple(f"graphrag@global.level={level}" for level in range(4)),
        "windows": tuple(
            f"global@global.window={window}" for window in (8000, 16000, 32000, 64000)
        ),
    },
)
