"""What the question and what the passages contribute to an answer (Con-RAG, Shapley values).

A value function v says how well a prompt that holds only a coalition of {question q, passages D}
accounts for the answer that the model gave from both. The two-player Shapley value splits
v(qD) − v(∅) between them, and the label is whether the passages' share is the larger one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from hopyard.prompts.coalitions import COALITIONS

__all__ = (
    "RETRIEVE",
    "Answered",
    "CoalitionValues",
    "Contributions",
    "Reading",
    "ValueFunction",
    "captum_contributions",
    "contributions",
    "needs_retrieval",
)

RETRIEVE: Final = 1
"""The label of a question that needs its passages; 0 is the other one."""


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
    """A question and its passages as the model sees them."""

    question: str
    passages: str


@dataclass(frozen=True)
class Answered:
    """The model's own answer from question and passages.

    Attributes:
        reading: What it was read from.
        answer: The short answer; "" where the model gave none.
        tokens: The answer's token ids, where the value function works with them.
    """

    reading: Reading
    answer: str
    tokens: tuple[int, ...] = ()


class ValueFunction(Protocol):
    """A way to value a coalition. It answers too: the answer that is valued is the model's own."""

    @property
    def name(self) -> str:
        """The name by which it is chosen, and under which labels are kept."""

    @property
    def identity(self) -> str:
        """The model, by the name that labels carry."""

    async def answer(self, readings: Sequence[Reading]) -> list[Answered | None]:
        """Answer from (q, D), as the product reads; None where there was no usable output."""

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer from q alone, as the product does without retrieval."""

    async def values(self, answered: Sequence[Answered]) -> list[CoalitionValues | None]:
        """The coalitions' values for each answer; None where there was no usable output."""


def contributions(values: CoalitionValues) -> Contributions:
    """The two-player Shapley value in closed form (Con-RAG, FACTS: φ_q and φ_D).

    φ_q = ½[(v(qD) − v(D)) + (v(q) − v(∅))]; φ_D = ½[(v(qD) − v(q)) + (v(D) − v(∅))].
    """
    return Contributions(
        question=((values.both - values.passages) + (values.question - values.none)) / 2,
        passages=((values.both - values.question) + (values.passages - values.none)) / 2,
    )


def captum_contributions(values: CoalitionValues) -> Contributions:
    """The same by Captum's `ShapleyValues` over a mask of two features.

    Captum asks for v under masks, all orders of the two players in one batch of four; the values
    themselves come from one batch of the model and are looked up here.
    """
    import torch
    from captum.attr import ShapleyValues

    table = torch.tensor([getattr(values, name) for name in COALITIONS], dtype=torch.float64)

    def value(masks: torch.Tensor) -> torch.Tensor:
        """Masks [n, 2] of (question, passages), 1 where the coalition holds it."""
        return table[masks[:, 0].long() + 2 * masks[:, 1].long()]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that two features need no feature mask
        found = ShapleyValues(value).attribute(
            torch.ones(1, 2, dtype=torch.float64),
            baselines=0.0,
            feature_mask=torch.tensor([[0, 1]]),
            perturbations_per_eval=4,
        )
    return Contributions(question=float(found[0, 0]), passages=float(found[0, 1]))


def needs_retrieval(found: Contributions) -> bool:
    """Con-RAG's label: retrieve where φ_D ≥ φ_q."""
    return found.passages >= found.question
