"""Threads over HTTP: edited questions, limits, titles, and what can be saved."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from model_server import ModelServer
from starlette.testclient import TestClient

from hopyard.agent.session import Session
from hopyard.agent.threads.history import state_begun
from hopyard.state.errors import ThreadMissingError
from hopyard.state.settings.fields import Context
from hopyard.tracing.read import read_trace
from hopyard.web.titles import Titles

from .conftest import ANSWER, QUESTION, Held, replies
from .test_talk import ask, events


@pytest.fixture
def thread(client: TestClient, chat: ModelServer) -> str:
    """A thread with two questions."""
    chat.answer = replies(
        {
            "Answer": [ANSWER, {"answer": "cast iron", "passages": []}],
            "StandAlone": {"kind": "question", "question": "What is the Iron Bridge made of?"},
        }
    )
    name = ask(client)
    events(client, name)
    assert ask(client, "And what is it made of?", name) == name
    events(client, name)
    return name


def asked_on(client: TestClient, thread: str) -> list[str]:
    return [turn["asked"] for turn in client.get(f"/api/threads/{thread}").json()["turns"]]


def test_a_follow_up_stays_on_its_thread(client: TestClient, thread: str) -> None:
    assert asked_on(client, thread) == [QUESTION, "And what is it made of?"]
    saved = client.get(f"/api/threads/{thread}/export.md").text
    assert saved.startswith(f"## {QUESTION}\n\nIt was opened in 1781 [1].\n\n- [1] “The Iron")


def test_an_edited_question_is_asked_in_a_copy_that_ends_before_it(
    client: TestClient, thread: str, chat: ModelServer
) -> None:
    before = asked_on(client, thread)
    edited = {"question": "And how long is it?"}
    copy = client.post(f"/api/threads/{thread}/edit/2", json=edited).json()["thread"]
    assert events(client, copy)[-1][1] == "answer"
    assert asked_on(client, copy) == [QUESTION, "And how long is it?"]
    said = str([call.messages for call in chat.calls if call.title == "StandAlone"][-1])
    assert QUESTION in said
    assert "made of" not in said
    first = {"question": "When was it painted?"}
    fresh = client.post(f"/api/threads/{thread}/edit/1", json=first).json()["thread"]
    events(client, fresh)
    assert asked_on(client, fresh) == ["When was it painted?"]
    assert asked_on(client, thread) == before
    assert client.post(f"/api/threads/{thread}/edit/9", json=first).status_code == 400
    known = client.get("/api/threads").json()
    assert client.post(f"/api/threads/{thread}/edit/2", json={"question": " "}).status_code == 400
    assert client.get("/api/threads").json() == known  # without another copy


def test_a_limit_holds_from_the_question_on_that_it_came_with(
    client: TestClient, thread: str, chat: ModelServer
) -> None:
    def ask_again(question: str, **given: Any) -> tuple[str, Any]:
        asked = {"question": question, "thread": thread, **given}
        assert client.post("/api/threads", json=asked).status_code == 202
        _, kind, data = events(client, thread)[-1]
        return kind, data

    alone = [
        {"kind": "question", "question": f"Who {did} the bridge?"} for did in ("drew", "built")
    ]
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})
    before = len(chat.calls)
    ask_again("Who drew it?", limits={"calls": 1})
    assert len(chat.calls) == before + 1  # it is made a question of its own, and no more
    kind, data = ask_again("Who built it?", limits={"calls": None})
    assert (kind, len(chat.calls) > before + 2) == ("answer", True)  # a reading, and its check
    kind, data = ask_again("Who owns it?", limits={"calls": -1})
    assert (kind, "budget.calls" in data["text"]) == ("failed", True)
    kind, data = ask_again("Who sold it?", strategy="no such")
    assert (kind, "no such" in data["text"]) == ("failed", True)


def test_a_title_leaves_the_name_and_goes_with_the_thread(client: TestClient, thread: str) -> None:
    def titles() -> list[tuple[str, str]]:
        listed = client.get("/api/threads").json()["threads"]
        return [(each["thread_id"], each["title"]) for each in listed]

    title = {"title": " About\n<b>bridges</b> "}
    assert client.post(f"/api/threads/{thread}/title", json=title).status_code == 204
    assert titles() == [(thread, "About <b>bridges</b>")]
    assert client.post("/api/threads/gone/title", json=title).status_code == 404
    client.delete(f"/api/threads/{thread}")
    assert ask(client, thread=thread) == thread
    events(client, thread)
    assert titles() == [(thread, "")]


def test_a_thread_and_its_steps_can_be_saved(client: TestClient, thread: str) -> None:
    saved = client.get(f"/api/threads/{thread}/export.json")
    assert saved.headers["content-disposition"] == "attachment; filename=thread.json"
    first, second = saved.json()["turns"]
    assert (first["asked"], first["text"]) == (QUESTION, ANSWER["answer"])
    assert second["usage"]["model_calls"] == 2
    trace = client.get(f"/api/threads/{thread}/trace.json?question=1").json()
    calls = [call for step in trace["steps"] for call in step["calls"]]
    calls += [call for step in trace["steps"] for each in step["steps"] for call in each["calls"]]
    assert QUESTION in str(calls[0]["messages"])
    assert "It was opened in 1781" in calls[0]["output"]
    page = client.get(f"/api/threads/{thread}/trace.html?question=1")
    assert page.headers["content-disposition"] == "attachment; filename=trace.html"
    assert client.get(f"/api/threads/{thread}/trace.json?question=7").status_code == 400
    assert client.get(f"/api/threads/{thread}/trace.json?question=x").status_code == 400


def test_titles_that_are_given_at_once_are_all_kept(tmp_path: Path) -> None:
    titles, names = Titles(tmp_path / "titles.json"), [str(number) for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda name: titles.give(name, f"Title {name}", names), names))
    assert titles.read() == {name: f"Title {name}" for name in names}


def test_a_question_that_has_just_begun_is_shown(client: TestClient) -> None:
    session = client.app.state.runs.session  # type: ignore[attr-defined]
    config, begun = {"configurable": {"thread_id": "new"}}, {"messages": [HumanMessage(QUESTION)]}
    assert client.portal is not None
    client.portal.call(partial(session._agent.aupdate_state, config, begun, as_node="__start__"))
    assert asked_on(client, "new") == [QUESTION]


def test_a_follow_up_that_is_being_understood_has_no_answer_yet(
    client: TestClient, chat: ModelServer
) -> None:
    """Nor is its question the one before: `continue` asks what the person asked last."""
    thread = ask(client)
    events(client, thread)
    held = Held(chat)
    ask(client, "And when?", thread)
    assert held.asked.wait(20)
    saved = client.get(f"/api/threads/{thread}/export.json").json()["turns"]
    assert [(turn["asked"], turn["text"]) for turn in saved] == [
        (QUESTION, ANSWER["answer"]),
        ("And when?", ""),
    ]
    [listed] = client.get("/api/threads").json()["threads"]
    assert (listed["question"], listed["answer"], listed["strategy"]) == ("And when?", "", "")
    client.post(f"/api/threads/{thread}/stop")
    held.go.set()
    client.post(f"/api/threads/{thread}/resume", json={})
    assert events(client, thread)[0][2]["question"] == "And when?"


def test_the_question_of_a_thread_is_known_from_its_first_checkpoint() -> None:
    said = [HumanMessage("Why?"), AIMessage("So.")]
    for given in ({"question": "When?"}, {"messages": [{"role": "user", "content": "When?"}]}):
        begun = state_begun({"messages": said, "question": "Why?", "__start__": given})
        assert begun["question"] == "When?"
        assert [message.text for message in begun["messages"]] == ["Why?", "So.", "When?"]


def test_the_trace_of_a_thread_that_is_deleted_meanwhile_is_missing(client: TestClient) -> None:
    class Deleted(Session):
        async def context(self, thread_id: str) -> Context:
            """The settings, as they were before it was deleted."""
            return Context()

    session = client.app.state.runs.session  # type: ignore[attr-defined]
    deleted = Deleted(session._saver, session.resources)
    assert client.portal is not None
    with pytest.raises(ThreadMissingError):
        client.portal.call(read_trace, deleted, "gone")
