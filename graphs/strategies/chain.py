"""The record of `chain`."""

from __future__ import annotations

from typing import Final

from hopyard.state.chain import ChainSettings
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="chain",
    about=(
        "CoR-RAG: one search after another, each asked knowing what was found so far. A simple "
        "question costs a capable model one call; one with several links as many as it needs."
    ),
    graph="hopyard.graphs.chain:graph",
    default_for=("capable",),
    profiles=("capable",),
    stronger=("plan",),
    settings=ChainSettings,
    steps="hopyard.nodes.chain.cite:steps_of",
    rank=20,
    calls=1.6,
    label="one search after another",
)
