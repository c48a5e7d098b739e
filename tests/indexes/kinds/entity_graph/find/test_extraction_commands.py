"""The setting `entity_graph.extractions` and `hopyard graph extractions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import WordEmbedder
from typer.testing import CliRunner, Result

from hopyard.cli.graph import commands as graph_command
from hopyard.cli.index import commands as index_command
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.index import Index
from hopyard.state.errors import IndexBusyError, IndexMissingError, UsageError

Run = Callable[..., Result]

TEXTS = {"alba": "Alba lives in Oslo. In Rome Alba met Bert.", "bert": "Bert lives in Rome."}
LIKES = {"subject": "Alba", "relation": "likes", "object": "Bert", "sentence": 1}


@pytest.fixture
def run(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `hopyard index …` or `hopyard graph …`, its errors raised."""
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    write("corpus.jsonl", *({"id": name, "text": text} for name, text in TEXTS.items()))
    write("facts.jsonl", {"id": "alba", "triples": [["Alba", "likes", "Bert"]]})
    apps = {"index": index_command.app, "graph": graph_command.app}
    return lambda group, *arguments: CliRunner().invoke(
        apps[group], [str(one) for one in arguments], catch_exceptions=False
    )


def write(file: str, *lines: dict[str, Any]) -> None:
    Path(file).write_text("\n".join(map(json.dumps, lines)))


def build(run: Run, out: str, *options: str) -> Result:
    kinds = ("--with", "dense,entity-graph")
    return run("index", "build", "corpus.jsonl", "--out", out, *kinds, *options)


def facts(directory: str) -> Any:
    with Index.open(Path(directory)) as index:
        graph = index.reader("entity-graph")
        return {name: (graph.labels_in(name), graph.facts_in(name)) for name in TEXTS}


def test_an_export_gives_another_index_the_same_graph(run: Run) -> None:
    assert build(run, "first", "--set", "entity_graph.extractions=facts.jsonl").exit_code == 0
    told = run("graph", "extractions", "first", "--out", "all.jsonl", "--json")
    assert json.loads(told.stdout) == {"file": "all.jsonl", "passages": 2}
    alba, bert = map(json.loads, Path("all.jsonl").read_text().splitlines())
    assert (alba["id"], alba["facts"]) == ("alba", [LIKES])
    assert "Rome" in {mention["name"] for mention in bert["mentions"]}

    assert build(run, "second", "--set", "entity_graph.extractions=all.jsonl").exit_code == 0
    assert facts("second") == facts("first")
    assert facts("first")["alba"][1], "the fact of the file is in the graph"


def test_an_addition_keeps_what_was_imported(run: Run) -> None:
    build(run, "i", "--set", "entity_graph.extractions=facts.jsonl")
    before = facts("i")
    write("more.jsonl", {"id": "cora", "text": "Cora lives in Bonn."})
    assert run("index", "add", "i", "more.jsonl").exit_code == 0
    assert facts("i") == before


def test_a_missing_file_ends_the_build_before_it_begins(run: Run) -> None:
    with pytest.raises(UsageError, match=r"There is no file 'none\.jsonl'"):
        build(run, "i", "--set", "entity_graph.extractions=none.jsonl")
    assert not Path("i").exists()


def test_the_status_names_authors_beside_the_rules_only(run: Run) -> None:
    build(run, "i")
    assert "authors" not in run("index", "status", "i").stdout
    build(run, "i", "--set", "entity_graph.extractions=facts.jsonl")
    assert "model imported" in run("index", "status", "i").stdout


def test_an_index_without_the_graph_says_how_to_add_it(run: Run) -> None:
    run("index", "build", "corpus.jsonl", "--out", "i", "--with", "dense")
    with pytest.raises(IndexMissingError, match="entity-graph"):
        run("graph", "extractions", "i", "--out", "all.jsonl")


def test_a_build_that_runs_is_not_disturbed(run: Run) -> None:
    build(run, "i")
    with hold_lock(Path("i")), pytest.raises(IndexBusyError):
        run("graph", "extractions", "i", "--out", "all.jsonl")
    assert not Path("all.jsonl").exists()
