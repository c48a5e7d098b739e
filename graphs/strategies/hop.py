"""The record of `hop`."""

from __future__ import annotations

from typing import Final

from hopyard.state.hop import HopSettings
from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="hop",
    about=(
        "HopRAG: each passage chooses one of the questions that join it to others, and the most "
        "helpful passages are kept. The index needs a passage graph."
    ),
    graph="hopyard.graphs.hop:graph",
    needs=("dense", "passage-graph"),
    route=RouteLabel(
        "it asks about something that it does not name: one passage has to say what that is"
    ),
    profiles=("small", "builtin"),
    settings=HopSettings,
    steps="hopyard.nodes.hop.steps:steps_of",
    rank=40,
    calls=7.7,
    legend={
        "necessary": "the passage that the hop reaches is needed for the answer",
        "indirect": "the passage may lead to one that is needed",
        "irrelevant": "the passage has nothing to do with the question",
        "visits": "how many hops have led to the passage",
    },
    label="HopRAG: hops over the passage graph",
    sweeps={
        "hops": (
            *(f"hop@hop.n_hop={rounds}" for rounds in (1, 2, 3, 4)),
            *(f"hop@hop.top_k={k}" for k in (3, 6, 12, 20)),
        )
    },
)
