"""Ask Hopyard on LangGraph's server, and print the answer while it is written.

HOPYARD_INDEX=my-index make studio
python examples/langgraph_stream.py "Where was the discoverer of Pluto born?"
"""

import asyncio
import sys

from langgraph_sdk import get_client


async def main(question: str, url: str = "http://127.0.0.1:2024") -> None:
    """Stream the answer's words, then print its citations."""
    async with get_client(url=url) as client:
        thread = await client.threads.create()
        async for part in client.runs.stream(
            thread["thread_id"],
            "hopyard",
            input={"messages": [{"role": "user", "content": question}]},
            stream_mode=["messages-tuple", "values"],
        ):
            if part.event == "messages":
                words, _ = part.data
                print(words["content"], end="", flush=True)
            elif part.event == "values":
                result = part.data
            elif part.event == "error":
                sys.exit(part.data["message"])
        print()
        for number, citation in enumerate(result["citations"], 1):
            print(f"[{number}] “{citation['quote']}” ({citation['reference']})")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
