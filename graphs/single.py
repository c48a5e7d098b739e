"""`single`: one search, one answer from what it found."""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.reading import search
from hopyard.state.schemas import StrategyState

graph = (
    strategy_graph(StrategyState)
    .add_sequence([("start", start_run), ("search", search), ("answer", answer_from_evidence)])
    .add_edge(START, "start")
    .add_edge("answer", END)
    .compile(name="single")
)
