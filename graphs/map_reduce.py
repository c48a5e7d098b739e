"""`map-reduce`: GraphRAG's baseline TS. Like `global`, but over all passages, without communities.

`divide` shuffles all passages and cuts them into chunks, each chunk is mapped to points with
scores, and the best points are reduced to the answer. Map calls run side by side.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.graphs.strategy_graph import strategy_graph
from hopyard.nodes.global_search.map import divide_passages, map_passages, passage_tasks
from hopyard.nodes.global_search.reduce import reduce_map_reduce
from hopyard.nodes.lifecycle import start_run
from hopyard.state.global_search import GlobalState, PassageTask

graph = (
    strategy_graph(GlobalState)
    .add_node("start", start_run)
    .add_node("divide", divide_passages)
    .add_node("map", map_passages, input_schema=PassageTask)
    .add_node("reduce", reduce_map_reduce, destinations=("map",))
    .add_edge(START, "start")
    .add_edge("start", "divide")
    .add_conditional_edges("divide", passage_tasks, ["map", "reduce"])
    .add_edge("map", "reduce")
    .add_edge("reduce", END)
    .compile(name="map-reduce")
)
