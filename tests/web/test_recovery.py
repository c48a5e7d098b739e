"""A server that starts continues the runs of a killed one: nothing is lost, nothing comes twice."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import ModelServer
from starlette.testclient import TestClient

from hopyard.state.settings.given import Given, read_given
from hopyard.state.settings.sources import home
from hopyard.state.storage.checkpoints import FOLDER, FileLocks
from hopyard.web import notes, recovery

from .conftest import ANSWER, HTML, QUESTION, replies, served
from .page import wait_for
from .test_talk import ask, events


def leave(given: Given, thread: str, **about: Any) -> None:
    """The note of a server that was killed before anything else."""
    (home() / "serving").mkdir(exist_ok=True)
    kept = notes.Notes(home() / "serving", given.context.index)
    kept.write(thread, **{"question": QUESTION, "owner": "", **about})


def asked(client: TestClient, thread: str) -> list[str]:
    turns = client.get(f"/api/threads/{thread}").json()["turns"]
    return [turn["asked"] for turn in turns]


def test_the_same_question_twice_is_answered_twice(given: Given, chat: ModelServer) -> None:
    alone = {"kind": "question", "question": QUESTION}
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})
    with served(given) as client:
        thread = ask(client)
        events(client, thread)
    leave(given, thread, new=True)
    with served(given) as client:
        events(client, thread)
        assert asked(client, thread) == [QUESTION, QUESTION]
    leave(given, thread)  # of a run that was continued, and ended
    with served(given) as client:
        assert asked(client, thread) == [QUESTION, QUESTION]
        assert not list((home() / "serving").iterdir())


def test_a_note_that_is_damaged_stops_no_server(given: Given) -> None:
    leave(given, "good", new=True)
    for name, text in {"a": "", "b": "[]", "c": "{", "d": '{"thread": 1}'}.items():
        (home() / "serving" / f"{name}.json").write_text(text)
    leave(given, "bad\0name")
    leave(given, "worse", question=None)
    with served(given) as client:
        assert events(client, "good")[-1][2]["html"] == HTML


def test_a_conversation_of_a_client_keeps_its_history(given: Given, chat: ModelServer) -> None:
    alone = {"kind": "question", "question": "When was the Iron Bridge opened?"}
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})
    said = [("human", "What is the Iron Bridge?"), ("ai", "A bridge of iron.")]
    leave(given, "client", question="And when was it opened?", history=said, new=True)
    with served(given) as client:
        assert events(client, "client")[-1][2]["html"] == HTML
    assert "A bridge of iron." in str(chat.calls[0].messages)


def test_an_approval_is_not_given_again_in_vain(given: Given, chat: ModelServer) -> None:
    waiting = read_given([*given.flags.items(), ("approve", "route"), ("strategy", "auto")])
    with served(waiting) as client:
        thread = ask(client)
        [approval] = events(client, thread)[-1][2]["waiting"]
    leave(given, thread, answer={"another": "approve"})
    with served(waiting) as client:
        [still] = client.get(f"/api/threads/{thread}").json()["turns"][0]["waiting"]
        assert still["id"] == approval["id"]
    assert not chat.calls
    leave(given, thread, answer={approval["id"]: {"strategy": "single"}})
    with served(waiting) as client:
        assert events(client, thread)[-1][2]["html"] == HTML


def test_a_thread_that_another_process_still_holds_is_taken_up_later(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "_LOOK", 0.05)
    leave(given, "t", new=True)
    (home() / FOLDER).mkdir()
    held = FileLocks(home() / FOLDER)._try("t")
    assert held is not None
    with served(given) as client:
        assert client.get("/api/threads/t/events").status_code == 204
        held.release()
        wait_for(lambda: client.get("/api/threads/t/events").status_code == 200)
        assert events(client, "t")[-1][2]["html"] == HTML
    assert not list((home() / "serving").iterdir())
