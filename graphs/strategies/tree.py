"""The record of `tree`."""

from __future__ import annotations

from typing import Final

from hopyard.graphs.registry import Strategy
from hopyard.state.schemas import RouteLabel
from hopyard.state.tree import TreeSettings

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="tree",
    about=(
        "ToR-RAG: split the question into a tree of sub-questions, answer them side by "
        "side, judge and prune, put the findings together. For comparisons and facts from "
        "several passages."
    ),
    graph="hopyard.graphs.tree:graph",
    route=RouteLabel("it compares things or joins facts, which stand in several passages"),
    settings=TreeSettings,
    steps="hopyard.nodes.tree.steps:steps_of",
    rank=30,
    label="ToR-RAG: a tree of sub-questions",
    sweeps={
        "depth": tuple(f"tree@tree.max_depth={depth}" for depth in (1, 2, 3, 4)),
        "theta": (
            *(f"tree@tree.theta={theta}" for theta in ("0", "0.2", "0.4", "0.6", "0.8")),
            "tree@tree.judge=false",
        ),
    },
)
