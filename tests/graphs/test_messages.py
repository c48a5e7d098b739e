"""Messages in and out, and the `messages` stream: the words of the answer and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from model_server import ModelServer

from hopyard.graphs import router
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import IRON, QUESTION, STONE, Script, said, split

FULL = "The Iron Bridge was opened in 1781 [2]. The Stone Bridge was completed in 1146 [1]."
CONFIG: Any = {"configurable": {"thread_id": "t"}}

pytestmark = pytest.mark.usefixtures("model_server")  # it streams in pieces


def answered(answer: str, *passages: int) -> dict[str, Any]:
    return {"thought": "I read the [1] and thought.", "answer": answer, "passages": [*passages]}


@pytest.fixture
def agent() -> Any:
    return router.build().compile(checkpointer=InMemorySaver())


@pytest.fixture
def tree(context: Context, script: Script) -> Context:
    """A tree of seven calls, one of which writes the answer."""
    script.lines = {
        ("route", QUESTION): {"strategy": "tree"},
        ("split", QUESTION): split(IRON, STONE),
        ("aggregate", QUESTION): said("Stone Bridge, completed in 1146"),
    }
    return changed(context, strategy="auto")


@pytest.fixture
def capable(context: Context) -> Context:
    return changed(context, profile="capable", strategy="single", route="model")


async def streamed(
    graph: Any, question: str, context: Context, **options: Any
) -> list[tuple[BaseMessage, Any]]:
    """Everything on the messages stream."""
    given = {"messages": [HumanMessage(question)]}
    stream = graph.astream(given, CONFIG, context=context, stream_mode="messages", **options)
    return [part async for part in stream]


def texts(parts: list[tuple[BaseMessage, Any]]) -> list[str]:
    """The text of each message, in the order in which they began."""
    found: dict[str, str] = {}
    for message, _ in parts:
        assert isinstance(message, AIMessage)
        found[str(message.id)] = found.get(str(message.id), "") + message.text
    return list(found.values())


async def test_a_chat_sends_messages_and_reads_an_ai_message(
    agent: Any, tree: Context, script: Script
) -> None:
    first = await agent.ainvoke({"messages": [("user", QUESTION)]}, CONFIG, context=tree)
    assert [message.type for message in first["messages"]] == ["human", "ai"]
    assert first["messages"][-1].text == first["answer"] == "Stone Bridge, completed in 1146"
    script.lines["rewrite", "And when was it completed?"] = {"question": STONE}
    follow_up = {"messages": [("user", "And when was it completed?")]}
    second = await agent.ainvoke(follow_up, CONFIG, context=changed(tree, strategy="single"))
    assert [message.text for message in second["messages"]] == [
        QUESTION,
        "Stone Bridge, completed in 1146",
        "And when was it completed?",
        f"read: {STONE}",
    ]
    assert second["question"] == STONE


@pytest.mark.parametrize("subgraphs", [False, True])
async def test_only_the_answer_is_streamed_in_pieces_of_one_message(
    agent: Any, tree: Context, script: Script, subgraphs: bool
) -> None:
    parts = await streamed(agent, QUESTION, tree, subgraphs=subgraphs)
    if subgraphs:
        assert {namespace for namespace, _ in parts} == {()}
        parts = [part for _, part in parts]
    assert len(script.asked) == 9
    assert all(isinstance(message, AIMessageChunk) for message, _ in parts)
    assert len(parts) > 5
    assert texts(parts) == ["Stone Bridge, completed in 1146"]
    assert {metadata["langgraph_node"] for _, metadata in parts} == {"tree"}
    state = (await agent.aget_state(CONFIG)).values
    assert state["messages"][-1].id == parts[0][0].id
    assert state["messages"][-1].text == "Stone Bridge, completed in 1146"


async def test_an_answer_that_the_ledger_has_is_streamed_too(agent: Any, tree: Context) -> None:
    first = await streamed(agent, QUESTION, tree)
    again = await streamed(router.graph, QUESTION, tree)
    assert texts(again) == texts(first)
    assert again[0][0].id != first[0][0].id


async def test_numbers_of_passages_wait_for_the_check(
    agent: Any, capable: Context, script: Script
) -> None:
    script.lines["read", QUESTION] = answered(FULL, 1, 2)
    parts = await streamed(agent, QUESTION, capable)
    assert texts(parts) == [
        "The Iron Bridge was opened in 1781. The Stone Bridge was completed in 1146."
    ]
    message = (await agent.aget_state(CONFIG)).values["messages"][-1]
    assert message.id == parts[0][0].id
    assert "1781 [1]." in message.text
    assert "1146 [2]." in message.text


async def test_brackets_of_an_answer_without_passages_stay(
    agent: Any, capable: Context, script: Script
) -> None:
    script.lines["direct", QUESTION] = {"thought": "", "answer": "Sorted: [1, 2] and [3]."}
    parts = await streamed(agent, QUESTION, changed(capable, strategy="direct"))
    assert texts(parts) == ["Sorted: [1, 2] and [3]."]


async def test_an_answer_that_is_unknown_is_not_streamed_before_a_stronger_strategy_answers(
    agent: Any, capable: Context, script: Script
) -> None:
    script.lines |= {
        ("read", QUESTION): answered("Unknown"),
        ("step", QUESTION): {
            "thought": "",
            "findings": [{"fact": "The Stone Bridge was completed in 1146.", "passage": 1}],
            "kind": "answer",
            "searches": [],
            "unconfirmed": "",
            "answer": "In 1146",
        },
    }
    routed = changed(capable, strategy="auto", check="on")
    script.lines["route", QUESTION] = {"thought": "", "strategy": "single", "confidence": 1}
    parts = await streamed(agent, QUESTION, routed)
    assert {kind for kind, _ in script.asked} >= {"read", "step"}
    assert texts(parts) == ["In 1146"]


async def test_an_answer_that_stays_unknown_comes_as_one_message(
    agent: Any, context: Context, script: Script
) -> None:
    script.lines["read", QUESTION] = said("Unknown")
    parts = await streamed(agent, QUESTION, changed(context, strategy="single"))
    assert texts(parts) == ["Unknown"]


@pytest.mark.parametrize(
    ("first", "second", "messages"),
    [
        ("three bridges", "two bridges", ["three bridges", "two bridges"]),
        ("two bridges", "two bridges, both of iron", ["two bridges, both of iron"]),
        ("two bridges", "two bridges", ["two bridges"]),
        ("two bridges", "two", ["two bridges", "two"]),
    ],
)
async def test_another_try_is_another_message_if_it_is_in_other_words(
    first: str,
    second: str,
    messages: list[str],
    agent: Any,
    context: Context,
    model_server: ModelServer,
    retries: Callable[[int], None],
) -> None:
    retries(1)
    replies: list[Any] = [f'{{"answer": "{first}", "more": 1}}', said(second)]
    model_server.answer = lambda title, messages: replies.pop(0)
    parts = await streamed(agent, QUESTION, changed(context, strategy="single"))
    assert texts(parts) == messages
    assert (await agent.aget_state(CONFIG)).values["messages"][-1].id == parts[-1][0].id


async def test_inside_a_larger_graph_the_node_gives_a_message(tree: Context) -> None:
    async def ask(state: MessagesState) -> dict[str, Any]:
        given: Any = {"messages": state["messages"]}
        output = await router.graph.ainvoke(given, context=tree)
        return {"messages": output["messages"][-1:]}

    builder = StateGraph(MessagesState).add_node("ask", ask)
    larger = builder.add_edge(START, "ask").add_edge("ask", END).compile()
    given: Any = {"messages": [HumanMessage(QUESTION)]}
    parts: Any = [part async for part in larger.astream(given, stream_mode="messages")]
    assert texts(parts) == ["Stone Bridge, completed in 1146"]
    inner = [
        (namespace[0].partition(":")[0], message)
        async for namespace, (message, _) in larger.astream(  # type: ignore[misc]
            given, stream_mode="messages", subgraphs=True
        )
    ]
    assert {namespace for namespace, _ in inner} == {"ask"}
    assert texts([(message, {}) for _, message in inner]) == texts(parts)


async def test_the_agent_as_a_node_adds_its_answer_to_the_conversation(tree: Context) -> None:
    builder = StateGraph(MessagesState, context_schema=Context).add_node("hopyard", router.graph)
    chat = builder.add_edge(START, "hopyard").add_edge("hopyard", END).compile()
    given: Any = {"messages": [HumanMessage(QUESTION)]}
    result = await chat.ainvoke(given, context=tree)
    assert [message.text for message in result["messages"]] == [
        QUESTION,
        "Stone Bridge, completed in 1146",
    ]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
async def test_events_of_langgraphs_next_protocol_have_the_answer_too(tree: Context) -> None:
    given: Any = {"messages": [HumanMessage(QUESTION)]}
    run = await router.graph.astream_events(given, context=tree, version="v3")
    [pieces] = [[piece async for piece in message.text] async for message in run.messages]
    assert "".join(pieces) == "Stone Bridge, completed in 1146"
    assert len(pieces) > 5


async def test_nobody_who_does_not_listen_is_told(tree: Context, script: Script) -> None:
    from langchain_core.callbacks import UsageMetadataCallbackHandler

    counted = UsageMetadataCallbackHandler()
    given: Any = {"messages": [HumanMessage(QUESTION)]}
    await router.graph.ainvoke(given, {"callbacks": [counted]}, context=tree)
    started: list[str] = []

    class Watch(UsageMetadataCallbackHandler):
        def on_chat_model_start(self, serialized: Any, messages: Any, **_: Any) -> None:
            started.append(str(serialized))

    script.asked.clear()
    quiet = changed(tree, seed=5)
    stream = router.graph.astream(
        given, {"callbacks": [Watch()]}, context=quiet, stream_mode="messages"
    )
    assert [part async for part in stream]
    assert len(started) == len(script.asked)
