"""`hopyard chat`, with its input piped in."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply

from .conftest import QUESTION, Ended, Run

Chat = Callable[..., Ended]


@pytest.fixture(autouse=True)
def answers(model: ModelServer) -> None:
    usual = model.answer

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "StandAlone":
            return {"question": "How many moons does Venus have?"}
        if title != "Answer":
            return usual(title, messages)
        return {"answer": "none" if "does Venus" in str(messages[-1]) else "two moons"}

    model.answer = answer


@pytest.fixture
def chat(hopyard: Run, index: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    """Type these lines into `hopyard chat`."""

    def run(*lines: str, arguments: tuple[str, ...] = ("--thread", "mine")) -> Ended:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return hopyard("chat", "--index", index, *arguments)

    return run


def test_an_answer_is_printed_with_its_quotes(chat: Chat) -> None:
    ended = chat(QUESTION)
    assert ended.code == 0
    assert ended.out.startswith("two moons\n[1] “Mars has two moons")
    assert "1 from the ledger" not in ended.err
    assert "--thread mine" in ended.err


def test_a_follow_up_is_rewritten_and_shown(chat: Chat) -> None:
    ended = chat(QUESTION, "And Venus?")
    assert "understood as: How many moons does Venus have?" in ended.err
    assert "\nnone\n" in ended.out


def test_the_conversation_is_there_after_a_restart(chat: Chat) -> None:
    chat(QUESTION)
    ended = chat("And Venus?", "/quit", "never asked")
    assert ended.out.startswith(f"> {QUESTION}\ntwo moons\n")
    assert "understood as" in ended.err
    assert "never asked" not in ended.out + ended.err


def test_why_tells_gate_route_and_passages(chat: Chat) -> None:
    ended = chat("/strategy single", QUESTION, "/why")
    assert "strategy single" in ended.err
    for told in ("Gate: off", "Route: single · forced", "Mars  1.00", "“Mars has two"):
        assert told in ended.out


def test_a_filter_holds_for_every_question(chat: Chat) -> None:
    filtered = ("--thread", "mine", "--strategy", "single", "--where", "title=Venus,Earth")
    ended = chat(QUESTION, "/why", "And Venus?", "/why", arguments=filtered)
    assert ended.code == 0
    read = ended.out.split("Route: single")[1:]
    assert len(read) == 2
    for told in read:
        assert "Venus  " in told
        assert "Mars  " not in told


def test_an_index_that_is_not_there_is_told_before_a_question(
    hopyard: Run, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{QUESTION}\n"))
    ended = hopyard("chat", "--index", "nowhere")
    assert (ended.code, ended.out, model.calls) == (3, "", [])
    assert "no index in 'nowhere'" in ended.error
    assert hopyard("threads", "list", "--json").json["threads"] == []


def test_trace_draws_the_last_answer(chat: Chat) -> None:
    ended = chat(QUESTION, "/trace")
    assert "→ two moons" in ended.out
    assert "2 calls, " in ended.out


def test_help_names_every_command(chat: Chat) -> None:
    ended = chat("/help")
    for command in ("/strategy", "/trace", "/why", "/help", "/quit"):
        assert command in ended.out


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("/nonsense", "/help"),
        ("/strategy nonsense", "'strategy'"),
        ("/why", "'mine'"),
        ("x" * 5000, "at most 4000"),
    ],
)
def test_an_error_ends_a_script(chat: Chat, line: str, named: str) -> None:
    ended = chat(line, QUESTION)
    assert ended.code == 2
    assert named in ended.error
    assert ended.out == ""


def test_ctrl_c_leaves_a_thread_that_goes_on_at_the_next_start(
    chat: Chat, model: ModelServer
) -> None:
    usual = model.answer

    def interrupt(title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "Answer":
            os.kill(os.getpid(), signal.SIGINT)
        return usual(title, messages)

    model.answer, model.delay = interrupt, 0.3
    ended = chat(QUESTION, "Never asked?")
    assert ended.code == 130
    assert "\nInterrupted. Continue with: hopyard chat --thread mine\n" in ended.err

    model.answer, model.delay = usual, 0.0
    again = chat()
    assert again.code == 0
    assert f"continuing: {QUESTION}" in again.err
    assert "two moons\n[1]" in again.out


def test_a_question_that_failed_is_finished_before_the_next(chat: Chat, model: ModelServer) -> None:
    usual = model.answer
    model.answer = lambda title, messages: Reply(401)
    assert chat(QUESTION).code == 4
    model.answer = usual
    ended = chat("And Venus?")
    assert f"continuing: {QUESTION}" in ended.err
    assert ended.out.index("two moons") < ended.out.index("none")


def status(ended: Ended) -> str:
    (line,) = [line for line in ended.err.splitlines() if line.startswith("thread mine · ")]
    return line


def test_a_thread_remembers_model_and_strategy(
    chat: Chat, hopyard: Run, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C the printed command continues with the model that was chosen by a flag."""
    usual = model.answer

    def interrupt(title: str, messages: list[dict[str, Any]]) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return usual(title, messages)

    monkeypatch.delenv("HOPYARD_MODEL")
    chosen = ("--thread", "mine", "--model", "scripted", "-s", "single", "--set", "retrieval.k=2")
    model.answer, model.delay = interrupt, 0.3
    ended = chat(QUESTION, arguments=chosen)
    assert "Continue with: hopyard chat --thread mine\n" in ended.err
    model.answer, model.delay = usual, 0.0
    monkeypatch.setattr("sys.stdin", io.StringIO("And Venus?\n/why\n"))
    again = hopyard("chat", "--thread", "mine")
    assert again.code == 0
    assert "model scripted · strategy single" in status(again)
    assert "changed" not in again.err
    assert "Route: single · forced" in again.out
    assert "model scripted" in again.out  # of /why
    shown = hopyard("threads", "show", "mine", "--json").json
    assert shown["model"] == "scripted"


def test_before_the_first_question_the_command_to_go_on_repeats_the_flags(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOPYARD_MODEL")
    ended = chat("/strategy tree", arguments=("--thread", "a b", "--set", "tree.theta=0.5"))
    (line,) = [line for line in ended.err.splitlines() if line.startswith("Continue with: ")]
    assert "--strategy tree" in line
    assert "--set tree.theta=0.5" in line
    assert "--index " in line
    assert "--model" not in line
    assert line.endswith("--thread 'a b'")


def test_what_changes_on_a_thread_is_announced(
    chat: Chat, hopyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(QUESTION, "/strategy single")
    monkeypatch.setenv("HOPYARD_STRATEGY", "tree")
    changed = chat(arguments=("--thread", "mine", "--set", "retrieval.k=3"))
    assert "changed on this thread: retrieval.k 5 → 3" in changed.err
    assert "this thread keeps strategy auto; --strategy tree changes it" in changed.err
    assert "strategy auto" in status(changed)
    asked = hopyard("ask", "And Venus?", "--thread", "mine", "-s", "single")
    assert "changed on this thread: strategy auto → single" in asked.err
    again = hopyard("ask", "And Venus?", "--thread", "mine", "--json")
    assert "changed" not in again.err
    assert (again.json["strategy"], again.json["model"]) == ("single", "scripted")


def test_an_old_thread_needs_no_index_again(
    chat: Chat, hopyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(QUESTION)
    monkeypatch.setattr("sys.stdin", io.StringIO("/strategy single\nAnd Venus?\n"))
    ended = hopyard("chat", "--thread", "mine")
    assert ended.code == 0
    assert "none\n" in ended.out
