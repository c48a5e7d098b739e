"""`hop-rounds`: hops over the passage graph, chosen in one call a round.

The edges most similar to the question, and a search, lead to the first passages. One call reads
the passages reached last and chooses among all questions that lead from them to new passages, or
says that the passages read are enough. The passages that are needed are kept and read. HopRAG
(`hop`) makes a call for each passage, and follows one of its edges.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.hop_rounds.answer import answer
from hopyard.nodes.hop_rounds.traverse import choose_round, collect, enter, next_step, prune
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.state.hop_rounds import HopRoundsState

graph = (
    strategy_graph(HopRoundsState)
    .add_sequence([("start", start_run), ("enter", enter)])
    .add_node("collect", collect)
    .add_node("choose_round", choose_round)
    .add_sequence([("prune", prune), ("answer", answer)])
    .add_edge(START, "start")
    .add_conditional_edges("enter", next_step, ["choose_round", "prune"])
    .add_edge("choose_round", "collect")
    .add_conditional_edges("collect", next_step, ["choose_round", "prune"])
    .add_edge("answer", END)
    .compile(name="hop-rounds")
)
