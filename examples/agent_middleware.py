"""A LangChain agent that reads the documents when it needs them, and whose citations are checked.

python examples/agent_middleware.py my-index "When was it opened?" openai:gpt-4.1-mini
"""

import sys

from langchain.agents import create_agent

import hopyard


def main(index: str, question: str, model: str) -> None:
    """Answer one question, and print what supports the answer."""
    agent = create_agent(model, middleware=[hopyard.as_middleware(index, k=4)])
    result = agent.invoke({"messages": [("user", question)]})
    print(result["messages"][-1].text)

    looked_up = result["hopyard"]
    for number, citation in enumerate(looked_up["citations"], 1):
        mark = "" if citation.get("supported", True) else " (not found in its passage)"
        print(f"[{number}] “{citation['quote']}” ({citation['reference']}){mark}")
    if looked_up["unconfirmed"]:
        print(looked_up["unconfirmed"])


if __name__ == "__main__":
    main(*sys.argv[1:])
