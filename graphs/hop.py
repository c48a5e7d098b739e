"""`hop`: HopRAG, a traversal of the passage graph: retrieve, reason, prune.

The edges most similar to the question, and a search, lead to the first passages. Then one call
chooses the hops of all passages in the queue, or they choose side by side, one task each; those
reached for the first time make the next queue. After the last round, or when nothing new is
reached, the passages that are needed or most helpful are read.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.hop.answer import answer
from hopyard.nodes.hop.choose import choose_hop
from hopyard.nodes.hop.choose_round import choose_round
from hopyard.nodes.hop.prune import prune
from hopyard.nodes.hop.traverse import collect, enter, next_hops
from hopyard.nodes.lifecycle import start_run
from hopyard.state.hop import HopState, HopTask
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context

graph = (
    StateGraph(
        HopState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", start_run)
    .add_node("enter", enter)
    .add_node("collect", collect)
    .add_node("choose_hop", choose_hop, input_schema=HopTask)
    .add_node("choose_round", choose_round)
    .add_node("prune", prune)
    .add_node("answer", answer)
    .add_edge(START, "start")
    .add_edge("start", "enter")
    .add_conditional_edges("enter", next_hops, ["choose_round", "choose_hop", "prune"])
    .add_conditional_edges("collect", next_hops, ["choose_round", "choose_hop", "prune"])
    .add_edge("choose_round", "collect")
    .add_edge("choose_hop", "collect")
    .add_edge("prune", "answer")
    .add_edge("answer", END)
    .compile(name="hop")
)
