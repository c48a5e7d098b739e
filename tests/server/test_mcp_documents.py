"""What `search` and `fetch` give over MCP for documents of every kind, and the server over HTTP."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from building import build
from model_server import WordEmbedder

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'hopyard[mcp]'")
from mcp import Client

from hopyard.cli.mcp.results import Fetched, SearchResult, fetch, search
from hopyard.cli.mcp.server import mcp_server
from hopyard.indexes.corpus.records import Document
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

ADDRESS = "https://example.org/titan?page=1"
ODD = "moons/../Phobos & Deimos?#1"
LONG = "# Rings\n\nSaturn has rings of ice.\n\n# Moons\n\nSaturn has many moons. " + "More. " * 3000
DOCUMENTS = [
    Document("titan", "Titan", "Titan is a moon of Saturn.", {"source": ADDRESS, "year": 2024}),
    Document(ODD, "Moons of Mars", "Phobos and Deimos are moons of Mars.", {"author": "Hall"}),
    Document("saturn", "Saturn", LONG, {"author": "Huygens"}, "planets/saturn.md", "markdown"),
]


@pytest.fixture
def context(tmp_path: Path, words: WordEmbedder) -> Context:
    build(DOCUMENTS, directory=tmp_path / "index", embedder=words)
    return Context(index=str(tmp_path / "index"), embedding="words")


async def test_a_page_of_the_web_has_its_address(context: Context) -> None:
    first, *_ = (await search("Titan is a moon of Saturn", context)).results
    assert first == SearchResult(id="titan", title="Titan", url=ADDRESS)
    assert await fetch("titan", context) == Fetched(
        id="titan",
        title="Titan",
        text="Titan is a moon of Saturn.",
        url=ADDRESS,
        metadata={"source": ADDRESS, "year": 2024, "document_id": "titan"},
    )


async def test_every_other_passage_has_an_address_that_the_server_reads(context: Context) -> None:
    async with Client(mcp_server(lambda: context)) as client:
        found: Any = await client.call_tool("search", {"query": "Phobos Deimos moons of Mars"})
        first = found.structured_content["results"][0]
        assert first["id"] == ODD
        assert first["url"].startswith("hopyard://passages/moons%2F..%2FPhobos%20")
        [content] = (await client.read_resource(first["url"])).contents
        assert content.text == "Phobos and Deimos are moons of Mars."
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "hopyard://passages/{id}"


async def test_null_is_an_argument_left_out(context: Context) -> None:
    optional = ("thread_id", "strategy", "where", "evidence", "explain")
    async with Client(mcp_server(lambda: context)) as client:
        given = {"question": " ", **dict.fromkeys(optional)}
        asked: Any = await client.call_tool("ask", given)
        assert "The question is empty" in asked.content[0].text
        missing: Any = await client.call_tool("search", {"query": None})
        assert "The argument 'query' of search is not usable" in missing.content[0].text


async def test_a_search_takes_a_filter_and_names_an_argument_it_does_not_know(
    context: Context,
) -> None:
    async with Client(mcp_server(lambda: context)) as client:
        asked = {"query": "moons", "where": ["year>=2024"]}
        found: Any = await client.call_tool("search", asked)
        assert [each["id"] for each in found.structured_content["results"]] == ["titan"]
        first: Any = await client.call_tool("search", {"query": "moons of Mars", "k": 1})
        assert len(first.structured_content["results"]) == 1
        unknown: Any = await client.call_tool("search", {"query": "moons", "source": "Wired"})
        told = "search has no argument 'source'; its arguments: query, where, k."
        assert told in unknown.content[0].text


async def test_a_section_and_a_whole_document_are_read(context: Context) -> None:
    first, *_ = (await search("Saturn has rings of ice", context)).results
    assert (first.title, first.id.startswith("saturn#")) == ("saturn.md › Rings", True)
    section = await fetch(first.id, context)
    assert "rings of ice" in section.text
    assert section.metadata == {
        "author": "Huygens",
        "document_id": "saturn",
        "source": "planets/saturn.md",
        "section": "Rings",
    }
    whole = await fetch("saturn", context)
    assert (whole.id, whole.title, whole.url) == (
        "saturn",
        "saturn.md",
        "hopyard://passages/saturn",
    )
    assert whole.text.startswith(section.text)
    assert whole.text.count("More.") == 3000
    assert "section" not in whole.metadata


async def test_what_is_not_there_is_named(context: Context) -> None:
    with pytest.raises(UsageError, match="no passage and no document with the id 'pluto'"):
        await fetch("pluto", context)
    with pytest.raises(UsageError, match="No index is given"):
        await search("Titan", Context())
    with pytest.raises(UsageError, match="question is empty"):
        await search(" ", context)


# Over HTTP


@pytest.fixture
def address(context: Context) -> Iterator[str]:
    """`hopyard mcp --port`, which serves this machine and one other name."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from hopyard.cli.main import main; main()", "mcp"]
    command += ["--index", context.index, "--embedding", "ollama:words", "--port", str(port)]
    process = subprocess.Popen([*command, "--allow-host", "tunnel.example"])
    try:
        until = time.monotonic() + 60
        while True:
            assert process.poll() is None
            assert time.monotonic() < until
            try:
                httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.server
async def test_the_command_serves_over_http(address: str) -> None:
    async with Client(address) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"ask", "search", "fetch"} <= tools
        read: Any = await client.call_tool("fetch", {"id": "titan"})
    # The index was built with another embedding: one sentence says so.
    assert read.is_error
    assert "'words'" in read.content[0].text
    for host, origin, status in (
        ("tunnel.example", "https://tunnel.example", 200),
        ("localhost:1", "http://localhost:1", 200),
        ("evil.example", "", 421),
        ("tunnel.example", "https://evil.example", 403),
    ):
        headers = {"host": host, "accept": "application/json, text/event-stream"}
        start = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
        async with httpx.AsyncClient(trust_env=False) as plain:
            given = headers | ({"origin": origin} if origin else {})
            answered = await plain.post(address, json=start, headers=given)
        assert answered.status_code == status, (host, origin, answered.text)
