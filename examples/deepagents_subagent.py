"""Hopyard as a sub-agent of deepagents: the main agent plans, Hopyard answers from documents.

pip install deepagents
python examples/deepagents_subagent.py my-index "Write two lines on Pluto." openai:gpt-4.1-mini
"""

import asyncio
import sys

from deepagents import create_deep_agent
from langchain.chat_models import init_chat_model

import hopyard


async def main(index: str, task: str, model: str) -> None:
    """Run the main agent, and print its conversation with the sub-agent."""
    documents = hopyard.as_subagent(
        index,
        model=model,
        name="astronomer",
        description="Answers one question about the solar system, with quotes from its documents.",
    )
    agent = create_deep_agent(init_chat_model(model), subagents=[documents])
    result = await agent.ainvoke({"messages": [("user", task)]})
    for message in result["messages"]:
        message.pretty_print()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
