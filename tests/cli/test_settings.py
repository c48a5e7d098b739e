"""`hopyard settings`, and flags as settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.cli.options import context_from
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context, setting_groups
from hopyard.state.tree import TreeSettings

from .conftest import Run


def test_every_setting_is_printed_as_json(hopyard: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOPYARD_PROFILE", "HOPYARD_GATE"):
        monkeypatch.delenv(name)
    groups = {name: group().model_dump(mode="json") for name, group in setting_groups().items()}
    assert hopyard("settings", "--json").json == Context().model_dump(mode="json") | groups
    assert groups["tree"]["theta"] == 0.4


def test_every_setting_is_listed_with_its_meaning(hopyard: Run) -> None:
    shown = hopyard("settings").out
    for name in ("model", "retrieval.k", "tree.theta", "budget.calls"):
        assert name in shown


def test_the_file_and_the_environment_are_read(
    hopyard: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "hopyard.toml").write_text("seed = 1\n[tree]\ntheta = 0.1\nmax_depth = 1\n")
    monkeypatch.setenv("HOPYARD_TREE__THETA", "0.2")
    settings = hopyard("settings", "--json").json
    assert settings["seed"] == 1
    assert (settings["tree"]["theta"], settings["tree"]["max_depth"]) == (0.2, 1)


@pytest.mark.parametrize("text", ["thta = 1\n", "[tree\n"])
def test_an_unusable_file_ends_every_command_with_2(hopyard: Run, folder: Path, text: str) -> None:
    (folder / "hopyard.toml").write_text(text)
    for command in (["settings"], ["ask", "Who?"], ["doctor"]):
        ended = hopyard(*command)
        assert (ended.code, ended.out) == (2, "")
        assert ended.error


def test_flags_come_before_everything(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "hopyard.toml").write_text("[retrieval]\nk = 1\nsnippet_tokens = 110\n")
    monkeypatch.setenv("HOPYARD_RETRIEVAL__K", "2")
    assert context_from({"retrieval.k": None}).retrieval.k == 2
    context = context_from({"retrieval.k": 3, "index": None})
    assert (context.retrieval.k, context.retrieval.snippet_tokens) == (3, 110)


def test_a_pair_comes_before_its_flag() -> None:
    assert context_from({"retrieval.k": 3}, ["retrieval.k=4"]).retrieval.k == 4


@pytest.mark.parametrize(
    ("pair", "name", "value"),
    [
        ("model=ollama:llama3.1:8b", "model", "ollama:llama3.1:8b"),
        ("index=a=b", "index", "a=b"),
        ("index=", "index", ""),
        ("temperature=0.5", "temperature", 0.5),
        ("concurrency=4", "concurrency", 4),
        ("index=true", "index", "true"),
        ("index=2024", "index", "2024"),
        ("index=null", "index", "null"),
    ],
)
def test_a_pairs_value_is_read_as_the_setting_wants_it(pair: str, name: str, value: object) -> None:
    assert getattr(context_from({}, [pair]), name) == value


@pytest.mark.parametrize("pairs", [['tree={"theta": 0.5}'], ["tree.theta=0.5"]])
def test_a_group_is_set_whole_or_in_part(pairs: list[str]) -> None:
    assert TreeSettings.of(context_from({}, pairs)) == TreeSettings(theta=0.5)


@pytest.mark.parametrize(
    "pairs", [["tree=1", "tree.theta=0.5"], ["tree={x}"], ["tree={}", "tree.x=1"]]
)
def test_a_setting_is_a_group_or_a_value(pairs: list[str]) -> None:
    with pytest.raises(UsageError):
        context_from({}, pairs)
