"""Hopyard as a tool of a LangChain agent, which decides when to ask the documents.

python examples/agent_tool.py my-index "Compare the two bridges." openai:gpt-4.1-mini
"""

import asyncio
import sys

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

import hopyard


async def main(index: str, question: str, model: str) -> None:
    """Run an agent, and print what it asks the documents and what it answers."""
    tool = hopyard.as_tool(
        index,
        model=model,
        description="Answers a question about bridges from the museum's archive, with quotes.",
    )
    agent = create_agent(model, [tool], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    asked = {"messages": [("user", question)]}
    async for update in agent.astream(asked, thread, stream_mode="updates"):
        for state in update.values():
            for message in state["messages"]:
                message.pretty_print()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
