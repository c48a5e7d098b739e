"""The configurations in docs/agents.md for MCP clients, and the inspector's command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .conftest import STONE, Server

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'hopyard[mcp]'")
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.server

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
CONFIGURATIONS = [
    json.loads(block)
    for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    if '"hopyard"' in block
]
INDEX = "/home/me/my-index"
COMMAND = "/home/me/.venv/bin/hopyard"
MODEL = "openai:gpt-4.1-mini"


class Configured(NamedTuple):
    """A server as a client would start it."""

    command: str
    arguments: list[str]
    environment: dict[str, str]


def configured(configuration: dict[str, Any], comparison: Server, folder: Path) -> Configured:
    """What a configuration says, with this machine's command, index and model."""
    [servers] = [configuration[key] for key in ("mcpServers", "servers") if key in configuration]
    server = servers["hopyard"]
    command = folder / "hopyard"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hopyard.cli.main "$@"\n')
    command.chmod(0o755)
    assert server["command"] == COMMAND
    here = {INDEX: str(comparison.settings["index"]), MODEL: "openai:scripted"}
    assert set(here) <= set(server["args"])
    assert set(server["env"]) <= set(comparison.environment)
    environment = comparison.environment | {"HOPYARD_HOME": str(folder / "home")}
    for name in ("HOPYARD_INDEX", "HOPYARD_MODEL"):
        del environment[name]  # they come from the arguments alone
    arguments = [here.get(argument, argument) for argument in server["args"]]
    return Configured(str(command), arguments, environment)


def test_each_client_has_a_configuration() -> None:
    assert ["mcpServers" in each for each in CONFIGURATIONS] == [True, False]
    [vs_code] = [each for each in CONFIGURATIONS if "servers" in each]
    assert vs_code["servers"]["hopyard"]["type"] == "stdio"
    ids = {asked["id"] for asked in vs_code["inputs"]}
    used = re.findall(r"\$\{input:(\w+)\}", json.dumps(vs_code["servers"]))
    assert set(used) == ids


async def test_the_configurations_start_the_server(comparison: Server, tmp_path: Path) -> None:
    start, other = [configured(each, comparison, tmp_path) for each in CONFIGURATIONS]
    assert start == other
    target = StdioServerParameters(
        command=start.command, args=start.arguments, env=start.environment
    )
    async with Client(target) as client:
        asked: Any = await client.call_tool("ask", {"question": STONE, "strategy": "single"})
    assert asked.structured_content["answer"] == f"read: {STONE}"


# The inspector, https://github.com/modelcontextprotocol/inspector


@pytest.fixture(scope="module")
def inspector() -> str:
    """Its command: `npm install --global @modelcontextprotocol/inspector`."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    if not (command := shutil.which("mcp-inspector")):
        pytest.skip("MCP's inspector is not installed")
    return command


def inspect(command: list[str], environment: dict[str, str]) -> Any:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=150
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_the_tools(
    inspector: str, comparison: Server, tmp_path: Path
) -> None:
    start = configured(CONFIGURATIONS[0], comparison, tmp_path)
    over_stdio = [inspector, "--cli", start.command, *start.arguments]
    search = ["--method", "tools/call", "--tool-name", "search", "--tool-arg", f"query={STONE}"]
    fetch = ["--method", "tools/call", "--tool-name", "fetch", "--tool-arg", "id=stone-bridge"]
    tools = inspect([*over_stdio, "--method", "tools/list"], start.environment)["tools"]
    names = {tool["name"] for tool in tools}
    assert names >= {"ask", "continue_thread", "search", "fetch", "list_strategies"}
    found = inspect([*over_stdio, *search], start.environment)
    assert found["structuredContent"]["results"][0]["id"] == "stone-bridge"

    over_http = [inspector, "--cli", f"{comparison.address}/mcp", "--transport", "http"]
    fetched = inspect([*over_http, *fetch], start.environment)
    [content] = fetched["content"]
    assert json.loads(content["text"]) == fetched["structuredContent"]
    assert fetched["structuredContent"]["title"] == "Stone Bridge"
