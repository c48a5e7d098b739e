"""The contributions of question and passages to an answer (Con-RAG, Shapley values).

A value function v says how well a prompt with only a coalition of {question q, passages D}
explains the answer that the model gave from both. The two-player Shapley value splits v(qD) − v(∅)
between them. The label says whether the passages' share is larger. With one player for each
passage, contributions say which of the passages an answer depends on (`ask --explain`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Final, Protocol

from hopyard.prompts.judging.coalitions import COALITIONS
from hopyard.state.errors import UsageError

RETRIEVE: Final = 1
"""The label of a question that needs its passages; the other label is 0."""
MOST_PASSAGES: Final = 7
"""Players at most: 128 coalitions to value, each a call of the model."""


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
class Shares:
    """The shares of an answer. `passages`, `others` and `without` add up to v(all).

    Attributes:
        contributions: The Shapley value of each passage that is a player.
        passages: The share of each of them, 0 to 1.
        others: The share of the passages that are no players, 0 to 1.
        without: The share that the model says without passages, 0 to 1.
    """

    contributions: tuple[float, ...]
    passages: tuple[float, ...]
    others: float
    without: float


@dataclass(frozen=True)
class Reading:
    """A question and its passages as the model reads them."""

    question: str
    passages: str


@dataclass(frozen=True)
class OwnAnswer:
    """The model's own answer from question and passages.

    Attributes:
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
    """The two-player Shapley value, by Captum as in Con-RAG.

    In closed form φ_q = ½[(v(qD) − v(D)) + (v(q) − v(∅))], φ_D = ½[(v(qD) − v(q)) + (v(D) − v(∅))].
    """
    import torch
    from captum.attr import ShapleyValues

    table = torch.tensor([getattr(values, name) for name in COALITIONS], dtype=torch.float64)
    bits = torch.tensor([1, 2])

    def value(masks: torch.Tensor) -> torch.Tensor:
        """Masks [m, 2], 1 if the coalition has the question, or the passages."""
        return table[(masks.long() * bits).sum(1)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one feature a player needs no feature mask
        found = ShapleyValues(value).attribute(
            torch.ones(1, 2, dtype=torch.float64),
            baselines=0.0,
            feature_mask=torch.arange(2)[None],
            perturbations_per_eval=2,
        )
    return Contributions(*found[0].tolist())


def coalitions(passages: int) -> list[tuple[int, ...]]:
    """The places of the passages of every coalition, the empty one first, all of them last.

    Coalition number n has passage i if bit i of n is 1, so a coalition comes after those in it.

    Raises:
        UsageError: There are more than `MOST_PASSAGES`.
    """
    if passages > MOST_PASSAGES:
        raise UsageError(
            f"Contributions of {passages} passages need the values of {2**passages:,} coalitions, "
            f"and at most {MOST_PASSAGES} passages are allowed; read fewer with "
            f"--set retrieval.k={MOST_PASSAGES}."
        )
    return [
        tuple(place for place in range(passages) if number >> place & 1)
        for number in range(2**passages)
    ]


def passage_contributions(values: Sequence[float]) -> tuple[float, ...]:
    """The Shapley value of each passage, one player a passage; the question is always there.

    φ_i = Σ_S |S|! (n − |S| − 1)! / n! · [v(S ∪ i) − v(S)], over the coalitions S without i (Shapley
    1953). An extension of Con-RAG, which has all passages as one player.

    Args:
        values: v of each coalition, in the order of `coalitions`.

    Returns:
        One value a passage; together v(all) − v(none).

    Raises:
        UsageError: There are more than `MOST_PASSAGES` passages.
        ValueError: The number of values is no power of two.
    """
    passages = len(values).bit_length() - 1
    if len(values) != 1 << max(0, passages):
        raise ValueError(f"{len(values)} values are not those of all coalitions")
    coalitions(passages)  # refuses too many
    weights = [
        factorial(size) * factorial(passages - size - 1) / factorial(passages)
        for size in range(passages)
    ]
    return tuple(
        sum(
            weights[number.bit_count()] * (values[number | 1 << passage] - value)
            for number, value in enumerate(values)
            if not number >> passage & 1
        )
        for passage in range(passages)
    )


def shares_of_answer(values: Sequence[float], everything: float) -> Shares:
    """How much of an answer rests on each passage, on others, and on the model alone.

    The players' contributions and v(none) add up to v(players), and the other passages add
    v(all) − v(players). Where no passage misleads, these are the shares. Passages that mislead
    have none, and the shares of what helps shrink so that all still add up to v(all).

    Args:
        values: v of each coalition of the players, in the order of `coalitions`, 0 to 1.
        everything: v(all), of the players and all other passages, 0 to 1.
    """
    contributions = passage_contributions(values)
    others, without = max(0.0, everything - values[-1]), values[0]
    helpful = [max(0.0, contribution) for contribution in contributions]
    whole = sum(helpful) + others + without
    scale = everything / whole if whole else 0.0
    return Shares(
        contributions=contributions,
        passages=tuple(scale * contribution for contribution in helpful),
        others=scale * others,
        without=scale * without,
    )


def needs_retrieval(found: Contributions) -> bool:
    """Con-RAG's label: retrieve if φ_D ≥ φ_q."""
    return found.passages >= found.question
