"""`direct`: answer without a document."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.answer import answer_directly
from hopyard.nodes.lifecycle import start_run
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
    .add_node("answer", answer_directly)
    .add_edge(START, "start")
    .add_edge("start", "answer")
    .add_edge("answer", END)
    .compile(name="direct")
)
