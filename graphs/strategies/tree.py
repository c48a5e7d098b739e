"""The record of `tree`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy
from hopyard.state.tree import TreeSettings

STRATEGY: Final = Strategy(
    name="tree",
    about=(
        "ToR-RAG: split the question into two independent sub-questions, judge the split and the "
        "branch, prune what is weak, and split again. For comparisons of facts that are named."
    ),
    graph="hopyard.graphs.tree:graph",
    route=RouteLabel("it compares things or joins facts, which stand in several passages"),
    profiles=("small", "builtin"),
    settings=TreeSettings,
    steps="hopyard.nodes.sub_questions:steps_of",
    rank=30,
    calls=9.2,
    legend={
        "leaf": "a question that was not split: it is answered from the passages found for it",
        "split": "a question whose sub-questions are answered in its place",
        "rubric": "how many of five demands the two sub-questions meet: asked as wh-questions, "
        "specific, relevant, not overlapping, complete",
        "fails on": "the demands of the rubric that they do not meet",
        "sufficiency": "0 to 5: the findings below are enough to answer the question",
        "non redundancy": "0 to 5: the findings do not repeat each other",
        "consistency": "0 to 5: the findings do not contradict each other",
        "decomposition": "0 to 5: the sub-questions divide the question well",
        "score": "the mean of a branch's scores, from 0 to 1",
        "θ": "the threshold (setting tree.theta): a branch is kept if its score reaches it "
        "and no single score is 0, and pruned otherwise",
    },
    label="ToR-RAG: a tree of sub-questions",
    sweeps={
        "depth": tuple(f"tree@tree.max_depth={depth}" for depth in (1, 2, 3, 4)),
        "theta": tuple(f"tree@tree.theta={theta}" for theta in ("0", "0.2", "0.4", "0.6", "0.8")),
    },
)
