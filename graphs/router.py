"""The agent: question → gate → route → strategy → check → (explain) → finish.

A message about the last answer is acted on without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.check import after_check, check_answer, with_fallback
from hopyard.nodes.explain import explain_answer
from hopyard.nodes.finish import finish
from hopyard.nodes.gate import decide_retrieval
from hopyard.nodes.receive import receive
from hopyard.nodes.revise import after_receive, after_revise, revise
from hopyard.nodes.route import choose_strategy, chosen_strategy
from hopyard.state.agent import AgentInput, AgentOutput, AgentState
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import strategies

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    graph: CompiledStateGraph[AgentState, Context, AgentInput, AgentOutput]

__all__ = ("build", "graph")


def build() -> StateGraph[AgentState, Context, AgentInput, AgentOutput]:
    """The agent with every strategy of the registry, not yet compiled.

    A caller adds a checkpointer of its own. Each strategy is a compiled graph that can be used
    alone.
    """
    agent = StateGraph(
        AgentState, input_schema=AgentInput, output_schema=AgentOutput, context_schema=Context
    )
    names = [strategy.name for strategy in strategies()]
    agent.add_node("receive", receive)
    agent.add_node("revise", revise)
    agent.add_node("gate", decide_retrieval)
    agent.add_node("route", choose_strategy)
    for strategy in strategies():
        agent.add_node(strategy.name, with_fallback(strategy.name, strategy.load_graph()))
        agent.add_edge(strategy.name, "check")
    agent.add_node("check", check_answer)
    agent.add_node("explain", explain_answer)
    agent.add_node("finish", finish)

    agent.add_edge(START, "receive")
    agent.add_conditional_edges("receive", after_receive)
    agent.add_conditional_edges("revise", after_revise)
    agent.add_edge("gate", "route")
    agent.add_conditional_edges("route", chosen_strategy, names)
    agent.add_conditional_edges("check", after_check, [*names, "explain", "finish"])
    agent.add_edge("explain", "finish")
    agent.add_edge("finish", END)
    return agent


def __getattr__(name: str) -> Any:
    """`graph` is the agent with the strategies that are registered by now, compiled."""
    if name == "graph":
        return build().compile(name="hopyard")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
