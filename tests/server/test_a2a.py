"""A2A, through its official client: text in, text out, a follow-up, a stream, an approval."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid5

import httpx
import pytest
from langgraph_sdk import get_client

from ..graphs.script import said
from .conftest import IRON, QUESTION, STONE, Server

pytest.importorskip("a2a")

from a2a.client import Client, ClientConfig, create_client
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import Message, Role, SendMessageRequest, Task, TaskState

pytestmark = pytest.mark.server

HOPYARD = uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), "hopyard")
"""LangGraph makes the id of a graph's own assistant from its name."""


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        yield client


async def connect(http: httpx.AsyncClient, server: Server, assistant: object) -> Client:
    config = ClientConfig(httpx_client=http, streaming=False)
    return await create_client(f"{server.address}/a2a/{assistant}", client_config=config)


@pytest.fixture
async def agent(comparison: Server, http: httpx.AsyncClient) -> Client:
    return await connect(http, comparison, HOPYARD)


async def send(agent: Client, message: Message) -> Task:
    [reply] = [reply async for reply in agent.send_message(SendMessageRequest(message=message))]
    return reply.task


def ask(text: str, **place: str) -> Message:
    return new_text_message(text, role=Role.ROLE_USER, **place)


def answer(task: Task) -> str:
    assert task.status.state == TaskState.TASK_STATE_COMPLETED
    [artifact] = task.artifacts
    return get_artifact_text(artifact)


async def test_a_message_is_answered_with_text_and_followed_up(
    agent: Client, comparison: Server
) -> None:
    first = await send(agent, ask(QUESTION))
    assert answer(first) == "Stone Bridge"
    comparison.script.lines["rewrite", "And when?"] = {"question": STONE}
    second = await send(agent, ask("And when?", context_id=first.context_id))
    assert answer(second) == f"read: {STONE}"


async def test_a_stream_carries_the_answers_words(
    comparison: Server, http: httpx.AsyncClient
) -> None:
    """The server's stream has the fields of A2A 0.3, which the client for 1.0 does not read."""
    question, words = "Which bridge crosses the Severn?", "The Iron Bridge, since 1781"
    comparison.script.lines["read", question] = said(words)
    parts = [{"kind": "text", "text": question}]
    message = {"messageId": "1", "role": "user", "parts": parts}
    call = {"jsonrpc": "2.0", "id": "1", "method": "message/stream", "params": {"message": message}}
    updates = []
    url, headers = f"{comparison.address}/a2a/{HOPYARD}", {"accept": "text/event-stream"}
    async with http.stream("POST", url, json=call, headers=headers) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                update = json.loads(line.removeprefix("data: "))["result"]
                updates.append(update)
    spoken = [
        update["status"]["message"]["parts"][0]["text"]
        for update in updates
        if "message" in update.get("status", {})
    ]
    assert len(spoken) > 5
    assert all(words.startswith(text) for text in spoken), spoken
    [artifact] = [update["artifact"] for update in updates if "artifact" in update]
    assert artifact["parts"] == [{"kind": "text", "text": words}]


async def test_an_approval_is_asked_for_and_given_as_text(
    comparison: Server, http: httpx.AsyncClient
) -> None:
    async with get_client(url=comparison.address) as server:
        context: Any = comparison.context(seed=31, strategy="tree", approve=["decomposition"])
        assistant = await server.assistants.create("hopyard", context=context)
    asking = await connect(http, comparison, assistant["assistant_id"])
    task = await send(asking, ask(QUESTION))
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    request = str(task.artifacts)
    assert IRON in request
    assert "approve" in request
    place = {"context_id": task.context_id, "task_id": task.id}
    assert answer(await send(asking, ask("Approve", **place))) == "Stone Bridge"
