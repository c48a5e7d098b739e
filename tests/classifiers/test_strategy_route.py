"""The trained route: its choice, its files, and what it learns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from routes import constant_route, write_route

from hopyard.classifiers.adaptive_rag import classes_of, train_adaptive
from hopyard.classifiers.strategy_features import NAMED, Features, FirstSearch, feature_matrix
from hopyard.classifiers.strategy_outcomes import Answered, Outcome
from hopyard.classifiers.strategy_route import (
    ROUTE_FILE,
    WEIGHTS_FILE,
    RouteWeights,
    StrategyRoute,
    cheapest_within,
    find_route,
    lasting_route,
)
from hopyard.classifiers.strategy_train import RouteTraining, fit_weights, fold_of, train
from hopyard.classifiers.temperature import best_temperature, negative_log_likelihood
from hopyard.measures.question_words import count_words
from hopyard.state.errors import RouteUnavailableError, UsageError

TOKENS = {"single": 900.0, "chain": 2000.0, "tree": 4600.0}
PROBABLE = {"single": 0.5, "chain": 0.8, "tree": 0.9}
TRAINING = RouteTraining("m", "e", ("single", "chain"))


def features(
    question: str = "Who?", near: float = 0.0, vector: tuple[float, ...] = (1, 0)
) -> Features:
    return Features(question, np.array(vector, np.float32), FirstSearch(cosine=near))


class TestChoice:
    @pytest.mark.parametrize(
        ("margin", "chosen"), [(0.0, "tree"), (0.1, "chain"), (0.39, "chain"), (0.4, "single")]
    )
    def test_the_cheapest_within_the_margin(self, margin: float, chosen: str) -> None:
        assert cheapest_within(PROBABLE, TOKENS, margin + 1e-9) == chosen

    @given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0, 1), st.floats(0, 1))
    def test_a_wider_margin_is_never_dearer(
        self, values: list[float], one: float, other: float
    ) -> None:
        probabilities = dict(zip(TOKENS, values, strict=True))
        narrow, wide = (
            cheapest_within(probabilities, TOKENS, margin) for margin in sorted((one, other))
        )
        assert TOKENS[wide] <= TOKENS[narrow]
        assert probabilities[narrow] >= max(values) - max(one, other)

    def test_only_what_is_offered(self) -> None:
        route = constant_route(PROBABLE, dimension=2)
        choice = route.choose(features(), ["single", "chain", "hop"])
        assert choice is not None
        assert (choice.strategy, round(choice.probability, 6)) == ("chain", 0.8)
        assert choice.reason == (
            "P(right): single 0.50, chain 0.80; the cheapest within 0.10 of the best"
        )
        assert route.choose(features(), ["hop"]) is None

    def test_probabilities_by_hand(self) -> None:
        weights = RouteWeights(
            center=np.array([1.0, 0.0]),
            scale=np.array([2.0, 1.0]),
            weights=np.array([[3.0, 1.0]]),
            biases=np.array([-1.0]),
            temperatures=np.array([2.0]),
        )
        row = np.array([[2.0, 0.5]])  # 3 · (2 − 1) / 2 + 0.5 − 1 = 1
        assert weights.logits(row) == pytest.approx(1.0)
        assert weights.probabilities(row) == pytest.approx(1 / (1 + np.exp(-0.5)))


class TestFiles:
    def test_it_is_loaded_as_it_was_saved(self, tmp_path: Path) -> None:
        made = constant_route(PROBABLE, dimension=2)
        made.save(tmp_path / "route")
        loaded = StrategyRoute.load(tmp_path / "route")
        assert loaded.manifest == made.manifest
        assert loaded.probabilities(features()) == pytest.approx(PROBABLE)
        assert sorted(path.name for path in (tmp_path / "route").iterdir()) == [
            ROUTE_FILE,
            WEIGHTS_FILE,
        ]

    def test_what_is_missing_or_damaged_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(RouteUnavailableError, match="--route auto"):
            find_route(str(tmp_path))
        folder = write_route(tmp_path / "route", PROBABLE)
        (folder / WEIGHTS_FILE).write_bytes(b"no arrays")
        with pytest.raises(RouteUnavailableError, match=r"damaged .*weights\.npz"):
            StrategyRoute.load(folder)
        np.savez(folder / WEIGHTS_FILE, weights=np.array([{}], dtype=object))
        with pytest.raises(RouteUnavailableError, match="damaged"):
            StrategyRoute.load(folder)

    @pytest.mark.parametrize(
        ("name", "value", "told"),
        [
            ("format", 2, "another version"),
            ("features", ["words"], "another version"),
            ("margin", 2, "damaged"),
            ("tokens", {}, "damaged"),
            ("strategies", ["single"], "not usable"),
        ],
    )
    def test_a_manifest_that_does_not_fit(
        self, tmp_path: Path, name: str, value: object, told: str
    ) -> None:
        folder = write_route(tmp_path / "route", PROBABLE)
        content = json.loads((folder / ROUTE_FILE).read_text())
        (folder / ROUTE_FILE).write_text(json.dumps(content | {name: value}))
        with pytest.raises(RouteUnavailableError, match=told):
            StrategyRoute.load(folder)

    def test_the_setting_is_valid_from_every_folder(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert lasting_route("route") == str(tmp_path / "route")
        assert [lasting_route(name) for name in ("auto", "model")] == ["auto", "model"]


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


def test_the_words_of_a_question() -> None:
    counts = count_words(
        "In which city was the director of The Jewel of the Nile by Ada born, in 1949?"
    )
    assert counts == (17, 2, 1, 1, 3, 0)
    assert count_words("Are the Seine and the Loire both longer than the Amazon?").choices == 2
    assert count_words("Anna's what?") == (2, 0, 0, 0, 1, 0)


def test_the_columns_are_the_named_ones_and_then_the_vector() -> None:
    [row] = feature_matrix([features("Who is Ada Lovelace?", near=0.7, vector=(0.6, 0.8))])
    named = dict(zip(NAMED, row, strict=False))
    assert len(row) == len(NAMED) + 2
    assert named["words"] == pytest.approx(np.log(5))
    assert (named["names"], named["cosine"]) == (1.0, 0.7)
    assert row[-2:] == pytest.approx([0.6, 0.8])


def test_a_temperature_makes_the_logits_fit_the_shares() -> None:
    # Three of four are right at logit 4: the most likely logit is log(3).
    temperature = best_temperature([4.0] * 4, [1, 1, 1, 0])
    assert 4 / temperature == pytest.approx(np.log(3), abs=1e-3)
    assert negative_log_likelihood([0.0, 0.0], [0, 1]) == pytest.approx(np.log(2))
