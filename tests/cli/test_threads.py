"""`hopyard threads list|show|fork|delete`."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from model_server import ModelServer, Reply

from ..state.storage.test_running import other_process
from .conftest import Run


@pytest.fixture(autouse=True)
def scripted(model: ModelServer) -> None:
    model.answer = lambda title, messages: {
        "Answer": {"answer": "two"},
        "StandAlone": {"question": "And Venus?"},
    }[title]


def ask(hopyard: Run, index: Path, thread: str, question: str = "Moons of Mars?") -> None:
    arguments = ("-i", index, "-s", "single", "-t", thread)
    assert hopyard("ask", question, *arguments).code == 0


def names(hopyard: Run) -> list[str]:
    return [each["thread_id"] for each in hopyard("threads", "list", "--json").json["threads"]]


def test_without_a_thread_the_list_says_how_to_make_one(hopyard: Run) -> None:
    assert hopyard("threads", "list", "--json").json == {"threads": []}
    assert "hopyard ask" in hopyard("threads", "list").out


def test_threads_are_listed_with_question_answer_and_state(hopyard: Run, index: Path) -> None:
    ask(hopyard, index, "one")
    ask(hopyard, index, "other", "Moons of [Mars]?")
    newest, oldest = hopyard("threads", "list", "--json").json["threads"]
    assert (newest["thread_id"], oldest["thread_id"]) == ("other", "one")
    assert newest["question"] == "Moons of [Mars]?"
    assert (newest["answer"], newest["strategy"], newest["finished"]) == ("two", "single", True)
    assert newest["size"] > 0
    assert newest["updated"]
    shown = hopyard("threads", "list").out
    assert "[Mars]" in shown
    assert "finished" in shown


def test_a_thread_is_shown_as_it_was_answered(hopyard: Run, index: Path) -> None:
    ask(hopyard, index, "one")
    shown = hopyard("threads", "show", "one", "--json").json
    assert shown["answer"] == "two"
    assert shown["thread_id"] == "one"
    assert shown["finished"] is True
    assert "two" in hopyard("threads", "show", "one").out


def test_a_fork_goes_its_own_way(hopyard: Run, index: Path) -> None:
    ask(hopyard, index, "one")
    forked = hopyard("threads", "fork", "one", "copy", "--json").json
    assert forked == {"thread_id": "copy", "forked_from": "one"}
    ask(hopyard, index, "copy", "And Venus?")
    assert hopyard("threads", "show", "one", "--json").json["question"] == "Moons of Mars?"
    assert hopyard("threads", "show", "copy", "--json").json["question"] == "And Venus?"


def test_a_fork_without_a_name_gets_one(hopyard: Run, index: Path) -> None:
    ask(hopyard, index, "one")
    name = hopyard("threads", "fork", "one", "--json").json["thread_id"]
    assert sorted(names(hopyard)) == sorted(["one", name])
    assert name in hopyard("threads", "fork", name, "third").out


def test_a_deleted_thread_is_gone_and_its_fork_stays(hopyard: Run, index: Path) -> None:
    ask(hopyard, index, "one")
    hopyard("threads", "fork", "one", "copy")
    assert hopyard("threads", "delete", "one", "--json").json == {"deleted": "one"}
    assert names(hopyard) == ["copy"]
    assert hopyard("threads", "show", "copy", "--json").json["answer"] == "two"
    assert "copy deleted" in hopyard("threads", "delete", "copy").out


def test_threads_not_used_for_long_are_pruned(
    hopyard: Run, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(hopyard, index, "old")
    now = time.time()
    monkeypatch.setattr("hopyard.state.storage.stores.time.time", lambda: now + 3 * 86_400)
    assert hopyard("threads", "prune", "--days", "4", "--json").json == {"deleted": []}
    assert names(hopyard) == ["old"]
    assert hopyard("threads", "prune", "--days", "2", "--json").json == {"deleted": ["old"]}
    assert names(hopyard) == []


def test_a_thread_that_another_process_works_on_is_left_alone(
    hopyard: Run, index: Path, home: Path, model: ModelServer
) -> None:
    """The second process is told where it runs, not to resume what the first is doing."""
    answer, model.answer = model.answer, lambda title, messages: Reply(401)
    assert hopyard("ask", "Moons of Mars?", "-i", index, "-s", "single", "-t", "mine").code == 4
    model.answer = answer
    with other_process(home / "running") as process:
        for command in (
            ["ask", "And Venus?", "-t", "mine"],
            ["resume", "mine"],
            ["threads", "delete", "mine"],
        ):
            ended = hopyard(*command)
            assert ended.code == 1
            assert ended.error.startswith(f"The thread 'mine' is running in process {process.pid} ")
        [listed] = hopyard("threads", "list", "--json").json["threads"]
        assert listed["running"]["pid"] == process.pid
        assert "running" in hopyard("threads", "list").out
        assert f"Running in process {process.pid} on" in hopyard("threads", "show", "mine").out
        assert hopyard("threads", "prune", "--days", "0", "--json").json == {"deleted": []}
    assert hopyard("threads", "list", "--json").json["threads"][0]["running"] is None
    assert hopyard("resume", "mine").code == 0


@pytest.mark.parametrize("command", [["show"], ["fork"], ["delete"]])
def test_a_thread_that_is_not_there_is_named(hopyard: Run, command: list[str]) -> None:
    ended = hopyard("threads", *command, "nowhere", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "'nowhere'" in ended.error


def test_a_fork_takes_no_name_that_is_taken(hopyard: Run, index: Path) -> None:
    for thread in ("one", "other"):
        ask(hopyard, index, thread)
    ended = hopyard("threads", "fork", "one", "other")
    assert ended.code == 2
    assert "'other'" in ended.error


def test_names_may_hold_any_character(hopyard: Run, index: Path) -> None:
    odd = "[b]x[/] ' \" ; ünï"
    ask(hopyard, index, odd)
    assert names(hopyard) == [odd]
    assert odd[:6] in hopyard("threads", "list").out
    assert hopyard("threads", "delete", odd).code == 0
    assert names(hopyard) == []


def test_groups_of_the_environment_continue_their_own_threads_only(
    hopyard: Run, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPYARD_GROUPS", "hr")
    ask(hopyard, index, "pay")
    monkeypatch.setenv("HOPYARD_GROUPS", "staff")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for command in (("ask", "And Venus?", "-t", "pay"), ("chat", "-t", "pay"), ("resume", "pay")):
        ended = hopyard(*command)
        assert (ended.code, ended.out) == (2, "")
        assert "with other groups" in ended.error
    monkeypatch.delenv("HOPYARD_GROUPS")
    assert hopyard("resume", "pay").code == 0
