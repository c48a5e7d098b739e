"""`local`: GraphRAG's local search, one prompt about the surroundings of the question's entities.

The question is linked to entities. Reports on their communities, facts about them and their
neighbours, and passages share one budget of tokens. One call answers from all of it.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.local.gather import answer, gather, link
from hopyard.state.local import LocalState

graph = (
    strategy_graph(LocalState)
    .add_sequence([("start", start_run), ("link", link), ("gather", gather), ("answer", answer)])
    .add_edge(START, "start")
    .add_edge("answer", END)
    .compile(name="local")
)
