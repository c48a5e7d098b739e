"""Hopyard's MCP server from a Python program: find passages, read one, ask a question.

python examples/mcp_client.py my-index "When was the bridge opened?" openai:gpt-4.1-mini
"""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def main(index: str, question: str, model: str) -> str | None:
    """Start `hopyard mcp`, as an MCP client does, and call its tools; returns what went wrong."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hopyard.cli.main", "mcp", "--index", index, "--model", model],
        env=dict(os.environ),  # the model's API key
    )
    async with Client(server) as client:
        found = await client.call_tool("search", {"query": question})
        if found.is_error:
            return found.content[0].text
        best = found.structured_content["results"][0]
        passage = (await client.call_tool("fetch", {"id": best["id"]})).structured_content
        print(f"{passage['title']}: {passage['text']}\n")

        answer = await client.call_tool("ask", {"question": question})
        if answer.is_error:
            return answer.content[0].text
        print(answer.structured_content["answer"])
        for quote in answer.structured_content["citations"]:
            print(f"  “{quote['quote']}” ({quote['reference']})")
    return None


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
