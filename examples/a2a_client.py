"""Ask Hopyard over A2A, as an agent of another framework does.

HOPYARD_INDEX=my-index make studio
python examples/a2a_client.py "Where was the discoverer of Pluto born?"
"""

import asyncio
import sys

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import get_stream_response_text, new_text_message
from a2a.types import Role, SendMessageRequest

HOPYARD = "34197c79-a73d-56ba-b91c-55541d03ef8f"
"""LangGraph's id of the graph `hopyard`, the same on every server."""


async def main(question: str, url: str = "http://127.0.0.1:2024") -> None:
    """Send one message, and print the text of the answer."""
    async with httpx.AsyncClient(timeout=600) as http:
        config = ClientConfig(httpx_client=http, streaming=False)
        agent = await create_client(f"{url}/a2a/{HOPYARD}", client_config=config)
        message = new_text_message(question, role=Role.ROLE_USER)
        async for reply in agent.send_message(SendMessageRequest(message=message)):
            print(get_stream_response_text(reply))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
