"""Hopyard's MCP server from a Python program: find passages, read one, ask a question.

python examples/mcp_client.py my-index "When was the bridge opened?" openai:gpt-4.1-mini
"""

import asyncio
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters


async def main(index: str, question: str, model: str) -> None:
    """Start `hopyard mcp`, as an MCP client does, and call three of its tools."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hopyard.cli.main", "mcp", "--index", index, "--model", model],
        env=dict(os.environ),  # the model's API key
    )
    async with Client(server) as client:

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                sys.exit(result.content[0].text)
            return result.structured_content

        found = await call("search", query=question)
        best = await call("fetch", id=found["results"][0]["id"])
        print(f"{best['title']}: {best['text']}\n")

        answer = await call("ask", question=question)
        print(answer["answer"])
        for quote in answer["citations"]:
            print(f"  “{quote['quote']}” ({quote['reference']})")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
