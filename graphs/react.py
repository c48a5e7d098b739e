"""`react`: LangChain's agent with the search as its only tool, a baseline."""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.react import ask_agent
from hopyard.state.schemas import StrategyState

graph = (
    strategy_graph(StrategyState)
    .add_sequence([("start", start_run), ("agent", ask_agent)])
    .add_edge(START, "start")
    .add_edge("agent", END)
    .compile(name="react")
)
