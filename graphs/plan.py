"""`plan`: sub-questions that may need one another's answers, answered side by side.

A question is split into two to four parts; a part may refer to an earlier one's answer ("Who
founded #1?"). `join` sends one task for each question that needs one, and all tasks of a level run
side by side: split it, answer it, or close the branch that it heads. The idea is ToR-RAG's
(`tree`), but one call splits a question and judges the split, and one judges a branch and answers.
"""

from __future__ import annotations

from langgraph.graph import END, START

from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.plan.close import close_branch, conclude
from hopyard.nodes.plan.part import answer_part
from hopyard.nodes.plan.split import split
from hopyard.nodes.plan.tasks import next_tasks
from hopyard.nodes.sub_questions import init_tree, join_level
from hopyard.state.plan import PlanState, PlanTask

graph = (
    strategy_graph(PlanState)
    .add_node("start", start_run)
    .add_node("init", init_tree)
    .add_node("join", join_level)
    .add_node("split", split, input_schema=PlanTask)
    .add_node("answer_part", answer_part, input_schema=PlanTask)
    .add_node("close_branch", close_branch, input_schema=PlanTask)
    .add_node("conclude", conclude)
    .add_edge(START, "start")
    .add_edge("start", "init")
    .add_edge("init", "join")
    .add_conditional_edges("join", next_tasks, ["split", "answer_part", "close_branch", "conclude"])
    .add_edge("split", "join")
    .add_edge("answer_part", "join")
    .add_edge("close_branch", "join")
    .add_edge("conclude", END)
    .compile(name="plan")
    .with_config(recursion_limit=200)
)
