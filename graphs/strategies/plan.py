"""The record of `plan`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

STRATEGY: Final = Strategy(
    name="plan",
    about=(
        "Split the question into sub-questions that may use each other's answers, answer them "
        "side by side, put the findings together. For comparisons and facts from several passages."
    ),
    graph="hopyard.graphs.plan:graph",
    route=RouteLabel("it compares things or joins facts, which stand in several passages"),
    profiles=("capable",),
    steps="hopyard.nodes.sub_questions:steps_of",
    rank=31,
    calls=4.9,
    legend={
        "leaf": "a question that was not split: it is answered from the passages found for it",
        "split": "a question whose sub-questions are answered in its place",
        "rubric": "how many of four demands the sub-questions meet: relevant, complete, specific, "
        "not overlapping",
        "fails on": "the demands of the rubric that they do not meet",
    },
    label="sub-questions that use each other's answers",
)
