"""The entities that a name means, and which graph `hopyard graph export` writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from building import build
from conftest import WordEmbedder
from typer.testing import CliRunner, Result

from hopyard.cli.graph import commands as command
from hopyard.indexes.arrays.exporting import Export, Link, Node
from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS, IndexKind
from hopyard.state.errors import IndexMissingError, UsageError

from .made_graph import made_index

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_index(tmp_path_factory.mktemp("made") / "index", "entity-graph")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopyard graph ARGUMENTS…`, its errors raised."""
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: CliRunner().invoke(
        command.app, [str(each) for each in arguments], catch_exceptions=False
    )


def look_up(directory: Path, name: str, limit: int = 10, choice: int = 0) -> list[dict[str, Any]]:
    with Index.open(directory) as opened:
        kind, graph = KINDS["entity-graph"], opened.reader("entity-graph")
        found = kind.look_up(graph, name, opened.passages, limit, choice)
    return [hood.plain() for hood in found]


def test_texts_are_in_place_of_rows(index: Path) -> None:
    [told] = look_up(index, "severn")
    assert told["passages"][1] == {
        "id": "bridge",
        "title": "Bridge",
        "name": "Bridge",
        "mentions": 1,
        "sentences": ["The Iron Bridge crosses the Severn."],
    }
    crossing = {"subject": "Iron Bridge", "relation": "crosses", "object": "SEVERN"}
    elements = {"description": "", "strength": None}
    assert {**crossing, "passages": ("bridge",), **elements} in told["facts"]
    assert told["synonyms"] == [{"entity": "Iron Bridge", "cosine": 0.9}]


def test_a_name_of_several_entities_gives_them_all_or_the_chosen(index: Path) -> None:
    several = look_up(index, "darby")
    assert [
        (told["entity"], [each["entity"] for each in told["neighbours"]]) for told in several
    ] == [("Abraham Darby", ["Iron Bridge", "Dudley", "SEVERN"]), ("Darby", ["Zoo"])]
    assert [told["entity"] for told in look_up(index, "darby", choice=2)] == ["Darby"]


def test_errors_are_one_sentence(index: Path) -> None:
    with pytest.raises(UsageError, match="named 'Dudly': did you mean Dudley"):
        look_up(index, "Dudly")
    with pytest.raises(UsageError, match="means 1 entity: choose a number from 1 to 1"):
        look_up(index, "Dudley", choice=2)


def test_the_graph_that_the_index_has_is_exported(run: Run, index: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = json.loads(run("export", index, "--out", out, "--json").stdout)
    assert Path(told.pop("file")).stat().st_size
    assert told == {
        "graph": "entity-graph",
        "passages": 5,
        "entities": 7,
        "mentions": 11,
        "facts": 5,
        "synonyms": 2,
    }
    shown = run("export", index, "--out", out).stdout
    assert "5 passages, 7 entities, 11 mentions, 5 facts, 2 synonyms" in shown
    with pytest.raises(IndexMissingError, match="no passage-graph part"):
        run("export", index, "--out", out, "--graph", "passage-graph")


class Neighbours(IndexKind):
    """A plug-in: each passage leads to the next."""

    name = "neighbours"
    about = "Each passage leads to the next."

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        return {}

    def open(self, directory: Path) -> list[str]:
        return ["NEXT"]

    def export(self, reader: Callable[[str], Any], passages: Iterable[Passage]) -> Export:
        ids = [passage.id for passage in passages]
        assert (reader(self.name), reader("communities")) == (["NEXT"], None)
        return Export(
            nodes=[Node(name, {}) for name in ids],
            links=[Link(*pair, {}) for pair in pairwise(ids)],
            counts={"step": len(ids) - 1},
        )


def test_the_first_graph_of_the_index_is_exported_a_plug_ins_too(run: Run, tmp_path: Path) -> None:
    documents = [Document(id=name, text=name, title=name) for name in ("a", "b", "c")]
    export = ("export", tmp_path / "i", "--out", tmp_path / "g", "--json")
    with KINDS.registered(Neighbours()):
        build(documents, directory=tmp_path / "i", embedder=WordEmbedder(), kinds=["sparse"])
        with pytest.raises(IndexMissingError, match="entity-graph"):
            run(*export)
        with pytest.raises(UsageError, match="'sparse' is not a graph"):
            run(*export, "--graph", "sparse")
        kinds = ["sparse", "neighbours"]
        build(documents, directory=tmp_path / "i", embedder=WordEmbedder(), kinds=kinds)
        told = json.loads(run(*export).stdout)
    assert (told["graph"], told["passages"], told["steps"]) == ("neighbours", 3, 2)
