"""A training example: one finished turn of a prompt that the product uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hopyard.models.prompt import Output, Prompt
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.indexes.passage_graph import QUESTIONS
from hopyard.prompts.passages import one_line
from hopyard.prompts.rewrite import REWRITE
from hopyard.prompts.route import Route, route_prompt
from hopyard.prompts.strategies.aggregate import AGGREGATE
from hopyard.prompts.strategies.cor import NEXT_QUESTION
from hopyard.prompts.strategies.decompose import DECOMPOSE, REPLACE
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.prompts.strategies.hop import JUDGE_EDGES
from hopyard.prompts.strategies.tree import JUDGE_BRANCH, JUDGE_DECOMPOSITION
from hopyard.state.strategy import STRATEGIES

__all__ = (
    "PROMPTS",
    "ROUTE",
    "ROUTE_WITH_HOP",
    "TrainingExample",
    "example",
)


def _route(*names: str) -> Prompt[Route]:
    """The route's prompt where these strategies can run."""
    labels = {name: STRATEGIES[name].route for name in names}
    return route_prompt({name: label for name, label in labels.items() if label})


ROUTE: Final = _route("direct", "single", "tree")
ROUTE_WITH_HOP: Final = _route("direct", "single", "tree", "hop")

PROMPTS: Final[dict[str, Prompt[Any]]] = {
    "answer": ANSWER,
    "aggregate": AGGREGATE,
    "decompose": DECOMPOSE,
    "replace-sub-question": REPLACE,
    "judge-decomposition": JUDGE_DECOMPOSITION,
    "judge-branch": JUDGE_BRANCH,
    "route": ROUTE,
    "route-with-hop": ROUTE_WITH_HOP,
    "next-question": NEXT_QUESTION,
    "rewrite": REWRITE,
    "direct": DIRECT,
    "judge-edges": JUDGE_EDGES,
    "questions": QUESTIONS,
}
"""The trained prompts: the product's own objects, so that they cannot drift apart."""


@dataclass(frozen=True)
class TrainingExample:
    """The values of one prompt and the output wanted.

    Attributes:
        prompt: The prompt's name in `PROMPTS`.
        values: What its template is filled with, as the product's node fills it.
        output: The assistant's turn: the JSON of the prompt's output schema.
        source: The set and question it comes from.
    """

    prompt: str
    values: Mapping[str, str]
    output: str
    source: str


def example(
    prompt: Prompt[Any], values: Mapping[str, str], output: Output, source: str
) -> TrainingExample:
    """Make an example; single-line values are put on one line, as the nodes do."""
    several_lines = {"passages", "findings", "conversation", "rejected", "passage", "follow_ups"}
    key = next(key for key, known in PROMPTS.items() if known is prompt)
    flat = {
        name: value if name in several_lines else one_line(value) for name, value in values.items()
    }
    return TrainingExample(key, flat, output.model_dump_json(), source)
