"""`react`: a baseline; LangChain's `create_agent` searches until it answers."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.react.agent import ask_agent
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
    .add_node("agent", ask_agent)
    .add_edge(START, "start")
    .add_edge("start", "agent")
    .add_edge("agent", END)
    .compile(name="react")
)
