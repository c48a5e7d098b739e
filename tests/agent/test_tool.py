"""The tool alone, and in agents that are called without an event loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import Runnable
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

import hopyard

from .conftest import QUESTION, SETTINGS, Scripted

THREAD: Any = {"configurable": {"thread_id": "t"}}
ASKED: Any = {"messages": [("user", "Tell me about bridges.")]}


class Caller(FakeMessagesListChatModel):
    """A chat model that calls the tool once."""

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, Any]:
        return self


def agent_with(tool: Any, saver: Any = None) -> Any:
    call = {"name": "hopyard", "args": {"question": QUESTION}, "id": "1"}
    model = Caller(responses=[AIMessage("", tool_calls=[call]), AIMessage("Done.")])
    return create_agent(model, [tool], checkpointer=saver)


def result_of(state: Any) -> ToolMessage:
    [message] = [each for each in state["messages"] if isinstance(each, ToolMessage)]
    return message


@pytest.fixture(params=["memory", "sqlite"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseCheckpointSaver[Any]]:
    if request.param == "memory":
        yield InMemorySaver()
        return
    connection = sqlite3.connect(tmp_path / "agent.sqlite", check_same_thread=False)
    yield SqliteSaver(connection)
    connection.close()


async def test_alone(hop: hopyard.Hopyard) -> None:
    tool = hopyard.as_tool(hop)
    told = "1781\n[1] Iron Bridge: “The Iron Bridge was opened in 1781.”"
    assert tool.invoke(QUESTION) == tool.invoke({"question": QUESTION}) == told
    assert await tool.ainvoke(QUESTION) == told
    call = {"type": "tool_call", "name": "hopyard", "id": "1", "args": {"question": QUESTION}}
    message = tool.invoke(call)
    assert message.artifact["strategy"] == "single"
    assert hop.threads() == []  # a tool keeps no thread of its own


def test_alone_a_fault_is_one_sentence(index: Path, chat: Scripted) -> None:
    tool = hopyard.as_tool(index / "nothing", model=chat, settings=SETTINGS)
    assert "no index in" in tool.invoke(QUESTION)


def test_in_a_sync_agent(hop: hopyard.Hopyard, saver: BaseCheckpointSaver[Any]) -> None:
    agent = agent_with(hopyard.as_tool(hop), saver)
    seen: list[str] = []
    for part in agent.stream(
        ASKED, THREAD, stream_mode=["updates", "custom"], subgraphs=True, version="v2"
    ):
        if part["type"] == "updates":
            seen += part["data"]
    assert seen[0] == "model"
    assert {"receive", "route", "finish", "tools"} <= set(seen)
    assert result_of(agent.get_state(THREAD).values).text.startswith("1781")
    spaces = {saved.config["configurable"]["checkpoint_ns"] for saved in saver.list(THREAD)}
    assert any(space.startswith("tools:") for space in spaces)  # it runs in the agent's thread
    assert hop.threads() == []


@pytest.mark.parametrize(
    "where",
    [
        "title=Stone Bridge",
        ["title=Stone Bridge"],
        {"title": ["Stone Bridge"]},
        '["title=Stone Bridge"]',  # agents write lists and mappings as text
        '{"title": "Stone Bridge"}',
    ],
)
def test_conditions_are_one_text_a_list_or_a_mapping(hop: hopyard.Hopyard, where: Any) -> None:
    call = {"type": "tool_call", "name": "hopyard", "id": "1"}
    args = {"question": QUESTION, "where": where}
    found = hopyard.as_tool(hop).invoke(call | {"args": args}).artifact["evidence"]
    assert [unit["id"] for unit in found] == ["stone-bridge"]
    answer = hop.search(QUESTION, where=where)
    assert [unit.id for unit in answer] == ["stone-bridge"]


def test_the_agents_limit_of_steps_is_not_the_tools(hop: hopyard.Hopyard) -> None:
    agent = agent_with(hopyard.as_tool(hop))
    few: Any = {"recursion_limit": 4}  # the model, the tool, the model, the end
    assert result_of(agent.invoke(ASKED, few)).text.startswith("1781")


def test_an_approval_stops_a_sync_agent(
    index: Path, chat: Scripted, saver: BaseCheckpointSaver[Any]
) -> None:
    chat._chat.answers = {"Route": {"strategy": "single"}, "Answer": {"answer": "1781"}}
    settings = SETTINGS | {"strategy": "auto", "approve": "route", "check": "off"}
    agent = agent_with(hopyard.as_tool(index, model=chat, settings=settings), saver)
    stopped = agent.invoke(ASKED, THREAD)
    [asked] = stopped["__interrupt__"]
    assert asked.value["action_requests"][0]["name"] == "route"
    done = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert result_of(done).text.startswith("1781")
    assert [request.name for request in chat._chat.requests] == ["Route", "Answer"]
