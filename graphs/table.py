"""`table`: one SQL query over the tables that match the question.

The model sees the schemas of a few tables and writes a query, which runs over all their rows. A
query that fails or finds nothing is corrected once.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.lifecycle import strategy_graph
from hopyard.nodes.table.close import close
from hopyard.nodes.table.steps import after_query, ask, begin, choose
from hopyard.state.table import TableState

graph = (
    strategy_graph(TableState)
    .add_sequence([("begin", begin), ("choose", choose), ("ask", ask)])
    .add_node("close", close)
    .add_edge(START, "begin")
    .add_conditional_edges("ask", after_query, ["ask", "close"])
    .add_edge("close", END)
    .compile(name="table")
)
