"""The endpoint as real clients use it: OpenAI's own, and LangChain's."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from model_server import ModelServer, Reply
from starlette.testclient import TestClient

from hopyard.web.chats import Chat, Conversations
from hopyard.web.completion import Completion
from hopyard.web.runs import IDLE, Run

from .conftest import ANSWER, QUESTION, replies

MODEL: Any = {"model": "hopyard", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.fixture
def own(client: TestClient) -> openai.OpenAI:
    return openai.OpenAI(base_url="http://localhost/v1", api_key="any", http_client=client)


def test_the_client_of_openai_gets_text_citations_and_tokens(own: openai.OpenAI) -> None:
    assert [model.id for model in own.models.list()] == ["hopyard", "hopyard-links"]
    assert own.models.retrieve("hopyard").owned_by == "hopyard"
    [choice] = own.chat.completions.create(**MODEL).choices
    assert (choice.message.content, choice.finish_reason) == (ANSWER["answer"], "stop")
    [cited] = choice.message.annotations or []
    assert choice.message.content[cited.url_citation.start_index :].startswith("[1]")
    streamed = list(
        own.chat.completions.create(**MODEL, stream=True, stream_options={"include_usage": True})
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in streamed[:-1])
    assert text == ANSWER["answer"]
    assert streamed[-1].usage is not None
    with own.chat.completions.stream(**MODEL) as events:
        assert events.get_final_completion().choices[0].message.content == ANSWER["answer"]


def test_a_failed_question_is_not_asked_again_by_the_client(
    own: openai.OpenAI, chat: ModelServer
) -> None:
    chat.answer = replies({"Answer": Reply(401)})
    with pytest.raises(openai.InternalServerError, match="The model scripted"):
        own.chat.completions.create(**MODEL)
    assert len(chat.calls) == 1
    with pytest.raises(openai.APIError, match="The model scripted"):
        list(own.chat.completions.create(**MODEL, stream=True))
    with pytest.raises(openai.NotFoundError, match="There is no model 'other'"):
        own.chat.completions.create(**MODEL | {"model": "other"})


def test_langchain_gets_the_answer_whole_and_in_pieces(client: TestClient) -> None:
    model = ChatOpenAI(
        model="hopyard", base_url="http://localhost/v1", api_key="x", http_client=client
    )
    pieces = list(model.stream(QUESTION, stream_usage=True))
    assert "".join(piece.text for piece in pieces) == ANSWER["answer"]
    assert sum((piece.usage_metadata or {}).get("total_tokens", 0) for piece in pieces) > 100
    assert model.invoke(QUESTION).text == ANSWER["answer"]


def test_a_run_that_says_nothing_tells_that_it_goes_on() -> None:
    async def first() -> list[Any]:
        run, told = Run("a", QUESTION), []
        async for happening in run.follow(idle=0.01):
            told.append(happening)
            if happening is IDLE:
                run.tell("stopped", {})
        return told

    assert [happening.kind for happening in asyncio.run(first())][:2] == ["begin", "idle"]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("Unk", 0), ("nown", 0), ("", 1), ("In 1700.", 0)], "In 1700."),
        ([("In 1", 0), ("", 1), ("In", 0), (" 1700.", 0)], "In 1700."),
        ([("In 17", 0), ("In 1700.", 1)], "In 1700."),
        ([("In 1800", 0), ("", 1), ("In", 0), (" 1700.", 0)], "In 1800\n\n---\n\nIn 1700."),
        ([("Under", 0), (" it.", 0)], "Under it."),
        ([("Unknown", 0)], ""),  # it comes with the end
    ],
)
def test_what_a_client_gets_of_an_answer_that_begins_again(
    pieces: list[tuple[str, int]], text: str
) -> None:
    async def told() -> str:
        run = Run("a", QUESTION)
        for piece, restart in pieces:
            run.tell("token", {"text": piece, "restart": bool(restart)})
        run.tell("stopped", {})
        completion = Completion(run, Chat([HumanMessage(QUESTION)]), "http://localhost/", 1)
        lines = [line async for line in completion.chunks(Conversations())]
        chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        deltas = [each["choices"][0]["delta"] for each in chunks if "choices" in each]
        return "".join(delta.get("content", "") for delta in deltas)

    assert asyncio.run(told()) == text


def test_a_model_that_begins_again_leaves_a_conversation_that_continues(
    own: openai.OpenAI, client: TestClient, chat: ModelServer
) -> None:
    """The client sends back all that it got, the first attempt too."""
    chat.answer = replies(
        {
            "Answer": {"answer": "In 1700 [7].", "passages": [7]},
            "StandAlone": {"kind": "question", "question": "And its length?"},
        }
    )
    pieces = own.chat.completions.create(**MODEL, stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in pieces)
    assert text.startswith("In 1700 [1].\n\n---\n\nIn 1700.")
    said = [
        *MODEL["messages"],
        {"role": "assistant", "content": text},
        {"role": "user", "content": "And its length?"},
    ]
    own.chat.completions.create(**MODEL | {"messages": said})
    [thread] = client.get("/api/threads").json()["threads"]
    assert len(client.get(f"/api/threads/{thread['thread_id']}").json()["turns"]) == 2
