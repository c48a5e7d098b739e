"""Undoing a merge: the graph is written again, and the names stay apart in every later build."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from building import wait

from hopyard.cli.app import run
from hopyard.indexes.building.report import BuildReport
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.find import extractions
from hopyard.indexes.kinds.entity_graph.resolve import apart
from hopyard.state.errors import IndexBusyError, UsageError
from lab.undo_merges import app, change_merges, refresh, write_apart
from tests.cli.conftest import Run, runner
from tests.indexes.kinds.entity_graph.find.library import SUMMIT
from tests.indexes.kinds.entity_graph.find.library import Library as Built

MERGED = {"kim jong-un": "kim jong un"}
PAIR = ("kim jong un", "kim jong-un")


class Library(Built):
    """An index whose merges are undone."""

    def undo(self, *names: str) -> BuildReport:
        return self._change(lambda: change_merges(self.directory, undo=names))

    def redo(self, *names: str) -> BuildReport:
        return self._change(lambda: change_merges(self.directory, redo=names))

    def _change(self, change: Callable[[], None]) -> BuildReport:
        return wait(refresh(directory=self.directory, change=change))


@pytest.fixture(params=["rules", "model"])
def library(tmp_path: Path, request: pytest.FixtureRequest) -> Library:
    """An index in which one name is merged. The scripted model takes names apart into words."""
    library = Library(tmp_path / "index", request.param)
    if request.param == "model":
        names = ["Kim Jong-un", "Kim Jong Un", "Donald Trump", "Singapore", "Hanoi"]
        library.chat.answers = lambda *_: {"entities": names, "facts": []}
    library.build(SUMMIT)
    assert library.merges == MERGED
    return library


def test_an_undo_writes_the_graph_without_a_model(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(extractions, "extract")
    asked, before = library.asked, library.stats
    report = library.undo("Kim Jong-Un")
    assert (library.merges, library.asked) == ({}, asked)
    assert (report.embedded, report.usage["model_calls"], report.passages) == (0, 0, 3)
    assert library.stats.entities == before.entities + 1
    assert read_manifest(library.directory).generation == 2


def test_a_redo_gives_the_same_files(library: Library) -> None:
    before = library.files
    library.undo("kim jong-un")
    assert library.files != before
    library.redo("Kim Jong Un")  # either name of the pair
    assert library.files == before
    assert apart.read(library.directory) == ()


CHANGES: dict[str, Callable[[Library], object]] = {
    "the same build": lambda library: library.build(SUMMIT),
    "another build": lambda library: library.build([*SUMMIT, Document("d", "Rome", "In Rome.")]),
    "add": lambda library: library.add(Document("d", "More", "Kim Jong-un met Kim Jong Un.")),
    "remove": lambda library: library.remove("c"),
    "remove and add": lambda library: (library.remove("a"), library.add(SUMMIT[0])),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_undo_stays_after_every_change(library: Library, change: str) -> None:
    library.undo("kim jong-un")
    CHANGES[change](library)
    assert library.merges == {}
    assert library.stats.made_with.apart == (PAIR,)


def test_a_pair_whose_names_are_gone_is_harmless(library: Library) -> None:
    library.undo("kim jong-un")
    library.chat.answers = lambda *_: {"entities": ["Rome"], "facts": []}
    library.build([Document("d", "Rome", "It rains in Rome.")])
    assert library.stats.made_with.apart == (PAIR,)
    library.redo("kim jong-un")
    assert apart.read(library.directory) == ()


def test_repeated_commands_change_nothing(library: Library) -> None:
    library.undo("kim jong-un", "Kim Jong-un")
    library.undo("kim jong-un")
    assert read_manifest(library.directory).generation == 2


@pytest.mark.parametrize("back", [False, True])
def test_a_change_that_is_killed_continues(
    library: Library, back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of pairs is written, and the graph is not: what a kill leaves."""
    change = library.redo if back else library.undo
    if back:
        library.undo("kim jong-un")
    with monkeypatch.context() as patch:
        patch.setattr("hopyard.indexes.building.run.BuildRun.finish", _killed)
        with pytest.raises(KeyboardInterrupt):
            change("kim jong-un")
    assert library.merges == ({} if back else MERGED)
    change("kim jong-un")
    assert library.merges == (MERGED if back else {})


async def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_next_build_continues_an_undo_that_was_killed(library: Library) -> None:
    write_apart(library.directory, [PAIR])
    library.build(SUMMIT)
    assert library.merges == {}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Kim Jong", "No merge has the name 'Kim Jong': did you mean kim jong-un?"),
        (
            "Kim Jong Un",
            "Other names are merged into 'Kim Jong Un'; undo one of them: kim jong-un.",
        ),
        ("Hanoi", "No merge has the name 'Hanoi': `hopyard index entities DIR --merged` lists"),
        ("…", "No merge has the name '…': "),
    ],
)
def test_an_unknown_name_is_one_sentence_and_changes_nothing(
    library: Library, name: str, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        library.undo("kim jong-un", name)
    assert library.merges == MERGED
    assert not (library.directory / apart.APART_FILE).exists()


def test_only_names_that_are_apart_can_be_merged_again(library: Library) -> None:
    with pytest.raises(UsageError, match="'kim' is kept apart from no other: --undo NAME keeps"):
        library.redo("kim")
    library.undo("kim jong-un")
    with pytest.raises(UsageError, match=r"did you mean kim jong un or kim jong-un\?$"):
        library.redo("kim")


def test_a_build_that_runs_is_not_disturbed(library: Library) -> None:
    with hold_lock(library.directory), pytest.raises(IndexBusyError):
        library.undo("kim jong-un")
    assert not (library.directory / apart.APART_FILE).exists()


def test_the_file_of_pairs_is_sorted(tmp_path: Path) -> None:
    write_apart(tmp_path, [("b", "a"), ("a", "b"), ("ä", "a")])
    assert json.loads((tmp_path / apart.APART_FILE).read_text()) == [["a", "b"], ["a", "ä"]]


@pytest.fixture
def undoing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `python -m lab.undo_merges ARGUMENTS…`."""
    return runner(partial(run, app), monkeypatch, capsys)


def test_the_command_shows_what_changed(library: Library, undoing: Run) -> None:
    undone = undoing(library.directory, "--undo", "Kim Jong-Un")
    assert "'kim jong-un' is apart from 'kim jong un'" in undone.out
    count = library.stats.entities
    assert f": 1 change; {count} entities, {count - 1} before" in undone.out
    again = undoing(library.directory, "--undo", "Kim Jong-Un", "--json").json
    assert (again["undone"], again["merged"]) == ([], [])
    assert again["apart"] == [list(PAIR)]
    redone = undoing(library.directory, "--redo", "Kim Jong-Un", "--json").json
    [merge] = redone["merged"]
    assert (merge["name"], redone["apart"], redone["entities"]) == ("kim jong-un", [], count - 1)
    ended = undoing(library.directory, "--undo", "Kim Jong")
    assert ended.code == 2
    assert ended.error.startswith("No merge has the name 'Kim Jong': did you mean kim jong-un?")
