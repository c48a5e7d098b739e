"""`global`: GraphRAG's answer to a question about all documents, from reports about communities.

`select` takes the communities of one level. Reports that the index does not hold are written.
`divide` shuffles all reports and cuts them into chunks, and `find` searches the passages nearest to
the question. Each chunk, and the passages found, are mapped to points with scores, and the best
points are reduced to the answer. Tasks of a kind run side by side.

`graphrag` is a baseline, the method as published: every community has a report, and no passage is
read.
"""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START

from hopyard.nodes.global_search.map import (
    divide,
    find_passages,
    map_passages,
    map_reports,
    map_tasks,
)
from hopyard.nodes.global_search.plan import next_tasks, select, start_published
from hopyard.nodes.global_search.reduce import reduce_global
from hopyard.nodes.global_search.reports import write_report
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.state.global_search import GlobalState, MapTask, PassageTask, ReportTask


def _build(name: str, start: Any) -> Any:
    return (
        strategy_graph(GlobalState)
        .add_sequence([("start", start), ("select", select)])
        .add_node("write", write_report, input_schema=ReportTask)
        .add_sequence([("divide", divide), ("find", find_passages)])
        .add_node("map", map_reports, input_schema=MapTask)
        .add_node("map_passages", map_passages, input_schema=PassageTask)
        .add_node("reduce", reduce_global, destinations=("map", "map_passages"))
        .add_edge(START, "start")
        .add_conditional_edges("select", next_tasks, ["write", "divide"])
        .add_edge("write", "divide")
        .add_conditional_edges("find", map_tasks, ["map", "map_passages", "reduce"])
        .add_edge("map", "reduce")
        .add_edge("map_passages", "reduce")
        .add_edge("reduce", END)
        .compile(name=name)
        .with_config(recursion_limit=200)
    )


graph = _build("global", start_run)
published = _build("graphrag", start_published)
