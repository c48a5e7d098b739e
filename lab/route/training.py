"""Train a route on questions that several strategies have answered.

A logistic regression for each strategy predicts whether it answers rightly. Regularisation and the
weight of the sentence vector are chosen by cross-validated log loss, temperatures and margin on the
cross-validated logits: no question is judged by a model that was trained on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.classifiers.route import (
    RouteManifest,
    RouteWeights,
    StrategyRoute,
    cheapest_within,
)
from hopyard.classifiers.route_features import NAMED, Features, feature_matrix
from hopyard.state.errors import UsageError
from lab.route.outcomes import Answered, best_strategy, silver_label
from lab.route.temperature import best_temperature, negative_log_likelihood

__all__ = (
    "LEAST_QUESTIONS",
    "RouteTraining",
    "TrainedRoute",
    "choose_strength",
    "fit_weights",
    "fold_of",
    "train",
)

LEAST_QUESTIONS: Final = 20
FOLDS: Final = 5
SEED: Final = 7
STRENGTHS: Final = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Inverse regularisation: small values keep weights small."""
VECTOR_SCALES: Final = (0.0, 1.0, 4.0)
"""Weights of the sentence vector beside features of variance 1; 0 leaves it out."""
MARGINS: Final = tuple(round(step * 0.02, 2) for step in range(51))
_MOST_LOGIT: Final = 4.0
"""Of a strategy that was always right, or always wrong: no few questions prove more than 98 %."""

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class RouteTraining(NamedTuple):
    """The models and strategies of a route.

    Attributes:
        model: The chat model that answered.
        embedding: The embedding model of the sentence vectors.
        strategies: To choose among.
        loss: The F1 that the route may lose to the best strategy alone, 0 to 1.
    """

    model: str
    embedding: str
    strategies: tuple[str, ...]
    loss: float = 0.01


@dataclass(frozen=True)
class TrainedRoute:
    """A route, and what it chose for each question while it had not been trained on it.

    Attributes:
        route: Trained on all questions.
        chosen: The cross-validated choice for each question.
        best: The strategy with the highest mean F1.
    """

    route: StrategyRoute
    chosen: tuple[str, ...]
    best: str


def train(
    answered: Sequence[Answered], features: Sequence[Features], training: RouteTraining
) -> TrainedRoute:
    """Train a route.

    Args:
        answered: n questions that every strategy answered.
        features: Of the same questions, in the same order.
        training: Its models and strategies.

    Raises:
        UsageError: There are too few questions, or fewer than two strategies.
    """
    names = training.strategies
    if len(names) < 2:
        raise UsageError("A route chooses between strategies; name at least two.")
    if len(answered) < LEAST_QUESTIONS:
        raise UsageError(
            f"There are {len(answered)} questions that all of {', '.join(names)} answered, and "
            f"training needs at least {LEAST_QUESTIONS}; run `hopyard eval` on more."
        )
    inputs = feature_matrix(features)
    right = np.array([[each.outcomes[name].right for name in names] for each in answered])
    strength, vector = choose_strength(inputs, right)
    held_out = _held_out_logits(inputs, right, strength, vector)
    temperatures = np.array(
        [_temperature(*column) for column in zip(held_out.T, right.T, strict=True)]
    )
    probabilities = (1 + np.tanh(held_out / temperatures / 2)) / 2
    tokens = {name: fmean(each.outcomes[name].tokens for each in answered) for name in names}
    best = best_strategy(answered, names)
    margin, chosen = _choose_margin(answered, probabilities, tokens, best, training)
    fitted = fit_weights(inputs, right, strength, vector)
    weights = RouteWeights(fitted.center, fitted.scale, fitted.weights, fitted.biases, temperatures)
    manifest = RouteManifest(
        model=training.model,
        embedding=training.embedding,
        strategies=names,
        tokens={name: round(value, 1) for name, value in tokens.items()},
        features=NAMED,
        margin=margin,
        questions=dict(Counter(each.set for each in answered)),
        labels=dict(Counter(silver_label(each, names) or "" for each in answered)),
        training={
            "strength": strength,
            "vector_scale": vector,
            "loss": training.loss,
            "log_loss": round(_log_loss(held_out, right), 4),
            "log_loss_constant": round(_log_loss(_constant_logits(right), right), 4),
        },
        validation=_validation(answered, chosen, best),
    )
    return TrainedRoute(StrategyRoute(manifest, weights), tuple(chosen), best)


def fold_of(count: int) -> npt.NDArray[np.int64]:
    """The fold of each of `count` questions, in a seeded random order."""
    folds = np.arange(count) % min(FOLDS, count)
    return np.random.default_rng(SEED).permutation(folds)


def fit_weights(inputs: Floats, right: Bools, strength: float, vector: float) -> RouteWeights:
    """Fit a logistic regression for each strategy, with temperatures of 1.

    The named features are scaled to variance 1. The sentence vector is centred and scaled as a
    whole, so that its length, not each of its coordinates, counts as one feature of weight
    `vector`.

    Args:
        inputs: [n, d].
        right: [n, s].
        strength: Inverse regularisation.
        vector: Weight of the sentence vector; 0 leaves it out.
    """
    center = inputs.mean(axis=0)
    scale = inputs.std(axis=0)
    named, rest = slice(0, len(NAMED)), slice(len(NAMED), None)
    scale[named] = np.where(scale[named] > 0, scale[named], 1.0)
    spread = float(np.sqrt((scale[rest] ** 2).sum()))
    scale[rest] = spread / vector if vector and spread else 1.0
    scaled = (inputs - center) / scale
    if not vector:
        scaled[:, rest] = 0.0
    fitted = [_fit(scaled, column, strength) for column in right.T]
    weights, biases = (np.array(part) for part in zip(*fitted, strict=True))
    return RouteWeights(center, scale, weights, biases, np.ones(len(biases)))


def _fit(scaled: Floats, right: Bools, strength: float) -> tuple[Floats, float]:
    """Weights [d] and bias of one strategy; no weights where it was always right or wrong."""
    from sklearn.linear_model import LogisticRegression

    if right.all() or not right.any():
        return np.zeros(scaled.shape[1]), _constant_logit(right)
    model: Any = LogisticRegression(C=strength, max_iter=1000).fit(scaled, right)
    return model.coef_[0].astype(np.float64), float(model.intercept_[0])


def _constant_logit(right: Bools) -> float:
    """The logit of the share that is right, as if one more were right and one more wrong."""
    share = (right.sum() + 1) / (right.size + 2)
    return float(np.clip(np.log(share / (1 - share)), -_MOST_LOGIT, _MOST_LOGIT))


def _held_out_logits(inputs: Floats, right: Bools, strength: float, vector: float) -> Floats:
    """The logits [n, s] of each question by weights that were fitted without it."""
    logits = np.empty(right.shape)
    folds = fold_of(len(inputs))
    for fold in np.unique(folds):
        rest, held = folds != fold, folds == fold
        fitted = fit_weights(inputs[rest], right[rest], strength, vector)
        logits[held] = fitted.logits(inputs[held])
    return logits


def _constant_logits(right: Bools) -> Floats:
    """The same for a route that only knows how often each strategy is right."""
    logits = np.empty(right.shape)
    folds = fold_of(len(right))
    for fold in np.unique(folds):
        logits[folds == fold] = [_constant_logit(column) for column in right[folds != fold].T]
    return logits


def _log_loss(logits: Floats, right: Bools) -> float:
    return fmean(negative_log_likelihood(*column) for column in zip(logits.T, right.T, strict=True))


def choose_strength(inputs: Floats, right: Bools) -> tuple[float, float]:
    """The inverse regularisation and the weight of the vector with the least log loss."""

    def loss(pair: tuple[float, float]) -> float:
        return _log_loss(_held_out_logits(inputs, right, *pair), right)

    return min(product(STRENGTHS, VECTOR_SCALES), key=loss)


def _temperature(logits: Floats, right: Bools) -> float:
    """The temperature of one strategy; 1 where nothing can be learned from it."""
    if right.all() or not right.any():
        return 1.0
    return best_temperature(logits, right)


def _choose_margin(
    answered: Sequence[Answered],
    probabilities: Floats,
    tokens: dict[str, float],
    best: str,
    training: RouteTraining,
) -> tuple[float, list[str]]:
    """The margin that costs least and loses at most `training.loss`; else the best F1's."""
    aim = fmean(each.outcomes[best].f1 for each in answered) - training.loss
    found = []
    for margin in MARGINS:
        chosen = [
            cheapest_within(dict(zip(training.strategies, row, strict=True)), tokens, margin)
            for row in probabilities.tolist()
        ]
        outcomes = [each.outcomes[name] for each, name in zip(answered, chosen, strict=True)]
        f1 = fmean(outcome.f1 for outcome in outcomes)
        cost = fmean(outcome.tokens for outcome in outcomes)
        # Enough F1 first, then the fewer tokens; without enough F1 the most of it.
        rank = (0.0, cost) if f1 >= aim - 1e-9 else (1.0, -f1)
        found.append((rank, margin, chosen))
    _, margin, chosen = min(found, key=lambda each: (each[0], each[1]))
    return margin, chosen


def _validation(answered: Sequence[Answered], chosen: Sequence[str], best: str) -> dict[str, Any]:
    def means(names: Sequence[str]) -> dict[str, float]:
        outcomes = [each.outcomes[name] for each, name in zip(answered, names, strict=True)]
        return {
            "f1": round(fmean(outcome.f1 for outcome in outcomes), 4),
            "tokens": round(fmean(outcome.tokens for outcome in outcomes), 1),
        }

    return {
        "best": best,
        "always_best": means([best] * len(answered)),
        "route": means(chosen),
        "chosen": dict(Counter(chosen)),
    }
