"""Hopyard as a sub-agent of deepagents."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import edit, proposed
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.runnables import Runnable
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import hopyard
from hopyard.state.settings.fields import Context

from ...graphs.script import IRON, QUESTION, STONE, Script

deepagents = pytest.importorskip("deepagents")

ASKS: Any = {"messages": [HumanMessage("Tell me about bridges.")]}
THREAD: Any = {"configurable": {"thread_id": "t"}}


class Delegating(FakeMessagesListChatModel):
    """The main agent's model: it hands the question to the sub-agent, then it is done."""

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, Any]:
        return self


def delegate(question: str = QUESTION) -> AIMessage:
    arguments = {"description": question, "subagent_type": "bridges"}
    return AIMessage("", tool_calls=[{"name": "task", "args": arguments, "id": "1"}])


@pytest.fixture
def settings(tree: Context) -> dict[str, Any]:
    return tree.model_dump(exclude_defaults=True)


def agent_of(settings: dict[str, Any]) -> Any:
    documents = hopyard.as_subagent(name="bridges", description="On bridges.", settings=settings)
    model = Delegating(responses=[delegate(), AIMessage("Done.")])
    return deepagents.create_deep_agent(model, subagents=[documents], checkpointer=InMemorySaver())


def told(state: Any) -> str:
    [message] = [message for message in state["messages"] if message.type == "tool"]
    return str(message.text)


async def test_the_main_agent_reads_the_answer_with_its_quotes(settings: dict[str, Any]) -> None:
    state = await agent_of(settings).ainvoke(ASKS, THREAD)
    answer, *quotes = told(state).splitlines()
    assert answer == "Stone Bridge"
    assert quotes[0].startswith("[1] Stone Bridge: “")
    assert state["messages"][-1].text == "Done."
    assert "citations" not in state


def test_it_works_in_a_sync_agent(settings: dict[str, Any]) -> None:
    assert told(agent_of(settings).invoke(ASKS, THREAD)).startswith("Stone Bridge")


async def test_an_error_is_told_to_the_main_agent(settings: dict[str, Any]) -> None:
    state = await agent_of({**settings, "index": "nowhere"}).ainvoke(ASKS, THREAD)
    assert "no index in 'nowhere'" in told(state)


async def test_an_approval_stops_the_main_agent(settings: dict[str, Any], script: Script) -> None:
    agent = agent_of({**settings, "approve": ["decomposition"]})
    stopped = await agent.ainvoke(ASKS, THREAD)
    [interrupt] = stopped["__interrupt__"]
    assert proposed(interrupt.value) == [IRON, STONE]
    answer = edit("decomposition", sub_questions=["Who cast the ribs?", STONE])
    done = await agent.ainvoke(Command(resume=answer), THREAD)
    assert told(done).startswith("Stone Bridge")
    assert ("read", "Who cast the ribs?") in script.asked
    assert script.asked.count(("split", QUESTION)) == 1


@pytest.mark.usefixtures("model_server")  # it streams in pieces
async def test_the_answers_words_stream_from_the_sub_agent(settings: dict[str, Any]) -> None:
    words = []
    async for namespace, (message, _) in agent_of(settings).astream(
        ASKS, THREAD, stream_mode="messages", subgraphs=True
    ):
        if isinstance(message, AIMessageChunk):
            words.append((namespace[0].partition(":")[0], message.text))
    assert "".join(text for place, text in words if place == "tools") == "Stone Bridge"
