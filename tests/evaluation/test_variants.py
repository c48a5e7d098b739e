"""The strategies, searches and settings that names mean."""

from __future__ import annotations

import pytest

from hopyard.evaluation.variants import BASELINES, every_variant, parse_variants, sweep_names
from hopyard.graphs import strategies
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context, RetrievalSettings
from hopyard.state.strategy import STRATEGIES, Strategy
from hopyard.state.tree import TreeSettings


def test_every_strategy_and_every_baseline_is_there() -> None:
    names = every_variant()
    shown = {name for name, strategy in STRATEGIES.items() if not strategy.baseline}
    assert set(names) == shown | {"auto", *BASELINES}
    assert {*STRATEGIES} - shown == strategies.BASELINES
    assert len(names) == len(set(names))
    assert names.index("single") < names.index("tree") < names.index("auto")
    for variant in parse_variants(names, sweep_names()):
        assert variant.apply_to(Context()).strategy == variant.strategy
        assert variant.about


def test_a_strategy_of_a_package_is_evaluated_with_the_sweeps_of_its_record() -> None:
    leap = Strategy("leap", "Leaps.", graph="leap:graph", sweeps={"far": ("leap@tree.theta=0.1",)})
    STRATEGIES.register(leap)
    try:
        assert "leap" in every_variant()
        assert [variant.name for variant in parse_variants(["leap"], ["far"])] == [
            "leap", "leap@tree.theta=0.1",
        ]  # fmt: skip
    finally:
        STRATEGIES.unregister("leap")


@pytest.mark.parametrize(
    ("name", "strategy", "method"),
    [
        ("bm25", "single", "sparse"),
        ("dense", "single", "dense"),
        ("hybrid", "single", "hybrid"),
        ("single", "single", "hybrid"),
        ("rerank", "single", "rerank"),
        ("tree+passage-graph", "tree", "passage-graph"),
        ("auto+sparse", "auto", "sparse"),
    ],
)
def test_baselines_differ_in_their_search(name: str, strategy: str, method: str) -> None:
    [variant] = parse_variants([name])
    applied = variant.apply_to(Context())
    assert (applied.strategy, applied.retrieval.method) == (strategy, method)
    assert applied.retrieval == RetrievalSettings(method=method)


def test_settings_are_changed_by_name() -> None:
    name = "tree+sparse@tree.theta=0.6@tree.max_depth=2@retrieval.k=3"
    [variant] = parse_variants([name])
    applied = variant.apply_to(Context(tree={"theta": 0.1, "max_depth": 1}))
    assert TreeSettings.of(applied) == TreeSettings(theta=0.6, max_depth=2)
    assert applied.retrieval == RetrievalSettings(method="sparse", k=3)
    assert variant.name == name


def test_each_is_evaluated_once() -> None:
    variants = parse_variants(["tree", "single", "tree"], ["depth", "depth"])
    names = [variant.name for variant in variants]
    assert names == ["tree", "single", *(f"tree@tree.max_depth={depth}" for depth in (1, 2, 3, 4))]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("forest", "tree"),
        ("", "tree"),
        ("tree+forest", "passage-graph"),
        ("tree+", "passage-graph"),
        ("bm25+dense", "baselines bm25"),
        ("direct+sparse", "does not search"),
        ("tree@theta", "SETTING=VALUE"),
        ("auto@", "SETTING=VALUE"),
    ],
)
def test_an_unusable_name_is_told(name: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_variants([name])
    assert told in str(raised.value)


@pytest.mark.parametrize(
    "name", ["tree@tree.thta=1", "tree@tree.theta=7", "tree@model.x=1", "tree@three.theta=1"]
)
def test_an_unusable_setting_is_told(name: str) -> None:
    [variant] = parse_variants([name])
    with pytest.raises(UsageError, match="tree@"):
        variant.apply_to(Context())


def test_an_unknown_sweep_is_told() -> None:
    with pytest.raises(UsageError) as raised:
        parse_variants([], ["width"])
    assert all(name in str(raised.value) for name in ("depth", "theta", "hops"))


def test_a_baseline_is_the_search_that_it_is_short_for() -> None:
    for name, full in BASELINES.items():
        short, long = parse_variants([name, full])
        assert (short.strategy, short.settings) == (long.strategy, long.settings)
