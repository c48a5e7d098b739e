"""The contributions of question and passages to an answer (Con-RAG, Shapley values).

A value function v says how well a prompt with only a coalition of {question q, passages D}
explains the answer that the model gave from both. The two-player Shapley value splits v(qD) − v(∅)
between them. The label says whether the passages' share is larger.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from hopyard.prompts.coalitions import COALITIONS

__all__ = (
    "RETRIEVE",
    "CoalitionValues",
    "Contributions",
    "OwnAnswer",
    "Reading",
    "ValueFunction",
    "captum_contributions",
    "contributions",
    "needs_retrieval",
)

RETRIEVE: Final = 1
"""The label of a question that needs its passages; the other label is 0."""


@dataclass(frozen=True)
class CoalitionValues:
    """v of the four coalitions. Any range: sums of probabilities, or F1."""

    none: float
    question: float
    passages: float
    both: float


@dataclass(frozen=True)
class Contributions:
    """The Shapley values of question and passages."""

    question: float
    passages: float


@dataclass(frozen=True)
class Reading:
    """A question and its passages as the model reads them."""

    question: str
    passages: str


@dataclass(frozen=True)
class OwnAnswer:
    """The model's own answer from question and passages.

    Attributes:
        reading: The question and passages.
        answer: The short answer; "" if the model gave none.
        tokens: The answer's token ids, if the value function uses them.
    """

    reading: Reading
    answer: str
    tokens: tuple[int, ...] = ()


class ValueFunction(Protocol):
    """Values coalitions. It also answers, because the valued answer is the model's own."""

    @property
    def name(self) -> str:
        """The name that users choose and labels carry."""

    @property
    def identity(self) -> str:
        """The name of the model, as labels carry it."""

    async def answer(self, readings: Sequence[Reading]) -> list[OwnAnswer | None]:
        """Answer from (q, D) with the product's prompt; None without usable output."""

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer from q alone with the product's prompt; None without usable output."""

    async def values(self, answers: Sequence[OwnAnswer]) -> list[CoalitionValues | None]:
        """The coalitions' values for each answer; None without usable output."""


def contributions(values: CoalitionValues) -> Contributions:
    """The two-player Shapley value in closed form (Con-RAG, FACTS: φ_q and φ_D).

    φ_q = ½[(v(qD) − v(D)) + (v(q) − v(∅))]; φ_D = ½[(v(qD) − v(q)) + (v(D) − v(∅))].
    """
    return Contributions(
        question=((values.both - values.passages) + (values.question - values.none)) / 2,
        passages=((values.both - values.question) + (values.passages - values.none)) / 2,
    )


def captum_contributions(values: CoalitionValues) -> Contributions:
    """The same from Captum's `ShapleyValues` over a mask of two features.

    Captum asks for v under all masks in one batch of four; this function looks the values up.
    """
    import torch
    from captum.attr import ShapleyValues

    table = torch.tensor([getattr(values, name) for name in COALITIONS], dtype=torch.float64)

    def value(masks: torch.Tensor) -> torch.Tensor:
        """Masks [n, 2] of (question, passages), 1 if the coalition has it."""
        return table[masks[:, 0].long() + 2 * masks[:, 1].long()]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two features need no feature mask
        found = ShapleyValues(value).attribute(
            torch.ones(1, 2, dtype=torch.float64),
            baselines=0.0,
            feature_mask=torch.tensor([[0, 1]]),
            perturbations_per_eval=4,
        )
    return Contributions(question=float(found[0, 0]), passages=float(found[0, 1]))


def needs_retrieval(found: Contributions) -> bool:
    """Con-RAG's label: retrieve if φ_D ≥ φ_q."""
    return found.passages >= found.question
