"""`chain`: one search after another, each asked knowing what was found so far.

With one call a step, the model reads what a search found, notes findings, and answers or names the
next searches. The idea is CoR-RAG's (`cor`), which takes two calls a step.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.chain.cite import cite
from hopyard.nodes.chain.steps import init_chain, look_up, next_tasks, read
from hopyard.nodes.lifecycle import strategy_graph
from hopyard.state.chain import ChainState, LookupTask

graph = (
    strategy_graph(ChainState)
    .add_node("start", init_chain)
    .add_node("look_up", look_up, input_schema=LookupTask)
    .add_node("read", read)
    .add_node("cite", cite)
    .add_edge(START, "start")
    .add_conditional_edges("start", next_tasks, ["look_up"])
    .add_edge("look_up", "read")
    .add_conditional_edges("read", next_tasks, ["look_up", "read", "cite"])
    .add_edge("cite", END)
    .compile(name="chain")
    .with_config(recursion_limit=100)
)
