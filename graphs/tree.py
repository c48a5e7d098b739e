"""`tree`: ToR-RAG, a tree of sub-questions grown level by level.

`join` sends one task for each question that needs one, and all tasks of a level run side by side:
split it in two and judge the split, search for it and answer it, or judge the branch that it
heads. A weak branch has its weaker sub-question replaced, or is pruned. When no question needs a
task, the leaves are put together.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.sub_questions import init_tree, join_level
from hopyard.nodes.tree.aggregate import aggregate
from hopyard.nodes.tree.branch import answer_sub_question, judge_branch
from hopyard.nodes.tree.decompose import decompose
from hopyard.nodes.tree.tasks import next_tasks
from hopyard.state.tree import TreeState, TreeTask

graph = (
    strategy_graph(TreeState)
    .add_node("start", start_run)
    .add_node("init", init_tree)
    .add_node("join", join_level)
    .add_node("decompose", decompose, input_schema=TreeTask)
    .add_node("answer_sub_question", answer_sub_question, input_schema=TreeTask)
    .add_node("judge_branch", judge_branch, input_schema=TreeTask)
    .add_node("aggregate", aggregate)
    .add_edge(START, "start")
    .add_edge("start", "init")
    .add_edge("init", "join")
    .add_conditional_edges(
        "join", next_tasks, ["decompose", "answer_sub_question", "judge_branch", "aggregate"]
    )
    .add_edge("decompose", "join")
    .add_edge("answer_sub_question", "join")
    .add_edge("judge_branch", "join")
    .add_edge("aggregate", END)
    .compile(name="tree")
    .with_config(recursion_limit=200)
)
