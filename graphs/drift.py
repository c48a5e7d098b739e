"""`drift`: GraphRAG's DRIFT search, local search that starts from community reports.

`select` takes the reports nearest to the question, and missing reports are written. `primer` reads
them in one call, which gives points and follow-up questions. Each round asks the best new
follow-up questions side by side, each by one step of local search, which gives more points and
questions. `reduce` answers from the best points, as in `global`.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.graphs.strategy_graph import strategy_graph
from hopyard.nodes.drift.follow_up import answer_follow_up, follow_up_tasks, next_round
from hopyard.nodes.drift.primer import primer
from hopyard.nodes.drift.select import report_tasks, select
from hopyard.nodes.global_search.reduce import reduce_drift
from hopyard.nodes.global_search.reports import write_report
from hopyard.nodes.lifecycle import start_run
from hopyard.state.drift import DriftState, FollowUpTask
from hopyard.state.global_search import ReportTask

graph = (
    strategy_graph(DriftState)
    .add_node("start", start_run)
    .add_node("select", select)
    .add_node("write", write_report, input_schema=ReportTask)
    .add_node("primer", primer)
    .add_node("next_round", next_round)
    .add_node("follow_up", answer_follow_up, input_schema=FollowUpTask)
    .add_node("reduce", reduce_drift)
    .add_edge(START, "start")
    .add_edge("start", "select")
    .add_conditional_edges("select", report_tasks, ["write", "primer"])
    .add_edge("write", "primer")
    .add_edge("primer", "next_round")
    .add_conditional_edges("next_round", follow_up_tasks, ["follow_up", "reduce"])
    .add_edge("follow_up", "next_round")
    .add_edge("reduce", END)
    .compile(name="drift")
    .with_config(recursion_limit=100)
)
