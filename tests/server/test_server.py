"""What Studio does, through langgraph-sdk: run, stream, history, fork, approve, remote."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from approvals import REJECT, proposed
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import LangGraphClient

from hopyard.agent.server import describe
from hopyard.state.settings.fields import Context, setting_groups

from ..graphs.tree.trees import nodes
from .conftest import CONFIG, IRON, QUESTION, STONE, Server

OUTPUT = {
    "answer",
    "citations",
    "evidence",
    "read_share",
    "steps",
    "ending",
    "truncated",
    "unconfirmed",
    "usage",
}


async def test_every_graph_is_there_with_its_description_and_narrow_schemas(
    client: LangGraphClient, comparison: Server
) -> None:
    assert (await client.assistants.search())[0]["graph_id"] == "hopyard"
    assert "checkpointer missing" not in (comparison.folder / "log.txt").read_text()
    assistants = await client.assistants.search(limit=50)
    found = {assistant["graph_id"]: assistant for assistant in assistants}
    about = {name: assistant["description"] for name, assistant in found.items()}
    assert about == describe()
    agent = await client.assistants.get_schemas(found["hopyard"]["assistant_id"])
    assert set(agent["input_schema"]["properties"]) == {"question", "messages"}
    assert set(agent["output_schema"]["properties"]) == OUTPUT | {
        "question",
        "strategy",
        "gate",
        "route",
        "read_share",
        "explanation",
        "messages",
    }
    tree = await client.assistants.get_schemas(found["tree"]["assistant_id"])
    assert set(tree["output_schema"]["properties"]) == OUTPUT
    settings = agent["context_schema"]["properties"]
    assert set(settings) == {*Context.model_fields, *setting_groups()}
    groups = [*agent["context_schema"]["$defs"].values(), *(settings[g] for g in setting_groups())]
    for fields in (settings, *(group["properties"] for group in groups)):
        assert all(field.get("description") for field in fields.values())


async def test_a_question_streams_updates_and_the_answers_words(
    client: LangGraphClient, comparison: Server
) -> None:
    thread = await client.threads.create()
    steps, tokens, answer = [], [], []
    async for part in client.runs.stream(
        thread["thread_id"],
        "hopyard",
        input={"messages": [{"role": "user", "content": QUESTION}]},
        context=comparison.context(),
        stream_mode=["updates", "messages-tuple", "custom"],
        stream_subgraphs=True,
    ):
        kind, _, namespace = part.event.partition("|")
        graph = namespace.partition(":")[0]
        if kind == "updates":
            steps += [(graph, node) for node in part.data]
        elif kind == "messages":
            assert graph == ""
            tokens.append(part.data[0])
        elif kind == "custom":
            answer.append(part.data.get("text", ""))
        assert kind != "error", part.data
    assert steps[:3] == [("", "receive"), ("", "gate"), ("", "route")]
    assert steps.count(("tree", "answer_sub_question")) == 2
    assert steps[-3:] == [("", "tree"), ("", "check"), ("", "finish")]
    assert {token["type"] for token in tokens} == {"AIMessageChunk"}
    assert len({token["id"] for token in tokens}) == 1
    assert "".join(token["content"] for token in tokens) == "Stone Bridge"
    assert "".join(answer) == "Stone Bridge"
    state = await client.threads.get_state(thread["thread_id"])
    assert state["values"]["answer"] == "Stone Bridge"
    assert state["values"]["messages"][-1]["id"] == tokens[0]["id"]
    assert state["next"] == []
    history = await client.threads.get_history(thread["thread_id"], limit=20)
    assert [state["next"] for state in history] == [
        [],
        ["finish"],
        ["check"],
        ["tree"],
        ["route"],
        ["gate"],
        ["receive"],
        ["__start__"],
    ]


async def test_a_run_without_settings_takes_those_of_the_environment(
    client: LangGraphClient,
) -> None:
    values = await client.runs.wait(None, "single", input={"question": IRON})
    assert values["answer"] == f"read: {IRON}"


async def test_runs_without_a_thread_that_end_at_once_all_answer(
    client: LangGraphClient, comparison: Server
) -> None:
    runs = [
        client.runs.wait(
            None, "single", input={"question": IRON}, context=comparison.context(seed=70 + number)
        )
        for number in range(16)
    ]
    for values in await asyncio.wait_for(asyncio.gather(*runs), 120):
        assert values["answer"] == f"read: {IRON}"


async def test_a_fork_from_an_earlier_step_asks_an_edited_sub_question(
    client: LangGraphClient, comparison: Server
) -> None:
    context: Any = comparison.context(seed=1)
    thread_id = (await client.threads.create())["thread_id"]
    first: Any = await client.runs.wait(
        thread_id, "tree", input={"question": QUESTION}, context=context
    )
    assert first["answer"] == "Stone Bridge"
    history = await client.threads.get_history(thread_id, limit=50)
    split_up = next(
        state
        for state in reversed(history)
        if state["next"] == ["join"] and set(state["values"].get("tree", {})) == {"", "1", "2"}
    )
    edited = "Which river does the Iron Bridge cross?"
    node = {**split_up["values"]["tree"]["1"], "question": edited}
    forked = await client.threads.update_state(
        thread_id, {"tree": {"1": node}}, checkpoint=split_up["checkpoint"], as_node="decompose"
    )
    comparison.script.asked.clear()
    again: Any = await client.runs.wait(
        thread_id, "tree", input=None, context=context, checkpoint=forked["checkpoint"]
    )
    asked = {path: node["question"] for path, node in nodes(again).items()}
    assert asked == {"": QUESTION, "1": edited, "2": STONE}
    assert ("read", edited) in comparison.script.asked
    assert ("split", QUESTION) not in comparison.script.asked  # it was before the fork
    assert ("read", STONE) not in comparison.script.asked  # the ledger has its answer


async def test_an_approval_is_given_through_the_server(
    client: LangGraphClient, comparison: Server
) -> None:
    context: Any = comparison.context(seed=2, approve=["decomposition"], strategy="tree")
    thread_id = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread_id, "hopyard", input={"question": QUESTION}, context=context)
    state = await client.threads.get_state(thread_id)
    [waiting] = state["tasks"][0]["interrupts"]
    assert proposed(waiting["value"]) == [IRON, STONE]
    assert comparison.script.counts == {"split": 1, "rubric": 1}
    values: Any = await client.runs.wait(
        thread_id, "hopyard", command={"resume": {waiting["id"]: REJECT}}, context=context
    )
    assert values["answer"] == f"read: {QUESTION}"


async def test_a_chat_reads_the_answer_and_asks_a_follow_up(
    client: LangGraphClient, comparison: Server
) -> None:
    context: Any = comparison.context(seed=6)
    comparison.script.lines["rewrite", "And when?"] = {"question": STONE}
    thread_id = (await client.threads.create())["thread_id"]
    said: list[list[str]] = []
    for turn in (QUESTION, "And when?"):
        partial: list[str] = []
        message = {"role": "user", "content": turn}
        async for part in client.runs.stream(
            thread_id,
            "hopyard",
            input={"messages": [message]},
            context=context,
            stream_mode=["messages", "values"],
        ):
            if part.event in {"messages/partial", "messages/complete"}:
                [chunk] = part.data
                assert chunk["type"] == "ai"
                partial.append(chunk["content"])
            elif part.event == "values":
                values = part.data
        said.append([message["content"] for message in values["messages"]])
        assert partial[-1] == values["answer"]
        assert partial == sorted(partial, key=len)
    assert said == [
        [QUESTION, "Stone Bridge"],
        [QUESTION, "Stone Bridge", "And when?", f"read: {STONE}"],
    ]


async def test_a_remote_graph_is_used_like_a_local_one(
    client: LangGraphClient, comparison: Server
) -> None:
    context: Any = comparison.context(seed=3)
    remote = RemoteGraph("hopyard", url=comparison.address, client=client)

    async def ask(state: MessagesState) -> dict[str, Any]:
        answer: Any = await remote.ainvoke({"messages": state["messages"]}, context=context)
        return {"messages": answer["messages"][-1:]}

    builder = StateGraph(MessagesState).add_node("ask", ask)
    agent = builder.add_edge(START, "ask").add_edge("ask", END).compile()
    result = await agent.ainvoke({"messages": [("user", QUESTION)]})
    assert result["messages"][-1].text == "Stone Bridge"
    steps = [
        node
        async for part in remote.astream(
            {"question": QUESTION}, context=context, stream_mode="updates"
        )
        for node in part
    ]
    assert steps == ["receive", "gate", "route", "tree", "check", "finish"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"index": "/nowhere"}, "There is no index in '/nowhere'"),
        ({"model": "nonsense"}, "'nonsense'"),
        ({"strategy": "guess"}, "'guess'"),
        ({"where": "autor=Ann"}, "'autor'"),
    ],
)
async def test_an_error_reaches_the_client_in_its_own_words(
    client: LangGraphClient, comparison: Server, settings: dict[str, Any], said: str
) -> None:
    given: Any = {"input": {"question": IRON}, "context": comparison.context(**settings)}
    with pytest.raises(Exception, match=said):
        await client.runs.wait(None, "hopyard", **given)
    parts = [part async for part in client.runs.stream(None, "hopyard", **given)]
    assert said in parts[-1].data["message"], parts
    assert parts[-1].event == "error"
    thread_id = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread_id, "hopyard", **given)
    joined: Any = await client.runs.join(thread_id, run["run_id"])
    assert said in str(joined), joined


def test_nothing_blocked_and_nothing_was_traced(comparison: Server) -> None:
    log = comparison.log()
    assert "BlockingError" not in log
    assert "smith.langchain.com/otel" not in log


def test_the_configuration_names_every_graph_by_module() -> None:
    graphs = json.loads(CONFIG.read_text())["graphs"]
    assert {name: graph["description"] for name, graph in graphs.items()} == describe()
    assert {graph["path"] for graph in graphs.values()} == {
        f"hopyard.agent.studio:{name}" for name in graphs
    }
