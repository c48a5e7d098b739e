"""`single`: one search, one answer from what it found."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.search import search
from hopyard.state.schemas import StrategyInput, StrategyOutput, StrategyState
from hopyard.state.settings.fields import Context

graph = (
    StateGraph(
        StrategyState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", start_run)
    .add_node("search", search)
    .add_node("answer", answer_from_evidence)
    .add_edge(START, "start")
    .add_edge("start", "search")
    .add_edge("search", "answer")
    .add_edge("answer", END)
    .compile(name="single")
)
