"""The setting `entity_graph.extractions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import WordEmbedder
from typer.testing import CliRunner, Result

from hopyard.cli.index import commands as index_command
from hopyard.indexes.index import Index
from hopyard.state.errors import UsageError

Run = Callable[..., Result]

TEXTS = {"alba": "Alba lives in Oslo. In Rome Alba met Bert.", "bert": "Bert lives in Rome."}


@pytest.fixture
def run(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `hopyard index …`, its errors raised."""
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    write("corpus.jsonl", *({"id": name, "text": text} for name, text in TEXTS.items()))
    write("facts.jsonl", {"id": "alba", "triples": [["Alba", "likes", "Bert"]]})
    return lambda *arguments: CliRunner().invoke(
        index_command.app, [str(each) for each in arguments], catch_exceptions=False
    )


def write(file: str, *lines: dict[str, Any]) -> None:
    Path(file).write_text("\n".join(map(json.dumps, lines)))


def build(run: Run, out: str, *options: str) -> Result:
    kinds = ("--with", "dense,entity-graph")
    return run("build", "corpus.jsonl", "--out", out, *kinds, *options)


def facts(directory: str) -> Any:
    with Index.open(Path(directory)) as index:
        graph = index.reader("entity-graph")
        return {name: (graph.labels_in(name), graph.facts_in(name)) for name in TEXTS}


def test_an_addition_keeps_what_was_imported(run: Run) -> None:
    build(run, "i", "--set", "entity_graph.extractions=facts.jsonl")
    before = facts("i")
    write("more.jsonl", {"id": "cora", "text": "Cora lives in Bonn."})
    assert run("add", "i", "more.jsonl").exit_code == 0
    assert facts("i") == before


def test_a_missing_file_ends_the_build_before_it_begins(run: Run) -> None:
    with pytest.raises(UsageError, match=r"There is no file 'none\.jsonl'"):
        build(run, "i", "--set", "entity_graph.extractions=none.jsonl")
    assert not Path("i").exists()


def test_the_status_names_authors_beside_the_rules_only(run: Run) -> None:
    build(run, "i")
    assert "authors" not in run("status", "i").stdout
    build(run, "i", "--set", "entity_graph.extractions=facts.jsonl")
    assert "model imported" in run("status", "i").stdout
