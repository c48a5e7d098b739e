"""`local`: GraphRAG's local search, one prompt about the surroundings of the question's entities.

The question is linked to entities. Reports on their communities, facts about them and their
neighbours, and passages share one budget of tokens. One call answers from all of it.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.graphs.strategy_graph import strategy_graph
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.local_search.gather import answer, gather, link
from hopyard.state.local_search import LocalState

graph = (
    strategy_graph(LocalState)
    .add_node("start", start_run)
    .add_node("link", link)
    .add_node("gather", gather)
    .add_node("answer", answer)
    .add_edge(START, "start")
    .add_edge("start", "link")
    .add_edge("link", "gather")
    .add_edge("gather", "answer")
    .add_edge("answer", END)
    .compile(name="local")
)
