"""Examples of splitting a question in two, of judging the halves, and of replacing one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.strategies.decompose import DECOMPOSE, Decomposition
from hopyard.prompts.strategies.tree import JUDGE_BRANCH, JUDGE_DECOMPOSITION, BranchScores, Rubric
from lab.examples import TrainingExample, example
from lab.steps import Halves

__all__ = (
    "Answered",
    "decomposition",
    "judge_branch",
    "judge_split",
)

_SCORES: Final = ("sufficiency", "non_redundancy", "consistency", "decomposition")
_REJECTED: Final = 0.12
"""Share of the splits that follow a rejected split."""


@dataclass(frozen=True)
class Answered:
    """A split with an answer to each half.

    Attributes:
        question: The compound question.
        first: The first half.
        first_answer: Its answer.
        second: The second half, asked beside the first.
        second_answer: Its answer.
        filled: The second half, asked when the first is answered.
        is_bridge: Whether the second half needs the first one's answer.
        origin: Where it comes from.
    """

    question: str
    first: str
    first_answer: str
    second: str
    second_answer: str
    filled: str
    is_bridge: bool
    origin: str

    @classmethod
    def of(cls, halves: Halves) -> Answered:
        """From gold."""
        return cls(
            halves.question,
            halves.first.question,
            halves.first.answer,
            halves.second,
            halves.filled.answer,
            halves.filled.question,
            halves.is_bridge,
            halves.origin,
        )


def decomposition(
    split: Answered, others: Sequence[Answered], rng: random.Random
) -> TrainingExample:
    """Split a compound question, sometimes after a rejected split."""
    rejected = ""
    if rng.random() < _REJECTED:
        first, second, rubric = _corrupt(split, rng.choice(others), rng)
        rejected = f"\nRejected, because it fails on {', '.join(rubric.faults)}: {first} / {second}"
    values = {"question": split.question, "rejected": rejected}
    halves = Decomposition(kind="compound", first=split.first, second=split.second)
    return example(DECOMPOSE, values, halves, split.origin)


def judge_split(
    split: Answered, others: Sequence[Answered], rng: random.Random
) -> Iterator[TrainingExample]:
    """Judge the gold sub-questions, or the same with one or more faults."""
    if rng.random() < 0.5:
        first, second = split.first, split.second
        rubric = Rubric(wh_form=1, specific=1, relevant=1, non_overlapping=1, complete=1)
    else:
        first, second, rubric = _corrupt(split, rng.choice(others), rng)
    if rng.random() < 0.3:
        first, second = second, first
    values = {"question": split.question, "first": first, "second": second}
    yield example(JUDGE_DECOMPOSITION, values, rubric, split.origin)


def judge_branch(
    split: Answered, others: Sequence[Answered], rng: random.Random
) -> Iterator[TrainingExample]:
    """Judge gold sub-questions with their answers, or with faulty answers or questions."""
    other = rng.choice(others)
    first, second = [split.first, split.first_answer], [split.second, split.second_answer]
    scores, weak = (5, 5, 5, 5), 0
    draw = rng.random()
    if draw < 0.45:
        if split.is_bridge and rng.random() < 0.5:
            second[0] = split.filled
    elif draw < 0.63:
        if split.is_bridge:
            second[1], scores, weak = UNKNOWN, (1, 3, 2, 1), 1
        else:
            weak = rng.randrange(2)
            (first, second)[weak][1] = UNKNOWN
            scores = (1, 4, 3, 3)
    elif draw < 0.73:
        first[1], second[1], scores = UNKNOWN, UNKNOWN, (0, 3, 2, 2)
    elif draw < 0.83:
        second, scores, weak = (
            [other.first, rng.choice([UNKNOWN, other.first_answer])],
            (1, 3, 2, 1),
            1,
        )
    elif draw < 0.92:
        second, scores, weak = list(first), (1, 0, 3, 1), 1
    else:
        first, second = [other.first, other.first_answer], [other.second, UNKNOWN]
        scores = (0, 3, 1, 0)
    if rng.random() < 0.3 and scores != (5, 5, 5, 5):
        first, second, weak = second, first, 1 - weak
    values = {
        "question": split.question, "first": first[0], "first_answer": first[1],
        "second": second[0], "second_answer": second[1],
    }  # fmt: skip
    output = BranchScores.model_validate(
        {
            **dict(zip(_SCORES, scores, strict=True)),
            "weaker": ("first", "second")[weak],
        }
    )
    yield example(JUDGE_BRANCH, values, output, split.origin)


def _corrupt(split: Answered, other: Answered, rng: random.Random) -> tuple[str, str, Rubric]:
    """The sub-questions with a fault, and the rubric's scores."""
    good = {"wh_form": 1, "specific": 1, "relevant": 1, "non_overlapping": 1, "complete": 1}
    faults: tuple[str, ...]
    first, second = split.first, split.second
    fault = rng.choice(["repeated", "beside", "statement", "vague", "both", "echo"])
    if fault == "repeated":
        second, faults = first, ("non_overlapping", "complete")
    elif fault == "beside":
        second, faults = other.first, ("relevant", "complete")
    elif fault == "statement":
        first, second = f"Is it {_topic(split)}?", f"Is it known whether {_statement(second)}?"
        faults = ("wh_form", "specific", "complete")
    elif fault == "vague":
        first, second = f"Do people like {_topic(split)}?", f"Is {_topic(split)} good?"
        faults = ("wh_form", "specific", "relevant", "non_overlapping", "complete")
    elif fault == "both":
        first, second, faults = other.first, other.second, ("relevant", "complete")
    else:
        second, faults = split.question, ("non_overlapping", "specific", "complete")
    return first, second, Rubric.model_validate(good | dict.fromkeys(faults, 0))


def _statement(question: str) -> str:
    text = question.rstrip("?").strip()
    return text[:1].lower() + text[1:]


def _topic(split: Answered) -> str:
    """The first name in the question, or its last words."""
    name = re.search(r"(?<=\s)(?:[A-Z][\w'-]+)(?: [A-Z][\w'-]+)*", split.question)
    return name.group() if name else " ".join(split.question.rstrip("?").split()[-3:])
