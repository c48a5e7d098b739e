"""Hopyard as a tool of `create_agent`: context, streaming, interrupts and resume pass through."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import APPROVE, REJECT, edit, proposed, question
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import Runnable
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hopyard import as_tool
from hopyard.agent.tool import readable
from hopyard.state.settings.fields import Context

from ...graphs.conftest import changed
from ...graphs.script import GARBAGE, IRON, QUESTION, STONE, Script, split
from ...graphs.tree.trees import nodes


class Caller(FakeMessagesListChatModel):
    """A chat model that calls tools as it is told to."""

    def bind_tools(self, tools: Any, **_: Any) -> Runnable[Any, Any]:
        return self


def calls(*questions: str, name: str = "hopyard") -> AIMessage:
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": {"question": question}, "id": str(number)}
            for number, question in enumerate(questions)
        ],
    )


def agent_of(*messages: AIMessage, tool: Any = None, **options: Any) -> Any:
    model = Caller(responses=[*messages])
    return create_agent(model, [tool or as_tool()], checkpointer=InMemorySaver(), **options)


def asks() -> dict[str, Any]:
    return {"messages": [("user", "Tell me about bridges.")]}


THREAD: Any = {"configurable": {"thread_id": "t"}}


def tool_messages(state: Any) -> list[ToolMessage]:
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


async def test_a_tool_takes_a_question_and_conditions() -> None:
    tool = as_tool(name="bridges", description="About bridges.", settings=Context(index="x"))
    schema = tool.tool_call_schema.model_json_schema()  # type: ignore[union-attr]
    assert (list(schema["properties"]), schema["required"]) == (["question", "where"], ["question"])
    assert "date>=2024-01" in schema["properties"]["where"]["description"]
    assert (tool.name, tool.description) == ("bridges", "About bridges.")


async def test_the_agent_gets_the_answer_with_its_citations(tree: Context) -> None:
    agent = agent_of(calls(QUESTION), AIMessage("Done."), tool=as_tool(settings=tree))
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD))
    answer, *quotes = message.text.splitlines()
    assert answer == "Stone Bridge"
    assert quotes[0].startswith("[1] Stone Bridge: “")
    assert message.artifact["strategy"] == "tree"
    for unit in message.artifact["evidence"]:
        [source] = unit["sources"]
        assert (source["passage_id"], source["document_id"]) == (unit["id"], unit["id"])
        assert source["reference"] == source["title"]
        assert "text" not in source
    assert message.artifact["citations"][0]["document_id"] == "stone-bridge"
    assert message.artifact["usage"]["model_calls"] == 8


async def test_texts_are_in_the_artifact_where_they_are_asked_for(tree: Context) -> None:
    single = changed(tree, strategy="single", where=["title=Stone Bridge"])
    tool = as_tool(settings=single, texts=True)
    agent = agent_of(calls(STONE), AIMessage("Done."), tool=tool)
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD))
    [unit] = message.artifact["evidence"]
    [source] = unit["sources"]
    assert source["reference"] == "Stone Bridge"
    assert "1146" in source["text"]
    assert message.artifact["citations"][0]["text"] == source["text"]


async def test_an_index_that_is_not_there_is_told_to_the_model(
    tree: Context, script: Script
) -> None:
    agent = agent_of(
        calls(QUESTION), AIMessage("Done."), tool=as_tool(settings=changed(tree, index="nowhere"))
    )
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD))
    assert message.status == "error"
    assert "no index in 'nowhere'" in message.text
    assert script.asked == []


async def test_the_context_of_the_agents_run_is_the_tools(tree: Context) -> None:
    agent = agent_of(
        *(calls(STONE), AIMessage("Done.")),
        tool=as_tool(settings=changed(tree, strategy="direct")),
        context_schema=Context,
    )
    single = changed(tree, strategy="single")
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD, context=single))
    assert message.artifact["strategy"] == "single"
    assert message.text.startswith("1146")


@pytest.mark.usefixtures("model_server")  # it streams in pieces
async def test_steps_and_tokens_stream_with_the_agents(tree: Context) -> None:
    agent = agent_of(calls(QUESTION), AIMessage("Done."), tool=as_tool(settings=tree))
    steps: list[tuple[str, str]] = []
    tokens: list[tuple[str, str]] = []
    answer: list[str] = []
    async for part in agent.astream(
        asks(), THREAD, stream_mode=["updates", "messages", "custom"], subgraphs=True, version="v2"
    ):
        path = "/".join(name.partition(":")[0] for name in part["ns"])
        if part["type"] == "updates":
            steps += [(path, node) for node in part["data"]]
        elif part["type"] == "custom":
            answer.append(part["data"].get("text", ""))
        elif part["data"][0].type == "AIMessageChunk":
            tokens.append((path, part["data"][0].text))
    assert steps[0] == ("", "model")
    assert ("tools", "route") in steps
    assert ("tools/tree", "decompose") in steps
    assert steps[-2:] == [("", "tools"), ("", "model")]
    assert {path for path, _ in tokens} == {"tools"}
    assert "".join(text for _, text in tokens) == "Stone Bridge"
    assert "".join(answer) == "Stone Bridge"


async def test_an_approval_stops_the_agent_and_both_go_on(tree: Context, script: Script) -> None:
    tool = as_tool(settings=changed(tree, approve="decomposition"))
    agent = agent_of(calls(QUESTION), AIMessage("Done."), tool=tool)
    stopped = await agent.ainvoke(asks(), THREAD)
    [interrupt] = stopped["__interrupt__"]
    assert proposed(interrupt.value) == [IRON, STONE]
    edited = edit("decomposition", sub_questions=["Who cast the ribs?", STONE])
    done = await agent.ainvoke(Command(resume=edited), THREAD)
    [message] = tool_messages(done)
    asked = [node["question"] for node in nodes(message.artifact).values()]
    assert asked == [QUESTION, "Who cast the ribs?", STONE]
    assert script.asked.count(("split", QUESTION)) == 1
    assert done["messages"][-1].text == "Done."


async def test_questions_side_by_side_wait_for_answers_of_their_own(
    tree: Context, script: Script
) -> None:
    script.lines["split", "Another?"] = split("A?", "B?")
    tool = as_tool(settings=changed(tree, approve="decomposition"))
    agent = agent_of(calls(QUESTION, "Another?"), AIMessage("Done."), tool=tool)
    stopped = await agent.ainvoke(asks(), THREAD)
    answers = {
        asked.id: APPROVE if question(asked.value) == QUESTION else REJECT
        for asked in stopped["__interrupt__"]
    }
    assert len(answers) == 2
    first, second = tool_messages(await agent.ainvoke(Command(resume=answers), THREAD))
    assert first.text.startswith("Stone Bridge")
    assert second.text.startswith("read: Another?")


async def test_a_failed_run_tells_the_agent_its_kind_and_what_was_found(
    tree: Context, script: Script
) -> None:
    fact = "The Iron Bridge was opened in 1781."
    found = {"findings": [{"fact": fact, "passage": 1}], "kind": "search", "searches": [STONE]}
    script.lines = {("step", QUESTION): [found, GARBAGE]}
    chain = changed(tree, strategy="chain")
    agent = agent_of(calls(QUESTION), AIMessage("Done."), tool=as_tool(settings=chain))
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD))
    assert message.status == "error"
    sentence, kind, head, *told = message.text.splitlines()
    assert "no usable output" in sentence
    assert kind == "Kind of failure: unfit."
    assert head == "Found before it failed:"
    assert told == [f"- {QUESTION}: {fact}"]
    assert "Unknown" not in message.text


@pytest.mark.parametrize(
    ("own", "where", "read"),
    [
        ([], None, "Iron Bridge"),
        ([], ["title=Severn"], "Severn"),
        (["title!=Iron Bridge"], ["title=Iron Bridge,Severn"], "Severn"),
    ],
)
def test_an_agent_filters_the_documents(
    context: Context, own: list[str], where: list[str] | None, read: str
) -> None:
    tool = as_tool(settings=changed(context, strategy="single", where=own))
    asked = {"question": IRON} | ({"where": where} if where else {})
    message = tool.invoke({"type": "tool_call", "name": "hopyard", "id": "1", "args": asked})
    [first, *others] = message.artifact["evidence"]
    assert first["sources"][0]["title"] == read
    if where:
        assert others == []


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        (["date=>2024"], "date=>2024' has the unknown operator =>: write 'date>=2024'"),
        (["colour=red"], "No passage of the index has the field 'colour' that a filter names"),
    ],
)
def test_an_agent_reads_what_is_wrong_with_its_conditions(
    context: Context, where: list[str], sentence: str
) -> None:
    tool = as_tool(settings=changed(context, strategy="single"))
    assert sentence in tool.invoke({"question": IRON, "where": where})


def unknown(**more: Any) -> Any:
    output = {"answer": "Unknown", "citations": [], "truncated": False, "steps": [], "evidence": []}
    return output | more


def test_an_unknown_answer_says_why() -> None:
    failed = {"kind": "read", "verdict": "failed", "reason": "The model x failed (odd): try again."}
    assert readable(unknown(steps=[failed, failed])) == (
        "Unknown\nA part of the search failed: The model x failed (odd): try again."
    )
    assert readable(unknown(steps=[{"kind": "read", "verdict": "leaf"}], evidence=[1, 2])) == (
        "Unknown\nThe documents do not say it in the 2 passages that were read."
    )
    assert readable(unknown()) == (
        "Unknown\nNo passage of the documents was found for this question."
    )
    assert readable(unknown(answer="1781")) == "1781"
