"""Threads over HTTP: asked, followed by numbered events, stopped, resumed, and lost by nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_server import ModelServer, Reply
from starlette.testclient import TestClient

from hopyard.state.settings.given import Given, read_given
from hopyard.state.settings.sources import home

from .conftest import ANSWER, HTML, QUESTION, Held, replies, served


def ask(client: TestClient, question: str = QUESTION, thread: str = "") -> str:
    asked = client.post("/api/threads", json={"question": question, "thread": thread})
    assert asked.status_code == 202, asked.text
    return str(asked.json()["thread"])


def events(client: TestClient, thread: str, after: str = "") -> list[tuple[str, str, Any]]:
    """The id, the kind and the data of each event, to the end of the run."""
    headers = {"last-event-id": after} if after else {}
    told = client.get(f"/api/threads/{thread}/events", headers=headers)
    assert told.headers["content-type"].startswith("text/event-stream")
    blocks = [block for block in told.text.replace("\r\n", "\n").split("\n\n") if "id: " in block]
    found = []
    for block in blocks:
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        found.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return found


def test_an_answer_comes_with_its_steps_and_its_marked_passage(client: TestClient) -> None:
    thread = ask(client)
    told = events(client, thread)
    assert told[0][1] == "begin"
    assert told[-1][1] == "answer"
    answer = told[-1][2]
    assert (answer["asked"], answer["html"], answer["supported"]) == (QUESTION, HTML, True)
    [cited] = answer["citations"]
    assert "<mark>The Iron Bridge was opened in 1781.</mark>" in cited["marked"]
    assert "".join(data["text"] for _, kind, data in told if kind == "token") == ANSWER["answer"]
    turns = client.get(f"/api/threads/{thread}").json()
    assert not turns["running"]
    assert [turn["html"] for turn in turns["turns"]] == [HTML]


def test_a_listener_that_comes_back_gets_what_it_has_not_got(client: TestClient) -> None:
    thread = ask(client)
    told = events(client, thread)
    assert events(client, thread, told[1][0]) == told[2:]
    assert events(client, thread, "another-1") == told  # of a server that was killed


def test_a_listener_may_lose_its_connection_again_and_again(client: TestClient) -> None:
    """eventsource 27, typescript-sdk 2809, Hephaestus 1163: after each event, after none, and
    with an id that the run has not told."""
    thread = ask(client)
    told = events(client, thread)
    run = told[0][0].partition("-")[0]
    for place, (name, *_) in enumerate(told):
        for _ in range(2):  # the second connection has got nothing
            assert events(client, thread, name) == told[place + 1 :]
    for odd in (
        f"{run}-",
        f"{run}--1",
        f"{run}-x",
        "-3",
        run,
        " ",
        f"{run}-999",
        f"{run}-{'9' * 5000}",
    ):
        assert events(client, thread, odd) == told, odd


def test_a_stopped_run_continues(client: TestClient, held: Held) -> None:
    thread = ask(client)
    assert held.asked.wait(20)
    busy = client.post("/api/threads", json={"question": QUESTION, "thread": thread})
    assert busy.status_code == 409
    assert client.post(f"/api/threads/{thread}/stop").json() == {"stopped": True}
    held.go.set()
    assert events(client, thread)[-1][1] == "stopped"
    assert not list((home() / "serving").iterdir())
    assert client.post(f"/api/threads/{thread}/resume", json={}).status_code == 202
    assert events(client, thread)[-1][2]["html"] == HTML
    assert client.post(f"/api/threads/{thread}/stop").json() == {"stopped": False}


def test_a_run_that_a_server_left_continues_at_its_next_start(given: Given, held: Held) -> None:
    with served(given) as client:
        thread = ask(client)
        assert held.asked.wait(20)
    held.go.set()
    with served(given) as client:
        assert events(client, thread)[-1][2]["html"] == HTML
        assert not list((home() / "serving").iterdir())


def test_a_question_that_a_server_left_before_it_began_is_asked(
    given: Given, chat: ModelServer
) -> None:
    chat.answer = replies(
        {"Answer": ANSWER, "StandAlone": {"kind": "question", "question": "In which year?"}}
    )
    with served(given) as client:
        thread = ask(client)
        events(client, thread)
    index = given.context.index
    left = {"thread": thread, "question": "In which year?", "index": index}
    copy = {"thread": "c", "question": QUESTION, "index": index, "like": thread}
    copy["changes"] = {"strategy": "no such"}
    other = {"thread": "other", "question": QUESTION, "index": "another"}
    for note in (left, copy, other):
        (home() / "serving" / f"{note['thread']}.json").write_text(json.dumps(note), "utf-8")
    with served(given) as client:
        events(client, thread)
        turns = client.get(f"/api/threads/{thread}").json()["turns"]
        assert [turn["asked"] for turn in turns] == [QUESTION, "In which year?"]
        assert client.get("/api/threads/other/events").status_code == 204
        assert "no such" in events(client, "c")[-1][2]["text"]  # with its own settings


def test_a_failure_is_one_sentence(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies({"Answer": Reply(401)})
    thread = ask(client)
    _, kind, data = events(client, thread)[-1]
    assert kind == "failed"
    assert data["text"].startswith("The model scripted ")
    chat.answer = replies({"Answer": ANSWER})
    client.post(f"/api/threads/{thread}/resume", json={})
    assert events(client, thread)[-1][1] == "answer"


def test_a_continued_follow_up_is_in_the_persons_own_words(
    client: TestClient, chat: ModelServer
) -> None:
    """A killed server would ask other words once more."""
    alone = {"kind": "question", "question": "What is the Iron Bridge made of?"}
    chat.answer = replies({"Answer": ANSWER})
    thread = ask(client)
    events(client, thread)
    chat.answer = replies({"Answer": Reply(401), "StandAlone": alone})
    ask(client, "And what is it made of?", thread)
    assert events(client, thread)[-1][1] == "failed"
    chat.answer = replies({"Answer": ANSWER})
    client.post(f"/api/threads/{thread}/resume", json={})
    assert events(client, thread)[0][2]["question"] == "And what is it made of?"


def test_an_approval_waits_for_a_decision(given: Given, chat: ModelServer) -> None:
    waiting = read_given([*given.flags.items(), ("approve", "route"), ("strategy", "auto")])
    with served(waiting) as client:
        thread = ask(client)
        [asked] = events(client, thread)[-1][2]["waiting"]
        assert asked["action"] == "route"
        assert not chat.calls
        decided = {"answer": {asked["id"]: {"strategy": "single"}}}
        client.post(f"/api/threads/{thread}/resume", json=decided)
        assert events(client, thread)[-1][2]["html"] == HTML


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "The request is not valid JSON."),
        (b"[]", "The request is not a JSON object."),
        (b'{"question": " "}', "question"),
        (b'{"question": "Why?", "thread": "a\\u0000b"}', "NUL"),
    ],
)
def test_a_bad_request_gets_one_sentence(client: TestClient, body: bytes, says: str) -> None:
    headers = {"content-type": "application/json"}
    refused = client.post("/api/threads", content=body, headers=headers)
    assert refused.status_code == 400
    assert says in refused.json()["error"]["message"]


def test_threads_are_listed_and_deleted(client: TestClient) -> None:
    thread = ask(client)
    events(client, thread)
    [listed] = client.get("/api/threads").json()["threads"]
    assert (listed["thread_id"], listed["finished"]) == (thread, True)
    assert client.delete(f"/api/threads/{thread}").status_code == 204
    assert client.get("/api/threads").json()["threads"] == []
    assert client.get(f"/api/threads/{thread}").status_code == 404
    assert client.get(f"/api/threads/{thread}/events").status_code == 204
    assert client.get("/api/threads/gone").status_code == 404


def test_a_citation_has_a_page_of_its_own(client: TestClient) -> None:
    thread = ask(client)
    events(client, thread)
    page = client.get(f"/threads/{thread}/1/citations/1")
    assert "<mark>The Iron Bridge was opened in 1781.</mark>" in page.text
    assert client.get(f"/threads/{thread}/1/citations/2").status_code == 400


def test_what_a_document_says_is_text(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies(
        {"Answer": {"answer": "<img src=x onerror=alert(1)> [a](javascript:alert(1))"}}
    )
    thread = ask(client)
    html = events(client, thread)[-1][2]["html"]
    assert "<img" not in html
    assert "href" not in html
