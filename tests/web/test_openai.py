"""The endpoint for OpenAI clients: one answer, a stream, a conversation, and prompts about it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from model_server import ModelServer, Reply
from starlette.testclient import TestClient

from hopyard.web.openai import is_about_the_chat

from .conftest import ANSWER, QUESTION, replies

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


def test_a_prompt_for_a_title_makes_no_turn(client: TestClient, chat: ModelServer) -> None:
    chat.answer = lambda *_: "A bridge of iron"
    task = "### Task:\nGenerate a title.\n<chat_history>\nUSER: When?\n</chat_history>"
    answer = complete(client, task).json()
    assert answer["choices"][0]["message"]["content"] == "A bridge of iron"
    streamed = chunks(complete(client, task, stream=True))
    assert streamed[0]["choices"][0]["delta"]["content"] == "A bridge of iron"
    assert client.get("/api/threads").json()["threads"] == []


@pytest.mark.parametrize(
    ("messages", "about"),
    [
        ([HumanMessage("### Task:\nSuggest 3-5 relevant follow-up questions")], True),
        (
            [
                SystemMessage("Provide a concise, 5-word-or-less title for the conversation."),
                HumanMessage("User: When was it opened?\nAssistant: In 1781."),
            ],
            True,
        ),
        (
            [
                HumanMessage("When was it opened?"),
                AIMessage("1781"),
                HumanMessage("Write a short title for this conversation."),
            ],
            True,
        ),
        ([HumanMessage("What title does the chapter about the conversation of 1781 have?")], False),
        ([HumanMessage("Which tags does the guide to chat clients suggest?")], False),
        ([SystemMessage("Be brief."), HumanMessage("Summarize the report.")], False),
    ],
)
def test_prompts_about_the_chat_are_told_from_questions(messages: list[Any], about: bool) -> None:
    assert is_about_the_chat(messages) == about


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "`messages`"),
        ({"messages": []}, "The last message"),
        ({"messages": [{"role": "assistant", "content": "1781"}]}, "The last message"),
        ({"messages": [{"role": "user", "content": "  "}]}, "question"),
    ],
)
def test_a_bad_request_says_what_is_missing(
    client: TestClient, body: dict[str, Any], says: str
) -> None:
    refused = client.post("/v1/chat/completions", json=body)
    assert refused.status_code == 400
    assert says in refused.json()["error"]["message"]


def test_a_failure_of_the_model_is_an_error(client: TestClient, chat: ModelServer) -> None:
    chat.answer = replies({"Answer": Reply(401)})
    assert complete(client, QUESTION).status_code == 502
    [told] = [
        chunk for chunk in chunks(complete(client, QUESTION, stream=True)) if "error" in chunk
    ]
    assert told["error"]["message"].startswith("The model scripted ")


def test_a_text_in_parts_is_read(client: TestClient) -> None:
    parts = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": "x"}}]
    body = {"messages": [{"role": "user", "content": parts}]}
    answer = client.post("/v1/chat/completions", json=body).json()
    assert answer["choices"][0]["message"]["content"] == ANSWER["answer"]
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == [
        "hopyard",
        "hopyard-links",
    ]
