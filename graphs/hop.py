"""`hop`: HopRAG, a traversal of the passage graph: retrieve, reason, prune.

The edges most similar to the question lead to the first passages. Each passage in the queue
chooses one of its edges, or none, side by side with the others; passages reached for the first
time make the next queue. After the last round, or when nothing new is reached, the most helpful
passages are read.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.hop.choose import choose_hop
from hopyard.nodes.hop.traverse import answer, collect, enter, next_hops, prune
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.state.hop import HopState, HopTask

graph = (
    strategy_graph(HopState)
    .add_sequence([("start", start_run), ("enter", enter)])
    .add_node("collect", collect)
    .add_node("choose_hop", choose_hop, input_schema=HopTask)
    .add_sequence([("prune", prune), ("answer", answer)])
    .add_edge(START, "start")
    .add_conditional_edges("enter", next_hops, ["choose_hop", "prune"])
    .add_edge("choose_hop", "collect")
    .add_conditional_edges("collect", next_hops, ["choose_hop", "prune"])
    .add_edge("answer", END)
    .compile(name="hop")
)
