"""Entity types that the model proposes for a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from building import build
from hypothesis import given
from hypothesis import strategies as st
from model_server import WordEmbedder
from typer.testing import CliRunner

from hopyard.indexes.corpus.records import Document
from hopyard.state.errors import ModelOutputError, UsageError
from hopyard.testing.models import ScriptedChat
from lab.graph_tuning.__main__ import app
from lab.graph_tuning.proposal import choose_evenly

pytestmark = pytest.mark.usefixtures("one_attempt")

Run = Callable[..., str]

TYPES = ["Ship", "sea  port", "ship", "captain"]
DOMAIN = "Logs of ships."
SHIPS = [
    Document(f"log-{n}", f"Log {n}", f"The Argo {n} left Oslo. Ann Ash commanded the Argo {n}.")
    for n in range(6)
]
SHIPS[4] = Document("log-4", "Log 4", "Ann Ash, Bert Bo and Cora Co left Oslo for Rome and Bonn.")


@pytest.fixture
def chat() -> ScriptedChat:
    chat = ScriptedChat({"Domain": {"domain": DOMAIN, "types": TYPES}})
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
    lines = [json.dumps({"id": each.id, "title": each.title, "text": each.text}) for each in SHIPS]
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
        "  --set entity_graph.builder=model",
        "  --set entity_graph.descriptions=true",
        "  --set 'entity_graph.types=ship,sea port,captain'",
    ]
    assert len(chat.requests) == 1


def test_an_index_is_sampled_too(run: Run, chat: ScriptedChat, tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(SHIPS, directory=index, embedder=WordEmbedder(), chunk_tokens=0, kinds=["sparse"])
    assert "types: ship, sea port, captain" in run("--index", index, "--sample", 2)
    assert told(chat) == ["Log 1", "Log 4"]


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
