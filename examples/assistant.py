"""An assistant in sixty lines: Hopyard's streaming API in a program of your own.

    python examples/assistant.py my-index
    python examples/assistant.py my-index --thread holiday     # continues that conversation

It prints each answer token by token, with the quotes that support it, and keeps the conversation.
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from hopyard.agent.session import Session, Token, open_session
from hopyard.state.errors import HopyardError, ThreadMissingError
from hopyard.state.settings import Context
from hopyard.state.sources import read_context


async def answer(session: Session, question: str, context: Context, thread: str) -> None:
    """Ask one question, and print the answer while it is written."""
    async for event in session.ask(question, context, thread, tokens=True):
        if isinstance(event, Token):
            # After a restart, the text before it no longer counts: the model tries again.
            print("\n" * event.restart + event.text, end="", flush=True)
        elif event.node == "route":
            print(f"[{event.update['strategy']}]", file=sys.stderr)
    result = await session.result(thread)
    print()
    for citation in result["citations"]:
        print(f"    “{citation['quote']}” ({citation['reference']})")


async def finish(session: Session, thread: str) -> None:
    """Finish the question that a kill or Ctrl-C interrupted, if there is one."""
    try:
        async for _ in session.resume(thread):
            pass
    except ThreadMissingError:
        return  # a new conversation
    for message in (await session.result(thread))["messages"]:
        print(f"{message.type}: {message.text}")


async def talk(context: Context, thread: str) -> None:
    """Read questions, one a line, until the input ends."""
    async with open_session() as session:
        await finish(session, thread)
        while line := await asyncio.to_thread(sys.stdin.readline):
            if line.strip():
                await answer(session, line, context, thread)


def main() -> None:
    """Start the assistant."""
    parser = argparse.ArgumentParser(description="Talk about your documents.")
    parser.add_argument("index", help="the index directory")
    parser.add_argument("--thread", default="assistant", help="the conversation's name")
    arguments = parser.parse_args()
    try:
        asyncio.run(talk(read_context({"index": arguments.index}), arguments.thread))
    except HopyardError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
