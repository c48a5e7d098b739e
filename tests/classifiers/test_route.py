"""The trained route: its choice and its files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from routes import constant_route, write_route

from hopyard.classifiers.route import (
    ROUTE_FILE,
    WEIGHTS_FILE,
    RouteWeights,
    StrategyRoute,
    cheapest_within,
    find_route,
    lasting_route,
)
from hopyard.classifiers.route_features import (
    NAMED,
    Features,
    FirstSearch,
    count_words,
    feature_matrix,
)
from hopyard.state.errors import RouteUnavailableError

TOKENS = {"single": 900.0, "chain": 2000.0, "tree": 4600.0}
PROBABLE = {"single": 0.5, "chain": 0.8, "tree": 0.9}


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
        with pytest.raises(RouteUnavailableError, match="--set route=auto"):
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
