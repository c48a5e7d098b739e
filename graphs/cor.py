"""`cor`: CoR-RAG as published, a baseline.

One call asks for the next fact that is missing, one answers it from a search, and a last one
answers the question from all that was found.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.cor.steps import (
    after_link,
    after_question,
    answer_link,
    ask_next,
    conclude,
    init_chain,
)
from hopyard.nodes.lifecycle import strategy_graph
from hopyard.state.cor import CorState

graph = (
    strategy_graph(CorState)
    .add_sequence([("start", init_chain), ("ask_next", ask_next)])
    .add_node("answer_link", answer_link)
    .add_node("conclude", conclude)
    .add_edge(START, "start")
    .add_conditional_edges("ask_next", after_question, ["answer_link", "conclude"])
    .add_conditional_edges("answer_link", after_link, ["ask_next", "conclude"])
    .add_edge("conclude", END)
    .compile(name="cor")
)
