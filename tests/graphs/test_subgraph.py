"""Hopyard as a node of another graph: sync, async, streamed, and stopped for an approval."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import APPROVE, proposed
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

import hopyard
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

from .script import IRON, QUESTION, STONE

THREAD: Any = {"configurable": {"thread_id": "t"}}


class Letter(TypedDict):
    """A state that shares some keys with Hopyard's output, and has one of its own."""

    question: str
    answer: str
    text: str


@pytest.fixture
def settings(tree: Context) -> dict[str, Any]:
    return tree.model_dump(exclude_defaults=True)


def around(state: Any, settings: dict[str, Any], **options: Any) -> Any:
    builder = StateGraph(state)
    builder.add_node("documents", hopyard.as_graph(settings=settings))
    builder.add_edge(START, "documents")
    if "text" in state.__annotations__:
        builder.add_node("write", lambda given: {"text": f"{given['question']} {given['answer']}"})
        builder.add_edge("documents", "write")
        builder.add_edge("write", END)
    return builder.compile(**options)


LETTER = {"question": QUESTION, "answer": "Stone Bridge", "text": f"{QUESTION} Stone Bridge"}


FEW: Any = {"recursion_limit": 3}
"""Enough steps for the graph around it, and fewer than the agent takes."""


async def test_the_limit_of_steps_of_the_graph_around_it_is_not_its_own(
    settings: dict[str, Any],
) -> None:
    graph = around(Letter, settings)
    assert await graph.ainvoke({"question": QUESTION}, FEW) == LETTER
    assert graph.invoke({"question": QUESTION}, FEW) == LETTER


def test_a_subagent_keeps_its_own_limit_of_steps(settings: dict[str, Any]) -> None:
    subagent = hopyard.as_subagent(settings=settings)
    builder = StateGraph(MessagesState).add_node("documents", subagent["runnable"])
    graph = builder.add_edge(START, "documents").add_edge("documents", END).compile()
    output = graph.invoke({"messages": [HumanMessage(QUESTION)]}, FEW)
    assert output["messages"][-1].text.startswith("Stone Bridge")


def test_it_can_be_used_alone_and_gives_all(settings: dict[str, Any]) -> None:
    graph = hopyard.as_graph(settings=settings, name="bridges")
    output = graph.invoke({"question": QUESTION})
    assert (graph.name, output["answer"], output["strategy"]) == ("bridges", "Stone Bridge", "tree")
    assert [step["kind"] for step in output["steps"]][-1] == "aggregate"
    assert output["messages"][-1].text == "Stone Bridge"


async def test_messages_go_in_and_the_answer_is_the_last_one(settings: dict[str, Any]) -> None:
    graph = around(MessagesState, settings)
    output = await graph.ainvoke({"messages": [HumanMessage(QUESTION)]})
    assert [message.text for message in output["messages"]] == [QUESTION, "Stone Bridge"]


def nodes_of(updates: list[Any]) -> set[str]:
    return {name for _, update in updates for name in update}


def test_its_steps_stream_with_the_graph_around_it(settings: dict[str, Any]) -> None:
    graph = around(Letter, settings)
    updates = list(graph.stream({"question": QUESTION}, stream_mode="updates", subgraphs=True))
    assert {"documents", "write", "ask", "route", "tree", "finish"} <= nodes_of(updates)
    assert next(reversed(updates))[1] == {"write": {"text": LETTER["text"]}}


async def test_its_steps_stream_async_too(settings: dict[str, Any]) -> None:
    stream = around(Letter, settings).astream(
        {"question": QUESTION}, stream_mode="updates", subgraphs=True
    )
    assert {"documents", "ask", "tree"} <= nodes_of([update async for update in stream])


@pytest.mark.parametrize("is_sync", [True, False])
async def test_an_approval_stops_the_graph_around_it(
    settings: dict[str, Any], is_sync: bool
) -> None:
    asks = settings | {"approve": ["decomposition"]}
    graph = around(Letter, asks, checkpointer=InMemorySaver())
    given: Any = {"question": QUESTION}
    stopped = graph.invoke(given, THREAD) if is_sync else await graph.ainvoke(given, THREAD)
    [request] = stopped["__interrupt__"]
    assert proposed(request.value) == [IRON, STONE]
    resume: Any = Command(resume=APPROVE)
    ended = graph.invoke(resume, THREAD) if is_sync else await graph.ainvoke(resume, THREAD)
    assert ended == LETTER


def test_an_error_reaches_the_graph_around_it(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="The question is empty"):
        around(Letter, settings).invoke({"question": " "})
