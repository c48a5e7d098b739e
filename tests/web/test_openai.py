"""The endpoint for OpenAI clients: one answer, a stream, a conversation, and prompts about it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from model_server import ModelServer, Reply
from starlette.testclient import TestClient

from .conftest import ANSWER, QUESTION, Held, replies
from .page import wait_for

PLACE = "http://localhost/threads/"


def complete(client: TestClient, *said: str, **more: Any) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(said)]
    return client.post("/v1/chat/completions", json={"messages": messages, **more})


def chunks(answer: Any) -> list[dict[str, Any]]:
    lines = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_an_answer_has_its_citations_as_addresses(client: TestClient) -> None:
    answer = complete(client, QUESTION, model="hopyard-links").json()
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "stop"
    [cited] = choice["message"]["annotations"]
    place = cited["url_citation"]["url"]
    assert place.startswith(PLACE)
    assert choice["message"]["content"] == f"It was opened in 1781 [1]({place})."
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 100


def test_a_stream_has_steps_text_sources_and_usage(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies({"Answer": ANSWER})
    told = chunks(complete(client, QUESTION, stream=True, stream_options={"include_usage": True}))
    deltas = [choice["delta"] for chunk in told for choice in chunk["choices"]]
    assert deltas[0]["role"] == "assistant"
    text = "".join(delta.get("content", "") for delta in deltas)
    assert text.startswith("It was opened in 1781")
    events = [chunk["event"] for chunk in told if "event" in chunk]
    assert {event["type"] for event in events} == {"status", "source"}
    [source] = [event["data"] for event in events if event["type"] == "source"]
    assert source["document"][0].startswith("The Iron Bridge was opened in 1781.")
    place = source["source"]["url"]
    assert place.startswith(PLACE)
    assert "<mark>" in client.get(place).text
    assert told[-1]["usage"]["total_tokens"] > 100
    assert all(chunk["object"] == "chat.completion.chunk" for chunk in told)
    assert [bool(chunk["choices"]) for chunk in told] == [True] * (len(told) - 1) + [False]
    assert told[-2]["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert sum("role" in delta for delta in deltas) == 1


def test_a_conversation_stays_on_its_thread(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies(
        {
            "Answer": ANSWER,
            "StandAlone": {
                "kind": "question",
                "question": "When was the Iron Bridge opened at the latest?",
            },
        }
    )
    said = complete(client, QUESTION).json()["choices"][0]["message"]["content"]
    complete(client, QUESTION, said, "And at the latest?")
    [thread] = client.get("/api/threads").json()["threads"]
    turns = client.get(f"/api/threads/{thread['thread_id']}").json()["turns"]
    assert [turn["asked"] for turn in turns] == [QUESTION, "And at the latest?"]
    complete(client, QUESTION, "Something else.", "And at the latest?")  # edited by the person
    assert len(client.get("/api/threads").json()["threads"]) == 2
    assert any("Something else." in call.turn for call in chat.calls)


def test_a_thread_that_changed_on_the_page_is_another_conversation(
    client: TestClient, chat: ModelServer
) -> None:
    alone = {"kind": "question", "question": "When was the Iron Bridge opened at the latest?"}
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})

    def threads() -> list[str]:
        return [each["thread_id"] for each in client.get("/api/threads").json()["threads"]]

    said = complete(client, QUESTION).json()["choices"][0]["message"]["content"]
    [first] = threads()
    client.post("/api/threads", json={"question": "And at the earliest?", "thread": first})
    assert "event: answer" in client.get(f"/api/threads/{first}/events").text
    complete(client, QUESTION, said, "And at the latest?")
    [second] = set(threads()) - {first}
    again = complete(client, "When was it painted?").json()["choices"][0]["message"]["content"]
    [third] = set(threads()) - {first, second}
    client.delete(f"/api/threads/{third}")
    complete(client, "When was it painted?", again, "And at the latest?")
    prompts = [call.turn for call in chat.calls if call.title == "StandAlone"]
    assert "When was it painted?" in prompts[-1]  # the history came along
    assert third not in threads()


def test_an_answer_that_ends_with_space_is_told_once(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies({"Answer": {**ANSWER, "answer": f"{ANSWER['answer']} \n"}})
    told = chunks(complete(client, QUESTION, stream=True))
    deltas = [choice["delta"] for chunk in told for choice in chunk["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas).strip() == ANSWER["answer"]


def test_no_proxy_is_to_hold_a_stream_back(client: TestClient) -> None:
    """xagent 1358: nginx keeps small pieces of a stream until the header says otherwise."""
    told = complete(client, QUESTION, stream=True)
    [thread] = [each["thread_id"] for each in client.get("/api/threads").json()["threads"]]
    for stream in (told, client.get(f"/api/threads/{thread}/events")):
        assert stream.headers["x-accel-buffering"] == "no"
        assert stream.headers["cache-control"] == "no-store"


def test_a_prompt_for_a_title_makes_no_turn(client: TestClient, chat: ModelServer) -> None:
    chat.answer = lambda *_: "A bridge of iron"
    task = "### Aufgabe:\nNenne das Thema.\n<chat_history>\nUSER: When?\n</chat_history>"
    answer = complete(client, task).json()
    assert answer["choices"][0]["message"]["content"] == "A bridge of iron"
    streamed = chunks(complete(client, task, stream=True))
    assert streamed[0]["choices"][0]["delta"]["content"] == "A bridge of iron"
    assert client.get("/api/threads").json()["threads"] == []


@pytest.mark.parametrize("said", ["A bridge", '{"title": "A bridge"}'])
def test_a_title_has_the_form_that_the_client_reads(
    client: TestClient, chat: ModelServer, said: str
) -> None:
    """LibreChat 8127: it asks for the title as an object with one field."""
    chat.answer = lambda *_: said
    schema = {"type": "object", "properties": {"title": {"type": "string"}}}
    form = {"type": "json_schema", "json_schema": {"name": "extract", "schema": schema}}
    task = "Write a title for this conversation.\nUser: When?\nAI: In 1781."
    told = complete(client, task, response_format=form).json()
    assert json.loads(told["choices"][0]["message"]["content"]) == {"title": "A bridge"}
    assert complete(client, QUESTION, response_format=form).status_code == 400


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "`messages`"),
        ({"messages": []}, "The last message"),
        ({"messages": [{"role": "assistant", "content": "1781"}]}, "The last message"),
        ({"messages": [{"role": "user", "content": "  "}]}, "question"),
        ({"messages": [{"role": "user", "content": {"text": "Why?"}}]}, "a text or a list"),
        ({"messages": [{"role": "tool", "content": "1781"}]}, "The last message"),
        ({"messages": ["Why?", {"role": ["user"], "content": "Why?"}]}, "The last message"),
        ({"messages": [{"role": "user", "content": "Why?"}], "n": 2}, "leave out `n`"),
    ],
)
def test_a_bad_request_says_what_is_missing(
    client: TestClient, body: dict[str, Any], says: str
) -> None:
    refused = client.post("/v1/chat/completions", json=body)
    assert refused.status_code == 400
    assert refused.headers["x-should-retry"] == "false"
    error = refused.json()["error"]
    assert says in error["message"]
    assert error["type"] == "invalid_request_error"


@pytest.mark.parametrize("body", [b'{"messages": "\xff"}', b"[" * 100_000, b"x"])
def test_a_body_that_is_no_json_is_refused(client: TestClient, body: bytes) -> None:
    refused = client.post("/v1/chat/completions", content=body)
    assert (refused.status_code, refused.json()["error"]["message"]) == (
        400,
        "The request is not valid JSON.",
    )


def test_a_body_without_end_is_refused(client: TestClient) -> None:
    refused = client.post("/v1/chat/completions", content=(b" " * 10**6 for _ in range(50)))
    assert refused.status_code == 400
    assert "32,000,000 bytes" in refused.json()["error"]["message"]


def test_an_unknown_model_is_named(client: TestClient) -> None:
    refused = complete(client, QUESTION, model="hopyard-link")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "model_not_found")
    assert client.get("/v1/models/hopyard-link").status_code == 404
    assert client.get("/v1/models/hopyard").json()["object"] == "model"


def test_a_failure_of_the_model_is_an_error(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies({"Answer": Reply(401)})
    failed = complete(client, QUESTION)
    assert (failed.status_code, failed.json()["error"]["type"]) == (502, "server_error")
    [told] = [
        chunk for chunk in chunks(complete(client, QUESTION, stream=True)) if "error" in chunk
    ]
    assert told["error"]["message"].startswith("The model scripted ")
    chat.answer = lambda *_: Reply(401)
    task = "<chat_history>USER: When?</chat_history>"
    assert complete(client, task).status_code == 502


def test_a_text_in_parts_is_read(client: TestClient) -> None:
    parts = [
        {"type": "text", "text": QUESTION},
        {"type": "image_url", "image_url": {"url": "x"}, "text": None},
    ]
    orders = {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]}
    after = {"role": "system", "content": "Stay in character."}
    body = {"messages": [orders, {"role": "user", "content": parts}, after]}
    answer = client.post("/v1/chat/completions", json=body).json()
    assert answer["choices"][0]["message"]["content"] == ANSWER["answer"]
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == [
        "hopyard",
        "hopyard-links",
    ]


def test_a_conversation_with_empty_and_foreign_messages(
    client: TestClient, chat: ModelServer
) -> None:
    """vllm 21089, vellum-assistant 40690: a stopped answer is sent back empty, or as None."""
    alone = {"kind": "question", "question": QUESTION}
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})
    for content in ("", None, []):
        for more in ([], [{"role": "tool", "content": "42", "tool_call_id": "1"}]):
            stopped = {"role": "assistant", "content": content, "tool_calls": None}
            first, last = ({"role": "user", "content": text} for text in ("Hello", "And when?"))
            body = {"messages": [first, stopped, *more, last]}
            answer = client.post("/v1/chat/completions", json=body)
            assert answer.json()["choices"][0]["message"]["content"] == ANSWER["answer"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"tool_choice": "required", "tools": []}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"tool_choice": "auto", "tools": [], "response_format": {"type": "text"}}, ""),
        ({"tool_choice": None, "response_format": None, "stream_options": None}, ""),
    ],
)
def test_what_an_answer_in_words_cannot_fulfil_is_refused(
    client: TestClient, asked: dict[str, Any], says: str
) -> None:
    """LiteRT-LM 2471: ignored, so that the client waits for a call or fails to read JSON."""
    answer = complete(client, QUESTION, **asked)
    assert (answer.status_code == 400) == bool(says)
    assert says in answer.text


@pytest.mark.parametrize("path", ["embeddings", "responses", "chat/completions/x"])
def test_an_address_that_is_not_served_is_named_as_an_error(client: TestClient, path: str) -> None:
    answer = client.post(f"/v1/{path}", json={})
    assert answer.status_code == 404
    assert f"/v1/{path}" in answer.json()["error"]["message"]


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_stops_the_run_and_the_page_can_continue_it(
    client: TestClient, held: Held, *, stream: bool
) -> None:
    message = {"role": "user", "content": QUESTION}
    body = json.dumps({"messages": [message], "stream": stream}).encode()
    came = iter([{"type": "http.request", "body": body}])

    async def receive() -> dict[str, Any]:
        for part in came:
            return part
        await asyncio.to_thread(held.asked.wait, 20)
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        pass

    scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "query_string": b""}
    scope |= {"headers": [(b"host", b"localhost")], "scheme": "http", "server": ("localhost", 80)}
    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)
    [thread] = client.get("/api/threads").json()["threads"]
    assert not thread["finished"]
    held.go.set()
    place = f"/api/threads/{thread['thread_id']}"
    wait_for(lambda: not client.get(place).json()["running"])
    assert client.post(f"{place}/resume", json={}).status_code == 202
    assert "event: answer" in client.get(f"{place}/events").text
