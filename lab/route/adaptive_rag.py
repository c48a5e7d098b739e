"""Adaptive-RAG's classifier over Hopyard's features, to compare the trained route with.

Jeong et al., "Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models through
Question Complexity", 2024. The paper trains a T5 on such labels; this is a logistic regression for
each class over the features of `classifiers.route_features`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hopyard.classifiers.route import RouteWeights
from hopyard.classifiers.route_features import Features, feature_matrix
from lab.route.outcomes import (
    COMPLEXITIES,
    Answered,
    Complexity,
    adaptive_label,
    best_strategy,
)
from lab.route.training import choose_strength, fit_weights

__all__ = ("NO_RETRIEVAL", "AdaptiveRag", "classes_of", "train_adaptive")

NO_RETRIEVAL: Final = "direct"
ONE_SEARCH: Final = "single"


@dataclass(frozen=True)
class AdaptiveRag:
    """The trained classifier.

    Attributes:
        classes: The strategy of each class.
        weights: A row for each of `COMPLEXITIES`.
        labels: The labels that it learned, in the order of the questions.
    """

    classes: Mapping[Complexity, str]
    weights: RouteWeights
    labels: tuple[Complexity, ...]

    def choose(self, features: Sequence[Features]) -> list[str]:
        """The strategy of the most probable class of each question."""
        logits = self.weights.logits(feature_matrix(features))
        missing = [index for index, name in enumerate(COMPLEXITIES) if name not in self.classes]
        logits[:, missing] = -np.inf
        return [self.classes[COMPLEXITIES[index]] for index in logits.argmax(axis=1)]


def classes_of(answered: Sequence[Answered], names: Collection[str]) -> dict[Complexity, str]:
    """The strategy of each class: direct, single, and the best of the others.

    Args:
        answered: Questions that chose the best.
        names: Strategies that answered them; a class without one is left out.
    """
    found: dict[Complexity, str] = {}
    if NO_RETRIEVAL in names:
        found["A"] = NO_RETRIEVAL
    if ONE_SEARCH in names:
        found["B"] = ONE_SEARCH
    others = [name for name in names if name not in {NO_RETRIEVAL, ONE_SEARCH}]
    if others:
        found["C"] = best_strategy(answered, others)
    return found


def train_adaptive(
    answered: Sequence[Answered],
    features: Sequence[Features],
    classes: Mapping[Complexity, str],
    single_hop: Collection[str] = (),
) -> AdaptiveRag:
    """Label the questions as the paper does, and fit a classifier.

    Args:
        answered: Questions.
        features: Of the same questions, in the same order.
        classes: The strategy of each class.
        single_hop: Sets of single-hop questions: one that nobody answers is B there, else C.
    """
    labels = tuple(
        adaptive_label(each, classes, "B" if each.set in single_hop else "C") for each in answered
    )
    of_class = np.array([[label == name for name in COMPLEXITIES] for label in labels])
    inputs = feature_matrix(features)
    return AdaptiveRag(
        classes, fit_weights(inputs, of_class, *choose_strength(inputs, of_class)), labels
    )
