"""The record of `hop-rounds`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="hop-rounds",
    about=(
        "HopRAG: hop along the questions that join one passage to the next. For a question "
        "about something that it does not name. The index needs a passage graph."
    ),
    graph="hopyard.graphs.hop_rounds:graph",
    needs=("dense", "passage-graph"),
    route=RouteLabel(
        "it asks about something that it does not name: one passage has to say what that is"
    ),
    profiles=("capable",),
    steps="hopyard.nodes.hop.steps:steps_of",
    rank=41,
    calls=2.6,
    legend={
        "necessary": "the passage that the hop reaches is needed for the answer",
        "indirect": "the passage may lead to one that is needed",
        "visits": "how many hops have led to the passage",
    },
    label="hops over the passage graph, one call a round",
)
