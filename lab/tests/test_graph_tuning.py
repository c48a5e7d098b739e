"""Entity types and worked examples that the model proposes for a corpus."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from building import build
from hypothesis import given
from hypothesis import strategies as st
from model_server import WordEmbedder
from typer.testing import CliRunner

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.find.asking import Tuning
from hopyard.state.errors import ModelOutputError, UsageError
from hopyard.testing.models import GARBAGE, ScriptedChat
from lab.graph_tuning.__main__ import app
from lab.graph_tuning.proposal import choose_evenly
from tests.indexes.kinds.entity_graph.find.library import Library, title_of

pytestmark = pytest.mark.usefixtures("one_attempt")

Run = Callable[..., str]

TYPES = ["Ship", "sea  port", "ship", "captain"]
DOMAIN = "Logs of ships."
SHIPS = [
    Document(f"log-{n}", f"Log {n}", f"The Argo {n} left Oslo. Ann Ash commanded the Argo {n}.")
    for n in range(6)
]
SHIPS[4] = Document("log-4", "Log 4", "Ann Ash, Bert Bo and Cora Co left Oslo for Rome and Bonn.")


def elements(_: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    number = title_of(str(messages[-1]["content"])).removeprefix("Log ")
    return {
        "entities": [
            {"name": "Ann Ash", "type": "captain", "description": f"Ann Ash is in log {number}."},
            {"name": "Nemo", "type": "captain", "description": "Nemo is in no log."},
        ],
        "facts": [
            {
                "sentence": 1, "subject": "Ann Ash", "relation": "left", "object": "Oslo",
                "description": "Ann Ash left Oslo.", "strength": 5,
            },
        ],
        "claims": [
            {
                "sentence": 1, "subject": "Ann Ash", "object": "", "type": "trip",
                "status": "true", "description": "Ann Ash left.",
            },
        ],
    }  # fmt: skip


@pytest.fixture
def chat() -> ScriptedChat:
    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "Domain":
            return {"domain": DOMAIN, "types": TYPES}
        return elements(name, messages)

    chat = ScriptedChat(answer)
    chat.register("scripted")
    return chat


@pytest.fixture
def run(
    chat: ScriptedChat, words: WordEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run `python -m lab.graph_tuning ARGUMENTS…`, its errors raised."""
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    monkeypatch.setenv("HOPYARD_MODEL", "scripted")
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": one.id, "title": one.title, "text": one.text}) for one in SHIPS]
    Path("ships.jsonl").write_text("\n".join(lines))

    def run(*arguments: object) -> str:
        given = [*map(str, arguments)]
        return CliRunner().invoke(app, given, catch_exceptions=False).stdout

    return run


def told(chat: ScriptedChat) -> list[str]:
    """The titles in the prompt for the domain."""
    [request] = [request for request in chat.requests if request.name == "Domain"]
    return [line.split("] ")[1].split(":")[0] for line in request.turn.splitlines()]


def test_the_types_are_printed_as_settings(run: Run, chat: ScriptedChat) -> None:
    shown = run("ships.jsonl", "--sample", 3)
    assert told(chat) == ["Log 1", "Log 3", "Log 5"]
    assert shown.splitlines() == [
        "domain: Logs of ships.",
        "types: ship, sea port, captain",
        "Build the index with these settings:",
        "  --set graph.builder=model",
        "  --set graph.descriptions=true",
        "  --set 'graph.types=ship,sea port,captain'",
    ]
    assert len(chat.requests) == 1, "examples are asked for with --out only"


def test_examples_are_from_the_passages_that_name_most(run: Run, chat: ScriptedChat) -> None:
    found = json.loads(run("ships.jsonl", "--out", "tuned.json", "--json"))
    assert (found["examples"], found["file"]) == (["Log 4", "Log 0"], "tuned.json")
    assert found["settings"][-1] == "graph.examples=tuned.json"
    tuning = Tuning.load(Path("tuned.json"))
    assert (tuning.domain, list(tuning.types)) == (DOMAIN, found["types"])
    first, second = tuning.examples
    assert first.sentences == (SHIPS[4].text,)
    assert [one.name for one in first.output.entities] == ["Ann Ash"], "Nemo is in no passage"
    assert [fact.sentence for fact in first.output.facts] == [1]
    # In the other log no sentence has both; the fact keeps its own, which names Oslo.
    assert [claim.sentence for claim in second.output.claims] == [2]
    assert {request.name for request in chat.requests[1:]} == {"ElementsAndClaims"}


def test_a_build_shows_the_model_the_examples(run: Run, chat: ScriptedChat, tmp_path: Path) -> None:
    shown = run("ships.jsonl", "--out", "tuned.json")
    settings = [shlex.split(line)[1] for line in shown.splitlines() if "--set" in line]
    values = dict(setting.removeprefix("graph.").split("=", 1) for setting in settings)
    prompts: list[list[dict[str, Any]]] = []

    def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        assert name == "PassageElements"
        prompts.append(messages)
        found = elements(name, messages)
        return {key: found[key] for key in ("entities", "facts")}

    library = Library(tmp_path / "index", "model")
    library.chat.answers = answer
    library.build(SHIPS[:1], graph=values)
    [[system, question, reply, last]] = [[m[0], m[1], m[2], m[-1]] for m in prompts]
    assert "ship, sea port, captain" in system["content"]
    assert question["content"].startswith("Title: Log 4\n[1] Ann Ash, Bert Bo")
    assert json.loads(reply["content"]).keys() == {"entities", "facts"}
    assert title_of(last["content"]) == "Log 0"
    [author] = library.stats.written.authors
    assert "types ship/sea port/captain, examples " in author.model

    Path("tuned.json").unlink()
    library.add(SHIPS[1])  # an update keeps the examples
    assert prompts[1][1] == question


def test_an_index_is_sampled_too(run: Run, chat: ScriptedChat, tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(SHIPS, directory=index, embedder=WordEmbedder(), chunk_tokens=0, kinds=["sparse"])
    assert "types: ship, sea port, captain" in run("--index", index, "--sample", 2)
    assert told(chat) == ["Log 1", "Log 4"]


def test_a_passage_that_the_model_fails_for_is_no_example(run: Run, chat: ScriptedChat) -> None:
    scripted = chat.answers
    assert callable(scripted)

    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        bad = name != "Domain" and title_of(str(messages[-1]["content"])) == "Log 4"
        return GARBAGE if bad else scripted(name, messages)

    chat.answers = answer
    found = json.loads(run("ships.jsonl", "--out", "tuned.json", "--json"))
    assert found["examples"] == ["Log 0", "Log 1"]


@pytest.mark.parametrize("arguments", [[], ["ships.jsonl", "--index", "index"]])
def test_documents_or_an_index_are_named(run: Run, arguments: list[str]) -> None:
    with pytest.raises(UsageError, match="one index with --index"):
        run(*arguments)


def test_a_model_that_names_no_types_is_an_error(run: Run, chat: ScriptedChat) -> None:
    chat.answers = {"Domain": {"domain": DOMAIN, "types": []}}
    with pytest.raises(ModelOutputError):
        run("ships.jsonl")


def test_the_middle_of_each_part_is_chosen() -> None:
    assert choose_evenly(range(10), 2) == [2, 7]  # of 0-4 and 5-9
    assert choose_evenly(range(3), 12) == [0, 1, 2]
    assert choose_evenly([], 3) == []


@given(st.integers(0, 200), st.integers(1, 50))
def test_a_choice_is_even(items: int, count: int) -> None:
    chosen = choose_evenly(range(items), count)
    assert len(set(chosen)) == len(chosen) == min(items, count)
    gaps = [after - before for before, after in pairwise(chosen)]
    assert max(gaps, default=1) - min(gaps, default=1) <= 1
