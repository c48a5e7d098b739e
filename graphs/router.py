"""The agent: question → gate → route → strategy → finish."""

from __future__ import annotations

from typing import Any, Final

from langchain_core.runnables import Runnable
from langgraph.graph import END, START, StateGraph

from hopyard.graphs import chain, decompose, direct, hop, rerank, single, tree
from hopyard.nodes.finish import finish
from hopyard.nodes.gate import decide_retrieval
from hopyard.nodes.receive import receive
from hopyard.nodes.route import choose_strategy, chosen_strategy
from hopyard.state.schemas import AgentInput, AgentOutput, AgentState
from hopyard.state.settings import Context

STRATEGY_GRAPHS: Final[dict[str, Runnable[Any, Any]]] = {
    "direct": direct.graph,
    "single": single.graph,
    "chain": chain.graph,
    "tree": tree.graph,
    "hop": hop.graph,
    "decompose": decompose.graph,
    "rerank": rerank.graph,
}
"""Every strategy by name. Each is a compiled graph that can be used alone."""


def build() -> StateGraph[AgentState, Context, AgentInput, AgentOutput]:
    """The agent, not yet compiled: a caller adds a checkpointer of its own."""
    agent = StateGraph(
        AgentState, input_schema=AgentInput, output_schema=AgentOutput, context_schema=Context
    )
    agent.add_node("receive", receive)
    agent.add_node("gate", decide_retrieval)
    agent.add_node("route", choose_strategy)
    for name, strategy in STRATEGY_GRAPHS.items():
        agent.add_node(name, strategy)
        agent.add_edge(name, "finish")
    agent.add_node("finish", finish)

    agent.add_edge(START, "receive")
    agent.add_edge("receive", "gate")
    agent.add_edge("gate", "route")
    agent.add_conditional_edges("route", chosen_strategy, list(STRATEGY_GRAPHS))
    agent.add_edge("finish", END)
    return agent


graph = build().compile(name="hopyard")
