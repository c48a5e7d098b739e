"""The model calls of a change, shown before it and after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from ..conftest import Run, write_corpus

PEOPLE = ("Alba", "Bert", "Cora", "Dirk", "Elsa", "Finn", "Gina", "Hugo")
WITH = ("--out", "i", "--with", "dense,entity-graph")
BY_MODEL = ("--set", "entity_graph.builder=model")


@pytest.fixture(autouse=True)
def facts(model: ModelServer) -> ModelServer:
    model.answer = lambda schema, _: {"entities": ["Alba"], "facts": []}
    return model


def corpus(folder: Path, first: int, last: int) -> Path:
    lines: list[dict[str, Any]] = [
        {"id": name, "title": name, "text": f"{name} grows plant {number}."}
        for number, name in enumerate(PEOPLE[first:last], first)
    ]
    return write_corpus(folder / f"{first}-{last}.jsonl", *lines)


def test_an_addition_tells_its_calls_before_and_after(
    hopyard: Run, folder: Path, facts: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = hopyard("index", "build", corpus(folder, 0, 2), *WITH, *BY_MODEL)
    assert "2 embedded; 2 model calls of " in built.out.replace("\n", " ")
    monkeypatch.setenv("HOPYARD_MODEL", "openai:unheard-of")  # the index keeps its model
    more = corpus(folder, 2, 8)
    found = hopyard("index", "add", "i", more, "--dry-run", "--json").json
    assert (found["passages"], found["spent_calls"], found["model_calls"]) == (8, 4, 2)
    assert found["kinds"]["entity-graph"]["model"] == "scripted"
    assert hopyard("index", "list", "i", "--json").json["passages"] == 2

    added = hopyard("index", "add", "i", more, "--json").json
    usage = added["usage"]
    assert (usage["model_calls"], usage["cached_calls"]) == (2, 4)
    assert (added["entity_graph"]["model"], len(facts.calls)) == ("scripted", 8)
    assert "0 model calls; " in hopyard("index", "remove", "i", "Alba").out
    assert len(facts.calls) == 8


def test_a_sync_tells_its_calls(hopyard: Run, folder: Path, facts: ModelServer) -> None:
    notes = folder / "notes"
    notes.mkdir()
    for name in PEOPLE[:3]:
        (notes / f"{name}.txt").write_text(f"{name} grows a plant.")
    hopyard("index", "build", notes, *WITH, *BY_MODEL)
    (notes / "Alba.txt").unlink()
    (notes / "Dirk.txt").write_text("Dirk grows a plant.")
    found = hopyard("index", "sync", "i", notes, "--dry-run", "--json").json
    assert (found["passages"], found["spent_calls"], found["model_calls"]) == (3, 1, 0)
    assert hopyard("index", "list", "i", "--json").json["passages"] == 3
    synced = hopyard("index", "sync", "i", notes, "--json").json
    assert (synced["documents"]["added"], synced["documents"]["removed"]) == (1, 1)
    assert (synced["usage"]["model_calls"], len(facts.calls)) == (0, 4)
    assert hopyard("index", "sync", "i", notes, "--dry-run", "--watch").code == 2


def test_rules_cost_nothing_and_say_so(hopyard: Run, folder: Path, facts: ModelServer) -> None:
    some = corpus(folder, 0, 2)
    sentence = "No model is asked: entity_graph.builder=rules asks no model.\n"
    assert hopyard("index", "build", some, *WITH, "--dry-run").out == sentence
    built = hopyard("index", "build", some, *WITH).out
    assert "0 model calls; " in built
    assert "builder rules, names 2" in built
    assert hopyard("index", "add", "i", some, "--dry-run").out == sentence
    assert facts.calls == []


def test_an_index_that_no_model_has_written_says_so(
    hopyard: Run, folder: Path, facts: ModelServer
) -> None:
    built = hopyard("index", "build", corpus(folder, 0, 2), "--out", "i")
    assert "model call" not in built.out
    assert hopyard("index", "add", "i", corpus(folder, 2, 3), "--dry-run").out == (
        "No model is asked.\n"
    )


def test_a_budget_leaves_a_usable_index_that_the_same_command_continues(
    hopyard: Run, folder: Path, facts: ModelServer
) -> None:
    command = ("index", "build", corpus(folder, 0, 5), *WITH, *BY_MODEL)
    stopped = hopyard(*command, "--max-calls", "2")
    assert stopped.code == 0
    assert "3 passages without names yet" in stopped.err
    assert "run the same command again" in stopped.err
    status = hopyard("index", "status", "i", "--json").json
    assert (status["entity_graph"]["unread"], len(facts.calls)) == (3, 2)
    assert "3 passages without names yet" in hopyard("index", "status", "i").out
    found = hopyard("search", "Who is Alba?", "-i", "i", "--search", "pagerank", "--json")
    assert found.code == 0

    whole = hopyard(*command, "--json").json
    assert whole["usage"]["model_calls"] == 3
    assert "unread" not in whole["entity_graph"]
    assert len(facts.calls) == 5
