"""`hopyard graph show` and the page of an entity, and which graph `hopyard graph export` writes."""

from __future__ import annotations

import json
import re
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


def test_the_terminal_shows_the_neighbourhood(run: Run, index: Path) -> None:
    lines = [line.strip(" ─") for line in run("show", index, "IRON bridge").stdout.splitlines()]
    assert lines == [
        "Iron Bridge",
        "iron bridge · 2 mentions, 2 passages, 3 neighbours, 2 facts, 2 synonyms",
        "passages",
        "Bridge  1 mention",
        "“The Iron Bridge crosses the Severn.”",
        "Darby  1 mention",
        "“Abraham Darby built the Iron Bridge.”",
        "named beside it",
        "Abraham Darby  1 sentence, 2 passages",
        "SEVERN  1 sentence, 1 passage",
        "Dudley  1 passage",
        "facts",
        "Abraham Darby built Iron Bridge  Bridge and 1 more",
        "Iron Bridge crosses SEVERN  Bridge",
        "synonyms",
        "SEVERN  0.90",
        "Dudley  0.81",
    ]


def test_a_limit_says_how_many_more(run: Run, index: Path) -> None:
    shown = run("show", index, "Iron Bridge", "--limit", 1).stdout
    assert re.findall(r"and \d+ more$", shown, re.MULTILINE) == [
        "and 1 more",
        "and 2 more",
        "and 1 more",  # the fact's passages
        "and 1 more",
        "and 1 more",
    ]


def test_json_has_texts_in_place_of_rows(run: Run, index: Path) -> None:
    told = json.loads(run("show", index, "severn", "--json").stdout)
    assert list(told) == [
        "entity", "names", "type", "descriptions", "totals", "passages", "neighbours", "facts",
        "synonyms",
    ]  # fmt: skip
    assert told["passages"][1] == {
        "id": "bridge",
        "title": "Bridge",
        "name": "Bridge",
        "mentions": 1,
        "sentences": ["The Iron Bridge crosses the Severn."],
    }
    crossing = {"subject": "Iron Bridge", "relation": "crosses", "object": "SEVERN"}
    elements = {"description": "", "strength": None}
    assert {**crossing, "passages": ["bridge"], **elements} in told["facts"]
    assert told["synonyms"] == [{"entity": "Iron Bridge", "cosine": 0.9}]


def test_a_name_of_several_entities_lists_them(run: Run, index: Path) -> None:
    lines = run("show", index, "darby").stdout.splitlines()
    assert lines == [
        "'darby' means 2 entities; --choice N shows one of them:",
        " 1  Abraham Darby  2 passages",
        "    beside Iron Bridge, Dudley, SEVERN",
        "    in Darby, Bridge",
        " 2  Darby  1 passage",
        "    beside Zoo",
        "    in Zoo",
    ]
    told = json.loads(run("show", index, "darby", "--json").stdout)
    assert [choice["entity"] for choice in told["choices"]] == ["Abraham Darby", "Darby"]
    chosen = run("show", index, "darby", "--choice", 2).stdout
    assert chosen.startswith("Darby\ndarby · 1 mention,")


def test_errors_are_one_sentence(run: Run, index: Path) -> None:
    with pytest.raises(UsageError, match="named 'Dudly': did you mean Dudley") as unknown:
        run("show", index, "Dudly")
    assert unknown.value.exit_code == 2
    with pytest.raises(UsageError, match="means 1 entity: give --choice a number from 1 to 1"):
        run("show", index, "Dudley", "--choice", 2)


def test_an_index_without_the_graph_says_how_to_build_it(run: Run, tmp_path: Path) -> None:
    directory = tmp_path / "plain"
    build(
        [Document("a", "A", "Text.")],
        directory=directory,
        embedder=WordEmbedder(),
        kinds=("dense",),
    )
    with pytest.raises(IndexMissingError, match=r"no entity-graph part, which hopyard graph show"):
        run("show", directory, "A")


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
