"""What a route learns from recorded answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.classifiers.route_features import Features, FirstSearch, feature_matrix
from hopyard.state.errors import UsageError
from lab.route.adaptive_rag import classes_of, train_adaptive
from lab.route.outcomes import Answered, Outcome
from lab.route.temperature import best_temperature, negative_log_likelihood
from lab.route.training import RouteTraining, fit_weights, fold_of, train

TOKENS = {"single": 900.0, "chain": 2000.0, "tree": 4600.0}
TRAINING = RouteTraining("m", "e", ("single", "chain"))


def features(
    question: str = "Who?", near: float = 0.0, vector: tuple[float, ...] = (1, 0)
) -> Features:
    return Features(question, np.array(vector, np.float32), FirstSearch(cosine=near))


def asked(near: bool, number: int, right: tuple[bool, bool] | None = None) -> Answered:
    """A question that `single` answers if the first search found something near."""
    single, chain = right or (near, True)
    outcomes = {
        "single": Outcome(float(single), single, 900, 1),
        "chain": Outcome(float(chain), chain, 1100 if near else 2500, 1 if near else 2),
    }
    return Answered("bridges", f"q{number}", "Who?", outcomes)


NEAR = [number % 2 == 0 for number in range(60)]
ANSWERED = [asked(near, number) for number, near in enumerate(NEAR)]
FEATURES = [features(near=0.8 if near else 0.2) for near in NEAR]


class TestTraining:
    def test_it_learns_what_the_first_search_tells(self) -> None:
        trained = train(ANSWERED, FEATURES, TRAINING)
        manifest = trained.route.manifest
        assert trained.best == "chain"
        assert list(trained.chosen) == ["single" if near else "chain" for near in NEAR]
        assert manifest.validation["route"] == {"f1": 1.0, "tokens": 1700.0}
        assert manifest.validation["always_best"] == {"f1": 1.0, "tokens": 1800.0}
        assert manifest.labels == {"single": 30, "chain": 30}
        assert manifest.tokens == {"single": 900.0, "chain": 1800.0}
        assert manifest.training["log_loss"] < manifest.training["log_loss_constant"]
        for near, name in ((0.8, "single"), (0.2, "chain")):
            choice = trained.route.choose(features(near=near), TOKENS)
            assert choice is not None
            assert choice.strategy == name
            assert choice.probability > 0.9

    def test_where_nothing_can_be_told_it_takes_the_best(self) -> None:
        draws = np.random.default_rng(3).random(len(NEAR)) < 0.5
        answered = [
            asked(near, number, (bool(draw), True))
            for number, (near, draw) in enumerate(zip(NEAR, draws, strict=True))
        ]
        trained = train(answered, FEATURES, TRAINING)
        assert trained.route.manifest.validation["route"]["f1"] >= 0.99

    def test_it_is_repeatable(self) -> None:
        one, other = (train(ANSWERED, FEATURES, TRAINING) for _ in range(2))
        assert one.route.manifest == other.route.manifest
        assert (one.route.weights.weights == other.route.weights.weights).all()

    def test_too_few_questions_or_strategies(self) -> None:
        with pytest.raises(UsageError, match="19 questions"):
            train(ANSWERED[:19], FEATURES[:19], TRAINING)
        with pytest.raises(UsageError, match="at least two"):
            train(ANSWERED, FEATURES, TRAINING._replace(strategies=("chain",)))

    def test_without_its_weight_the_vector_does_not_count(self) -> None:
        inputs = feature_matrix([features(vector=(float(near), 0.0)) for near in NEAR])
        right = np.array([[near] for near in NEAR])
        logits = fit_weights(inputs, right, 1.0, 0.0).logits(inputs)[:, 0]
        assert np.ptp(logits) == 0
        logits = fit_weights(inputs, right, 1.0, 4.0).logits(inputs)[:, 0]
        assert (logits > 0).tolist() == NEAR

    @given(st.integers(1, 200))
    def test_folds_are_of_about_the_same_size(self, count: int) -> None:
        sizes = np.bincount(fold_of(count))
        assert sizes.sum() == count
        assert sizes.max() - sizes.min() <= 1

    def test_adaptive_rags_classifier_learns_its_classes(self) -> None:
        classes = classes_of(ANSWERED, ("single", "chain"))
        assert classes == {"B": "single", "C": "chain"}
        found = train_adaptive(ANSWERED, FEATURES, classes)
        assert list(found.labels) == ["B" if near else "C" for near in NEAR]
        assert found.choose(FEATURES) == ["single" if near else "chain" for near in NEAR]


def test_a_temperature_makes_the_logits_fit_the_shares() -> None:
    # Three of four are right at logit 4: the most likely logit is log(3).
    temperature = best_temperature([4.0] * 4, [1, 1, 1, 0])
    assert 4 / temperature == pytest.approx(np.log(3), abs=1e-3)
    assert negative_log_likelihood([0.0, 0.0], [0, 1]) == pytest.approx(np.log(2))
