"""`every`: read all documents that can matter into one table, for complete lists and counts.

`recall` sees whether an earlier question asks for the same table in other words. `choose` puts
passages into groups that fit the model's window, and says what reading them costs. `open` reads
the most promising group and decides what a row is and which columns there are. The other groups
are read side by side into the same table. `close` merges the rows by the names of their items,
without a call, and says which documents were read.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.every.choose import choose
from hopyard.nodes.every.close import close
from hopyard.nodes.every.read import next_tasks, open_table, read_group
from hopyard.nodes.every.recall import recall
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.state.every import EveryState, ReadTask

graph = (
    strategy_graph(EveryState)
    .add_sequence([("start", start_run), ("recall", recall), ("choose", choose)])
    .add_node("open", open_table)
    .add_node("read", read_group, input_schema=ReadTask)
    .add_node("close", close)
    .add_edge(START, "start")
    .add_conditional_edges("choose", next_tasks, ["open", "close"])
    .add_conditional_edges("open", next_tasks, ["open", "read", "close"])
    .add_edge("read", "close")
    .add_edge("close", END)
    .compile(name="every")
)
