"""Hopyard's tools through a real MCP client over HTTP; over stdio, odd messages.

`test_mcp_clients.py` asks over stdio.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from approvals import action, proposed

from hopyard.agent.advice import advises_shell
from hopyard.state.settings.sources import read_context

from .conftest import IRON, QUESTION, STONE, Server

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'hopyard[mcp]'")
from mcp import Client, MCPError

from hopyard.cli.mcp.server import mcp_server

pytestmark = pytest.mark.server

ANSWER = {
    "question",
    "answer",
    "citations",
    "evidence",
    "unconfirmed",
    "read_share",
    "notes",
    "ending",
    "supported",
    "explanation",
    "strategy",
    "truncated",
    "thread_id",
    "usage",
    "waiting",
}


def text_of(result: Any) -> str:
    [content] = result.content
    return str(content.text)


async def test_ask_then_continue_then_read_a_cited_passage(comparison: Server) -> None:
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with Client(f"{comparison.address}/mcp") as client:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        assert set(tools) == {
            *("ask", "continue_thread", "search", "fetch", "list_strategies"),
            *("find_in_document", "open_pages"),
        }
        assert all(each.description for each in tools.values())
        assert tools["ask"].output_schema is not None
        assert set(tools["ask"].output_schema["properties"]) == ANSWER
        assert tools["ask"].input_schema["required"] == ["question"]

        asked: Any = await client.call_tool(
            "ask", {"question": QUESTION, "strategy": "tree"}, progress_callback=progress
        )
        assert not asked.is_error
        answer = asked.structured_content
        assert set(answer) == ANSWER
        assert (answer["answer"], answer["strategy"]) == ("Stone Bridge", "tree")
        assert answer["usage"]["model_calls"] + answer["usage"]["cached_calls"] == 8
        assert answer["waiting"] == []
        assert "tree decompose" in told

        [quote, *_] = answer["citations"]
        passage: Any = await client.call_tool("fetch", {"id": quote["passage_id"]})
        assert quote["quote"] in passage.structured_content["text"]
        assert passage.structured_content["title"] == quote["reference"] == "Stone Bridge"
        assert passage.structured_content["metadata"] == {"document_id": quote["document_id"]}
        assert quote["document_id"] == "stone-bridge"
        assert (quote["source"], quote["section"], quote["pages"]) == ("", "", "")
        assert (quote["text"], answer["evidence"]) == ("", [])

        comparison.script.lines["rewrite", "And the other?"] = {"question": IRON}
        follow_up: Any = await client.call_tool(
            "continue_thread", {"thread_id": answer["thread_id"], "question": "And the other?"}
        )
        assert follow_up.structured_content["question"] == IRON
        assert follow_up.structured_content["thread_id"] == answer["thread_id"]

        filtered: Any = await client.call_tool(
            "ask",
            {
                "question": STONE,
                "strategy": "single",
                "where": "title=Stone Bridge",
                "thread_id": "chosen",
                "evidence": True,
            },
        )
        [unit] = filtered.structured_content["evidence"]
        [source] = unit["sources"]
        assert (source["passage_id"], source["title"]) == ("stone-bridge", "Stone Bridge")
        assert source["text"] == passage.structured_content["text"]

        taken: Any = await client.call_tool("ask", {"question": IRON, "thread_id": "chosen"})
        assert taken.is_error
        assert "There is a thread 'chosen' already; choose another name." in text_of(taken)
        mapping = {"question": STONE, "strategy": "single", "where": {"title": ["Stone Bridge"]}}
        again: Any = await client.call_tool("ask", mapping | {"evidence": True})
        assert again.structured_content["evidence"] == [unit]

        await passages_are_found_and_read(client)
        await an_answer_is_explained_where_that_is_asked_for(client)
        await strategies_are_listed_and_errors_are_one_sentence(client)


async def passages_are_found_and_read(client: Client) -> None:
    """In the shape of ChatGPT's connectors: one text, whose JSON is the structured content too."""
    found: Any = await client.call_tool("search", {"query": STONE})
    assert json.loads(text_of(found)) == found.structured_content
    assert set(found.structured_content) == {"results"}
    first, *others = found.structured_content["results"]
    assert first == {
        "id": "stone-bridge",
        "title": "Stone Bridge",
        "url": "hopyard://passages/stone-bridge",
    }
    assert len(others) == 4  # `retrieval.k` is five

    read: Any = await client.call_tool("fetch", {"id": first["id"]})
    assert json.loads(text_of(read)) == read.structured_content
    assert read.structured_content == first | {
        "text": "The Stone Bridge was completed in 1146. It crosses the Danube at Regensburg.",
        "metadata": {"document_id": "stone-bridge"},
    }
    [content] = (await client.read_resource(first["url"])).contents
    assert content.text == read.structured_content["text"]

    arguments = {"document": "stone bridge", "words": "1146"}
    inside: Any = await client.call_tool("find_in_document", arguments)
    text = read.structured_content["text"]
    assert inside.structured_content == {"results": [first | {"text": text}], "note": ""}
    pages: Any = await client.call_tool("open_pages", {"id": first["id"]})
    assert pages.structured_content == read.structured_content
    with pytest.raises(MCPError, match="no document with the id 'nowhere'"):
        await client.read_resource("hopyard://passages/nowhere")


async def an_answer_is_explained_where_that_is_asked_for(client: Client) -> None:
    arguments = {"question": STONE, "strategy": "single"}
    plain: Any = await client.call_tool("ask", arguments)
    assert plain.structured_content["explanation"] is None
    asked: Any = await client.call_tool("ask", arguments | {"explain": True})
    explanation = asked.structured_content["explanation"]
    shares = [passage["share"] for passage in explanation["passages"]]
    assert sum(shares) + explanation["without"] == pytest.approx(1)
    assert explanation["passages"][0]["passage_id"] == "stone-bridge"


async def strategies_are_listed_and_errors_are_one_sentence(client: Client) -> None:
    listed: Any = await client.call_tool("list_strategies", {})
    names = [each["name"] for each in listed.structured_content["strategies"]]
    assert {"direct", "single", "tree", "hop"} <= set(names)
    for tool, arguments, said in (
        ("ask", {"question": "  "}, "question is empty"),
        ("ask", {"question": "?", "where": ["autor=Ann"]}, "'autor'"),
        ("ask", {"question": "?", "where": ["autor"]}, "is not a condition"),
        ("continue_thread", {"thread_id": "nowhere"}, "a thread_id that `ask` has returned"),
        ("continue_thread", {"thread_id": "a\0b"}, "choose another name"),
        ("ask", {"question": "?", "strategy": "guess"}, "'guess'"),
        ("ask", {"question": "?", "where": "autor"}, "is not a condition"),
        ("continue_thread", {"thread_id": "x", "question": "?", "answer": 1}, "not both"),
        ("search", {"query": " "}, "question is empty"),
        ("fetch", {"id": "nowhere"}, "'nowhere'"),
        ("open_pages", {"id": "nowhere"}, "'nowhere'"),
        ("find_in_document", {"document": "Danube", "words": " "}, "no words to find"),
    ):
        result: Any = await client.call_tool(tool, arguments)
        assert result.is_error
        assert said in text_of(result)
        assert not advises_shell(text_of(result))
        assert len(text_of(result).splitlines()) == 1
    for strategy in ("guess", ["tree"], 7):
        wrong: Any = await client.call_tool("ask", {"question": "?", "strategy": strategy})
        assert wrong.is_error
        assert len(text_of(wrong).splitlines()) == 1
        assert all(name in text_of(wrong) for name in ("strategy", "auto", "tree", "hop"))


async def test_two_conversations_at_once_get_their_own_answers(comparison: Server) -> None:
    async def ask(client: Client, question: str, name: str) -> Any:
        arguments = {"question": question, "strategy": "single", "thread_id": name}
        return (await client.call_tool("ask", arguments)).structured_content

    address = f"{comparison.address}/mcp"
    async with Client(address) as first, Client(address) as second:
        iron, stone, more = await asyncio.gather(
            ask(first, IRON, "iron"), ask(second, STONE, "stone"), ask(first, STONE, "more")
        )
    found = [(each["thread_id"], each["answer"]) for each in (iron, stone, more)]
    assert found == [
        ("iron", f"read: {IRON}"),
        ("stone", f"read: {STONE}"),
        ("more", f"read: {STONE}"),
    ]


async def test_a_client_of_the_older_protocol_is_served(comparison: Server) -> None:
    async with Client(f"{comparison.address}/mcp", mode="legacy") as client:
        asked: Any = await client.call_tool("ask", {"question": STONE, "strategy": "single"})
        assert asked.structured_content["answer"] == f"read: {STONE}"


async def test_what_a_run_waits_for_is_answered_through_the_tool(
    comparison: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in comparison.environment.items():
        if name.startswith(("HOPYARD_", "OLLAMA_", "OPENAI_")) and name != "HOPYARD_HOME":
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPYARD_APPROVE", "route,decomposition")
    async with Client(mcp_server(lambda: read_context({}))) as client:
        asked: Any = await client.call_tool("ask", {"question": QUESTION})
        answer = asked.structured_content
        assert (answer["answer"], answer["strategy"]) == ("", "")
        [route] = answer["waiting"]
        assert (action(route), proposed(route)) == ("route", "tree")
        thread = {"thread_id": answer["thread_id"]}
        going: Any = await client.call_tool("continue_thread", {**thread, "answer": "approve"})
        [split] = going.structured_content["waiting"]
        assert proposed(split) == [IRON, STONE]
        done: Any = await client.call_tool(
            "continue_thread", {**thread, "answer": {split["id"]: "reject"}}
        )
        assert done.structured_content["answer"] == f"read: {QUESTION}"
        assert done.structured_content["waiting"] == []


class RawClient:
    """A client of `hopyard mcp` that sends what it likes. `said` has all messages of the server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.stdin, self._stdout = process, process.stdin, process.stdout
        self.said: list[dict[str, Any]] = []

    @classmethod
    async def start(cls, server: Server, home: Path, *options: str) -> RawClient:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", "from hopyard.cli.main import main; main()", *options, "mcp"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=server.environment | {"HOPYARD_HOME": str(home)},
            limit=2**24,
        )
        client = cls(process)
        about = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {}}
        await client.answer("initialize", 1, protocolVersion="2025-06-18", **about)
        client.send("notifications/initialized")
        return client

    def send(self, method: str, number: Any = None, **params: Any) -> None:
        head = {"jsonrpc": "2.0", **({} if number is None else {"id": number})}
        message = {**head, "method": method, "params": params}
        self.stdin.write(json.dumps(message).encode() + b"\n")

    async def answer(self, method: str, number: Any, **params: Any) -> dict[str, Any]:
        self.send(method, number, **params)
        while not self.said or self.said[-1].get("id") != number:
            line = await asyncio.wait_for(self._stdout.readline(), 60)
            self.said.append(json.loads(line))
        return self.said[-1]

    async def end(self) -> int:
        self.stdin.close()
        self.said += map(json.loads, (await self._stdout.read()).splitlines())
        return await self.process.wait()


async def test_odd_messages_are_answered_and_the_server_stays(
    comparison: Server, tmp_path: Path
) -> None:
    """Rebuilt from reports about other servers: mcp-gsuite 21, twenty 24559, opencode 24965.

    Standard output has nothing but the protocol, however much the server says about its work.
    """
    started, go_on = threading.Event(), threading.Event()

    def before(kind: str, question: str) -> None:
        if question == STONE:
            started.set()
            go_on.wait(60)

    comparison.script.before = before
    client = await RawClient.start(comparison, tmp_path / "mcp", "--verbose")
    try:
        client.stdin.write(b"no JSON\n{}\n[]\n\xff\n")
        client.send("notifications/cancelled", requestId=999)
        client.send("notifications/progress", progressToken="unknown", progress=1)
        for name in ("no/such", "tools/call"):
            assert "error" in await client.answer(name, name)
        for number, arguments in enumerate(([], "text", 7, {"query": ["x"]}, {"query": {}}), 10):
            reply = await client.answer("tools/call", number, name="search", arguments=arguments)
            assert "error" in reply or reply["result"]["isError"]
        reply = await client.answer("tools/call", 20, name="no_such_tool", arguments={})
        assert "no_such_tool" in json.dumps(reply)
        ask: dict[str, Any] = {"name": "ask", "arguments": {"question": STONE}}
        ask["arguments"]["strategy"] = "single"
        client.send("tools/call", 22, **ask, _meta={"progressToken": 5})
        assert await asyncio.to_thread(started.wait, 60)
        client.send("notifications/cancelled", requestId=22, reason="a person stopped it")
        assert (await client.answer("ping", "a ping"))["result"] == {}
        go_on.set()
        ask["arguments"]["question"] = IRON
        done = await client.answer("tools/call", 24, **ask, _meta={"progressToken": "t"})
        assert done["result"]["structuredContent"]["answer"] == f"read: {IRON}"
    finally:
        go_on.set()
        code = await client.end()
    assert all(each["jsonrpc"] == "2.0" for each in client.said)
    answered = [each["id"] for each in client.said if each.get("id") is not None]
    assert answered == [1, "no/such", "tools/call", *range(10, 15), 20, "a ping", 24]
    progress = [each["params"] for each in client.said if each.get("method", "").endswith("ss")]
    assert {5, "t"} >= {each["progressToken"] for each in progress} >= {"t"}
    assert not any("result" in each for each in client.said if each.get("id") == 22)
    assert code == 0
