"""Hopyard as a node of a LangGraph graph of your own, sync and async.

    python examples/langgraph_node.py my-index "Where was the discoverer of Pluto born?"

The graph writes a letter: one node answers from the documents, the next one uses the answer.
"""

from __future__ import annotations

import sys
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import hopyard


class Letter(TypedDict):
    """The state of your graph. The keys that it shares with Hopyard are filled in."""

    question: str
    answer: str
    citations: list[Any]
    text: str


def write(state: Letter) -> dict[str, str]:
    """A node of your own."""
    quotes = "\n".join(f"- {cited['quote']}" for cited in state["citations"])
    return {"text": f"You asked: {state['question']}\n{state['answer']}\n{quotes}"}


def letter_graph(index: str, **settings: Any) -> Any:
    """The graph of two nodes."""
    builder = StateGraph(Letter)
    builder.add_node("documents", hopyard.as_graph(index, **settings))
    builder.add_node("write", write)
    builder.add_edge(START, "documents")
    builder.add_edge("documents", "write")
    builder.add_edge("write", END)
    return builder.compile()


if __name__ == "__main__":
    graph = letter_graph(sys.argv[1])
    for _, update in graph.stream({"question": sys.argv[2]}, stream_mode="updates", subgraphs=True):
        print("step:", *update)
    print(graph.invoke({"question": sys.argv[2]})["text"])
