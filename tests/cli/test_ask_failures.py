"""`hopyard ask` if something is wrong, and `hopyard resume` after it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from model_server import ModelServer, Reply

from .conftest import QUESTION, Run

pytestmark = pytest.mark.usefixtures("two_moons")


def test_an_index_that_is_not_there_costs_nothing_and_leaves_no_thread(
    hopyard: Run, model: ModelServer
) -> None:
    for strategy in ("auto", "direct", "tree"):
        ended = hopyard("ask", QUESTION, "-i", "nowhere", "-s", strategy, "--thread", "t")
        assert (ended.code, ended.out) == (3, "")
        assert "no index in 'nowhere'" in ended.error
    assert model.calls == []
    assert hopyard("threads", "list", "--json").json["threads"] == []


def test_a_filter_that_names_no_field_costs_nothing(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "--where", "autor=Ann")
    assert (ended.code, model.calls) == (2, [])
    assert "'autor'" in ended.error


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["  \n "], 2, "question is empty"),
        (["x" * 5000], 2, "at most 4000"),
        ([QUESTION, "--strategy", "nonsense"], 2, "hop-rounds"),
        ([QUESTION, "--search", "nonsense"], 2, "passage-graph"),
        ([QUESTION, "--set", "three.theta=0.5"], 2, "'three'"),
        ([QUESTION, "--set", "tree.theta"], 2, "NAME=VALUE"),
        ([QUESTION, "--set", "tree.theta=7"], 2, "'tree.theta'"),
        ([QUESTION, "--set", "seed=abc"], 2, "'seed'"),
        ([QUESTION, "--gate", "trained"], 2, "--gate off"),
        ([QUESTION, "--model", "llama"], 2, "ollama:NAME"),
        ([QUESTION, "--model", "nonsense:x"], 2, "nonsense:x"),
        ([QUESTION, "--model", "openai:x"], 2, "credentials"),
        ([QUESTION, "--strategy", "single"], 2, "--index DIR"),
        ([QUESTION, "--strategy", "single", "--index", "missing"], 3, "hopyard index build"),
        ([QUESTION, "--strategy", "single", "--embedding", "embedded"], 2, "--index DIR"),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(
    hopyard: Run, arguments: list[str], code: int, named: str
) -> None:
    ended = hopyard("ask", *arguments, "--json")
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.error


@pytest.mark.parametrize(
    "arguments", [[], [QUESTION, "--nonsense"], [QUESTION, "-k", "many"], ["Who", "wrote?"]]
)
def test_wrong_usage_ends_with_2(hopyard: Run, arguments: list[str]) -> None:
    ended = hopyard("ask", *arguments)
    assert (ended.code, ended.out) == (2, "")


def test_a_search_that_the_index_lacks_is_refused(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--search", "passage-graph")
    assert ended.code == 3
    assert "--with dense,sparse,passage-graph" in ended.error
    assert model.calls == []


def test_a_strategy_searches_as_it_is_told(hopyard: Run, index: Path) -> None:
    arguments = (QUESTION, "-i", index, "--search", "mmr", "--json")
    asked = hopyard("ask", "-s", "single", *arguments).json["evidence"]
    found = hopyard("search", *arguments).json["evidence"]
    assert [unit["id"] for unit in asked] == [unit["id"] for unit in found]
    assert [unit["score"] for unit in asked] == pytest.approx([unit["score"] for unit in found])


def test_another_embedding_model_than_the_indexs_is_refused(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--embedding", "embedded")
    assert ended.code == 3
    for named in (str(index), "'words'", "'builtin:minilm'", "--embedding words"):
        assert named in ended.error


@pytest.mark.parametrize("file", ["manifest.json", "corpus.sqlite"])
def test_a_damaged_index_is_named(hopyard: Run, index: Path, folder: Path, file: str) -> None:
    import shutil

    damaged = folder / "damaged"
    shutil.copytree(index, damaged)
    (damaged / file).write_bytes(b"{ not what it was")
    ended = hopyard("ask", QUESTION, "-i", damaged, "-s", "single")
    assert ended.code == 3
    assert file in ended.error


def test_an_ollama_that_is_not_there_ends_with_4(
    hopyard: Run, closed_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    ended = hopyard("ask", QUESTION, "-s", "direct", "--model", "ollama:llama3.1", "--json")
    assert (ended.code, ended.json["finished"]) == (4, False)
    assert ended.json["error"]["reason"] == "unreachable"
    assert "ollama:llama3.1" in ended.error
    assert "ollama pull llama3.1" in ended.error


def test_an_embedding_model_that_is_not_there_ends_with_4(
    hopyard: Run, closed_address: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    (folder / "a.txt").write_text("Some text.")
    ended = hopyard("index", "build", "a.txt", "--out", "new", "--embedding", "ollama:cli-words")
    assert ended.code == 4
    assert "ollama pull cli-words" in ended.error


def test_a_model_that_refuses_ends_with_4(hopyard: Run, index: Path, model: ModelServer) -> None:
    model.answer = lambda title, messages: Reply(401)
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single")
    assert ended.code == 4


def test_an_interrupted_run_can_be_resumed(hopyard: Run, index: Path, model: ModelServer) -> None:
    def interrupt(title: str, messages: object) -> dict[str, str]:
        if title == "Route":
            return {"strategy": "single"}
        os.kill(os.getpid(), signal.SIGINT)
        return {"answer": "too late"}

    usual, model.answer = model.answer, interrupt
    model.delay = 0.3
    ended = hopyard("ask", QUESTION, "-i", index, "--thread", "mine", "--json")
    assert (ended.code, ended.out) == (130, "")
    assert "hopyard resume mine" in ended.err

    listed = hopyard("threads", "list", "--json").json["threads"]
    assert [(thread["thread_id"], thread["finished"]) for thread in listed] == [("mine", False)]
    shown = hopyard("threads", "show", "mine")
    assert "hopyard resume mine" in shown.out
    again = hopyard("ask", "Another?", "-i", index, "--thread", "mine")
    assert again.code == 2
    assert "hopyard resume mine" in again.error

    model.answer, model.delay = usual, 0.0
    result = hopyard("resume", "mine", "--json").json
    assert (result["answer"], result["question"]) == ("two moons", QUESTION)
    assert model.titles().count("Route") == 1
    assert result["usage"]["model_calls"] == 2


def test_a_finished_thread_is_shown_again_for_nothing(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    first = hopyard("ask", QUESTION, "-i", index, "-s", "single", "-t", "mine", "--json").json
    assert hopyard("resume", "mine", "--json").json == first
    assert len(model.calls) == 1


def test_a_thread_that_is_not_there_is_named(hopyard: Run) -> None:
    ended = hopyard("resume", "nowhere")
    assert ended.code == 2
    assert "'nowhere'" in ended.error
    assert "hopyard threads list" in ended.error


def test_a_thread_goes_on_as_a_conversation(hopyard: Run, index: Path, model: ModelServer) -> None:
    usual = model.answer
    model.answer = lambda title, messages: (
        {"question": "Is Venus the second planet from the Sun?"}
        if title == "StandAlone"
        else usual(title, messages)
    )
    arguments = ("-i", index, "-s", "single", "-t", "mine", "--json")
    hopyard("ask", QUESTION, *arguments)
    result = hopyard("ask", "And Venus?", *arguments).json
    assert result["question"] == "Is Venus the second planet from the Sun?"
    assert result["evidence"][0]["id"] == "venus"
    assert "How many moons does Mars have?" in model.calls[1].turn
    assert [step["kind"] for step in result["steps"]] == ["rewrite", "search", "read"]


def test_a_failed_reading_ends_with_4_and_shows_what_was_found(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    model.answer = lambda title, messages: "no JSON at all"
    asked = ("ask", QUESTION, "-i", index, "-s", "single")
    ended = hopyard(*asked)
    assert (ended.code, ended.out) == (4, "")
    assert "no usable output" in ended.error
    assert "How many moons" in ended.err
    assert "Unknown" not in ended.err
    as_object = hopyard(*asked, "--json")
    assert (as_object.code, as_object.json["error"]["reason"]) == (4, "unfit")
    assert [step["kind"] for step in as_object.json["steps"]] == ["search"]
    assert "answer" not in as_object.json
