"""What stands behind the name of a strategy."""

from __future__ import annotations

import pytest

from hopyard.evaluation.variants import ALL, SWEEPS, parse_variants
from hopyard.state.errors import UsageError
from hopyard.state.settings import STRATEGIES, Context


def test_every_strategy_and_every_baseline_is_there() -> None:
    assert set(STRATEGIES) | {"auto", "bm25", "dense", "hybrid"} <= set(ALL)
    for variant in parse_variants(ALL, SWEEPS):
        applied = variant.applied(Context())
        assert applied.strategy == variant.strategy


@pytest.mark.parametrize(
    ("name", "strategy", "method"),
    [
        ("bm25", "single", "sparse"),
        ("dense", "single", "dense"),
        ("hybrid", "single", "hybrid"),
        ("single", "single", "mmr"),
        ("decompose", "decompose", "dense"),
        ("rerank", "rerank", "dense"),
    ],
)
def test_baselines_differ_in_their_search(name: str, strategy: str, method: str) -> None:
    [variant] = parse_variants([name])
    applied = variant.applied(Context())
    assert (applied.strategy, applied.retrieval.method) == (strategy, method)
    assert applied.retrieval.k == Context().retrieval.k


def test_settings_are_changed_by_name() -> None:
    [variant] = parse_variants(["tree@tree.theta=0.6@tree.judge=false"])
    applied = variant.applied(Context())
    assert (applied.tree.theta, applied.tree.judge) == (0.6, False)
    assert variant.name == "tree@tree.theta=0.6@tree.judge=false"


def test_each_is_evaluated_once() -> None:
    names = [one.name for one in parse_variants(["tree", "single", "tree"], ["depth", "depth"])]
    assert names == ["tree", "single", *(f"tree@tree.max_depth={one}" for one in (1, 2, 3, 4))]


@pytest.mark.parametrize("name", ["forest", "", "tree@theta", "auto@"])
def test_an_unknown_name_is_told(name: str) -> None:
    with pytest.raises(UsageError):
        parse_variants([name])


@pytest.mark.parametrize("name", ["tree@tree.thta=1", "tree@tree.theta=7", "tree@model.x=1"])
def test_an_unusable_setting_is_told(name: str) -> None:
    [variant] = parse_variants([name])
    with pytest.raises(UsageError, match="tree@"):
        variant.applied(Context())


def test_an_unknown_sweep_is_told() -> None:
    with pytest.raises(UsageError, match="depth, theta, hops"):
        parse_variants([], ["width"])
