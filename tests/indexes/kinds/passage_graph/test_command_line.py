"""`hopyard index …` with a passage graph, and `hopyard graph export`."""

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
from hopyard.models.calls.call import ModelCaller
from hopyard.state.errors import UsageError

from .script import GARBAGE, PEOPLE, Writer, people

Run = Callable[..., Result]


@pytest.fixture
def index(words: WordEmbedder, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `hopyard index ARGUMENTS…`, its errors raised."""
    monkeypatch.setenv("HOPYARD_MODEL", "scripted")
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    monkeypatch.setattr(ModelCaller, "retries", 0)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(
        index_command.app, [str(each) for each in arguments], catch_exceptions=False
    )


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A corpus file of so many people."""
    monkeypatch.chdir(tmp_path)

    def write(count: int) -> Path:
        lines = [{"id": each.id, "title": each.title, "text": each.text} for each in people(count)]
        file = tmp_path / f"{count}.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        return file

    return write


def last_json(result: Result) -> Any:
    (line,) = result.stdout.splitlines()
    return json.loads(line)


WITH = ("--out", "i", "--with", "dense,sparse,passage-graph", "--chunk-tokens", "0")


def test_build_add_remove_status(
    index: Run, corpus: Callable[[int], Path], writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.instead["Bert"] = GARBAGE
    built = last_json(index("build", corpus(8), *WITH, "--json"))
    graph = built["passage_graph"]
    assert (graph["vertices"], graph["too_few_questions"], graph["failed"]) == (8, 1, 1)
    assert graph["calls"][0]["parse_rate"] == 0.875
    assert graph["edges"] / 8 == pytest.approx(graph["mean_out_degree"], abs=1e-4)
    assert "runs" not in graph

    monkeypatch.setenv("HOPYARD_MODEL", "openai:unheard-of")  # an addition keeps to the last model
    added = last_json(index("add", "i", corpus(9), "--json"))
    assert added["passage_graph"]["vertices"] == 9
    assert added["passage_graph"]["model"] == "scripted"
    removed = last_json(index("remove", "i", "alba", "--json"))
    assert removed["passage_graph"]["vertices"] == 8
    assert writer.counts == dict.fromkeys(PEOPLE[:9], 1)

    status = last_json(index("status", "i", "--json"))
    assert status["passage_graph"] == removed["passage_graph"]
    shown = " ".join(index("status", "i").stdout.split())
    edges = status["passage_graph"]["edges"]
    assert "passage-graph model scripted, embedding words, dimension 32" in shown
    assert f"vertices 8, edges {edges}" in shown
    for count in ("without questions 0", "too few questions 1", "failed 1"):
        assert count in shown
    assert "calls: prompt questions, version 2, model scripted, calls 9, parsed 8" in shown
    assert "parse rate 0.8889" in shown
    assert "authors: version 2, model scripted, passages 8" in shown


def test_a_document_is_shown_with_its_keywords_and_questions(
    index: Run, corpus: Callable[[int], Path]
) -> None:
    index("build", corpus(8), *WITH)
    passages = {}
    for person in people(8):
        [passage] = last_json(index("show", "i", person.id, "--json"))["passages"]
        passages[person.id] = passage["derived"]["passage-graph"]
    assert all(derived["keywords"] for derived in passages.values())
    leaving = {
        (name, edge["passage"], edge["question"])
        for name, derived in passages.items()
        for edge in derived["leads_to"]
    }
    reaching = {
        (edge["passage"], name, edge["question"])
        for name, derived in passages.items()
        for edge in derived["reached_from"]
    }
    assert leaving == reaching
    assert leaving

    name, head, question = min(leaving)
    shown = " ".join(index("show", "i", name).stdout.split())
    assert f"passage graph · leads to: {question}, {head}, " in shown
    assert "passage graph · keywords: " in shown


@pytest.mark.parametrize("flag", ["--budget", "--max-calls"])
def test_a_budget_is_reported_and_the_build_goes_on(
    index: Run, corpus: Callable[[int], Path], writer: Writer, flag: str
) -> None:
    stopped = index("build", corpus(8), *WITH, flag, 3)
    assert stopped.exit_code == 0
    assert "5 passages without questions yet" in stopped.stderr
    assert "run the same command again" in stopped.stderr
    assert len(writer.titles) == 3
    assert "5 passages without questions yet" in index("status", "i").stdout

    whole = index("build", corpus(8), *WITH)
    assert "no questions yet" not in whole.stderr
    assert len(writer.titles) == 8


def test_a_dry_run_tells_the_cost(
    index: Run, corpus: Callable[[int], Path], writer: Writer, tmp_path: Path
) -> None:
    shown = " ".join(index("build", corpus(8), *WITH, "--dry-run").stdout.split())
    assert len(writer.titles) == 4
    assert "passages 8 passage-graph 4 calls of scripted" in shown
    assert (
        "8 contents have no questions yet; 4 of them were asked about, and 0 gave nothing" in shown
    )
    assert "for 4 model calls The ledger keeps the answers" in shown
    told = last_json(index("build", corpus(8), *WITH, "--dry-run", "--json"))
    assert (told["passages"], told["model_calls"], told["spent_calls"]) == (8, 4, 0)
    assert told["kinds"]["passage-graph"]["details"]["unwritten"] == 8
    assert not (tmp_path / "i").exists()


def test_a_dry_run_of_what_asks_no_model_is_refused(
    index: Run, corpus: Callable[[int], Path]
) -> None:
    with pytest.raises(UsageError, match="needs a model; add communities, entity-graph, "):
        index("build", corpus(3), "--out", "i", "--with", "dense", "--dry-run")
    with pytest.raises(UsageError, match="no index kind 'graph'"):
        index("build", corpus(3), "--out", "i", "--with", "graph", "--dry-run")


def test_an_index_without_a_graph_says_nothing_of_one(
    index: Run, corpus: Callable[[int], Path], writer: Writer
) -> None:
    built = last_json(index("build", corpus(3), "--out", "i", "--json"))
    assert "passage_graph" not in built
    assert "passage_graph" not in last_json(index("status", "i", "--json"))
    index("add", "i", corpus(4))
    index("remove", "i", "alba")
    assert writer.titles == []


def test_export(index: Run, corpus: Callable[[int], Path], tmp_path: Path) -> None:
    index("build", corpus(8), *WITH)
    edges = last_json(index("status", "i", "--json"))["passage_graph"]["edges"]
    arguments = ["export", "i", "--out", "exported", "--json"]
    told = last_json(CliRunner().invoke(graph_command.app, arguments, catch_exceptions=False))
    assert (told["passages"], told["edges"]) == (8, edges)
    assert Path(told["file"]).stat().st_size > 0
