"""Traces of a removed document in the files of an index of every kind."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from building import build, wait
from conftest import WordEmbedder
from typer.testing import CliRunner

from hopyard.cli.index.commands import app
from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.passage_graph.writing import QuestionStore, WrittenQuestions
from hopyard.indexes.written.store import Author, Written
from hopyard.nodes.resources import Resources
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.fields import Context
from hopyard.testing.models import ScriptedChat

from .kinds.communities.families import families

KINDS = ("dense", "sparse", "entity-graph", "passage-graph", "communities", "summary-tree")
SECRET = Document(
    "payroll",
    "Quimby's pay",
    "It was Zorbland Quimby who met Anna Adler on day 91234. Then Zorbland Quimby wrote to Anna "
    "Adler about the Osklane contract.",
    {"team": "Quimby"},
)
WORDS = ("zorbland", "quimb", "91234", "osklane", "payroll")
"""Only the secret document has them; `quimb` is a stem."""
RULES: dict[str, Any] = {"communities": {"reports": "all"}}
MODEL: dict[str, Any] = RULES | {
    "entity_graph": {"builder": "model", "descriptions": True},
    "summary_tree": {"writer": "model"},
}


def written(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The answers of the model, which quote their material."""
    text = str(messages[-1]["content"])
    if name == "CommunityReport":
        quoted = " ".join(dict.fromkeys(re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", text)))
        cited = re.findall(r"\b[ERS]\d+\b", text)[:1]
        finding = {"summary": "They met", "explanation": f"So {cited}.", "elements": cited}
        return {"title": "They", "summary": quoted, "rating": 5, "findings": [finding]}
    if name == "ClusterSummary":
        lines = re.findall(r"^\[(\d+)\] (.*)", text, re.MULTILINE)
        return {"sentences": [{"text": told, "lines": [int(number)]} for number, told in lines]}
    people = list(dict.fromkeys(re.findall(r"[A-Z][a-z]+ (?:Quimby|[A-Z][a-z]+)", text)))[:4]
    if name == "PassageQuestions":
        return {
            "incoming": [f"Whom did {people[0]} meet?", f"Who is {people[0]}?"],
            "outcoming": [f"Where does {each} live?" for each in people],
        }
    ends = {"sentence": 1, "subject": people[0], "object": people[-1]}
    about = f"{people[0]} met {people[-1]}"
    return {
        "entities": [{"name": each, "type": "person", "description": about} for each in people],
        "facts": [{**ends, "relation": "met", "description": about, "strength": 5}],
    }


@pytest.fixture(params=[RULES, MODEL], ids=["rules", "model"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An index of every kind, from which the secret document has been removed."""
    ScriptedChat(written).register("scripted")
    context = Context.model_validate({"model": "scripted"} | request.param)
    directory = tmp_path / "index"
    with Resources() as resources:
        build(
            [*families(2), SECRET],
            directory=directory,
            embedder=WordEmbedder(),
            chunk_tokens=0,
            kinds=KINDS,
            settings=context,
            caller=lambda: resources.caller("scripted"),
        )
    places = {name.partition("/")[0].rpartition(".")[0] or name for name in found(directory)}
    assert {"corpus", "extractions", "questions", "reports"} <= places
    wait(building.remove(["payroll"], directory=directory, embedder=WordEmbedder))
    return directory


def found(directory: Path) -> dict[str, set[str]]:
    """The secret words by file, in the file's bytes and in its wide characters."""
    return {
        file.relative_to(directory).as_posix(): words
        for file in directory.rglob("*")
        if file.is_file() and (words := set(_words(file.read_bytes().lower())))
    }


def _words(data: bytes) -> Iterator[str]:
    for word in WORDS:
        if any(word.encode(code) in data for code in ("utf-8", "utf-16-le", "utf-32-le")):
            yield word


def test_vacuum_leaves_no_byte_of_it(index: Path) -> None:
    assert found(index)
    with Index.open(index) as opened:
        before = opened.corpus.passage_ids(), opened.manifest
    wait(building.vacuum(directory=index))
    assert found(index) == {}
    with Index.open(index) as opened:
        assert (opened.corpus.passage_ids(), opened.manifest) == before
        for kind in KINDS:
            opened.reader(kind)


def test_what_is_still_used_is_not_written_again(index: Path) -> None:
    wait(building.vacuum(directory=index))
    chat = ScriptedChat(written)
    chat.register("scripted")
    with Resources() as resources:
        context = Context.model_validate({"model": "scripted", "seed": 7} | RULES)
        added = Document("eve", "", "It was Eve Adler who met Ida Adler. Then Eve Adler wrote.")
        report = wait(
            building.add(
                [added],
                directory=index,
                embedder=WordEmbedder(),
                settings=context,
                caller=lambda: resources.caller("scripted"),
            )
        )
    assert (report.added, report.embedded) == (1, 1)
    higher = ("CommunityReport", "ClusterSummary")
    asked = [each.turn for each in chat.requests if each.name not in higher]
    assert asked
    assert all("Eve Adler" in turn for turn in asked)
    assert found(index) == {}


def test_two_later_builds_leave_no_byte_of_it(index: Path) -> None:
    for number in range(2):
        added = Document(f"new-{number}", "", f"It was Eve Adler who met Ida {number}.")
        wait(building.add([added], directory=index, embedder=WordEmbedder()))
    assert found(index) == {}


def test_a_reader_of_the_former_generation_opens_the_index_again(index: Path) -> None:
    with Snapshot(index, 1) as reader:
        assert "payroll" in reader.passage_ids()
        wait(building.vacuum(directory=index))
        with pytest.raises(IndexMissingError, match=r"Generation 1 .* open the index again"):
            reader.passage_ids()


def test_vacuum_deletes_vectors_and_gives_back_the_space(tmp_path: Path) -> None:
    """A graph of nearest neighbours may keep the vectors of what it no longer finds."""
    large = Document("large", "", " ".join(f"Zorbland{number}." for number in range(10_000)))
    build(
        [*families(1), SECRET, large],
        directory=tmp_path / "index",
        embedder=WordEmbedder(),
        chunk_tokens=200,
        kinds=("dense",),
    )
    with closing(sqlite3.connect(tmp_path / "index" / "corpus.sqlite")) as corpus:
        [[vector]] = corpus.execute(
            "SELECT vector FROM vectors JOIN passages USING (content_hash) WHERE document_id = ?",
            ("payroll",),
        ).fetchall()
    number = str(np.frombuffer(vector, "<f4").astype(float)[0])

    def kept() -> list[str]:
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        data = {file.name: file.read_bytes() for file in files}
        return [name for name, own in data.items() if vector in own or number.encode() in own]

    def size() -> int:
        return sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())

    assert "corpus.sqlite" in kept()
    before = size()
    wait(building.remove(["payroll", "large"], directory=tmp_path / "index"))
    wait(building.vacuum(directory=tmp_path / "index"))
    assert kept() == []
    assert size() < before - 2 * len(large.text)  # the text of the document and of its passage


def test_the_command_that_removes_names_the_one_that_deletes(tmp_path: Path) -> None:
    directory = tmp_path / "an index"
    build([*families(1), SECRET], directory=directory, embedder=WordEmbedder(), kinds=("sparse",))
    removed = CliRunner().invoke(app, ["remove", str(directory), "payroll"])
    command = f"hopyard index vacuum '{directory}'"
    assert f"`{command}` deletes it." in removed.stderr
    assert found(directory)
    done = CliRunner().invoke(app, ["vacuum", str(directory)])
    assert done.exit_code == 0
    assert "holds no removed text" in done.stdout
    assert found(directory) == {}


def test_rows_of_a_killed_build_count_as_unused(tmp_path: Path) -> None:
    row = Written(Author(1, "m"), "enough", WrittenQuestions(incoming=("Q?",), outcoming=()))
    with QuestionStore(tmp_path) as store:
        store.begin(2, ())
        store.put([("kept", row), ("left", row)], 2)  # and then the build is killed
        store.begin(2, ())
        store.use(["kept"], 2)
        store.keep_only(2)
        assert set(store.written(["kept", "left"])) == {"kept"}
