"""`direct`: answer without a document."""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.direct import answer_directly
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.state.schemas import StrategyState

graph = (
    strategy_graph(StrategyState)
    .add_sequence([("start", start_run), ("answer", answer_directly)])
    .add_edge(START, "start")
    .add_edge("answer", END)
    .compile(name="direct")
)
