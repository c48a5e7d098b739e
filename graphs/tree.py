"""`tree`: ToR-RAG, a binary tree of sub-questions grown level by level.

`grow` sends one task for each question that waits for something, and all tasks of a level run
side by side: split it, search for it and answer it, or judge the branch that it heads. When
nothing waits any more, the leaves are put together.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.begin import begin
from hopyard.nodes.tree.aggregate import aggregate
from hopyard.nodes.tree.branch import answer_sub_question, judge_branch
from hopyard.nodes.tree.decompose import decompose
from hopyard.nodes.tree.tasks import grow, next_tasks, plant
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings import Context
from hopyard.state.tree import TreeState, TreeTask

graph = (
    StateGraph(
        TreeState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("begin", begin)
    .add_node("plant", plant)
    .add_node("grow", grow)
    .add_node("decompose", decompose, input_schema=TreeTask)
    .add_node("answer_sub_question", answer_sub_question, input_schema=TreeTask)
    .add_node("judge_branch", judge_branch, input_schema=TreeTask)
    .add_node("aggregate", aggregate)
    .add_edge(START, "begin")
    .add_edge("begin", "plant")
    .add_edge("plant", "grow")
    .add_conditional_edges(
        "grow", next_tasks, ["decompose", "answer_sub_question", "judge_branch", "aggregate"]
    )
    .add_edge("decompose", "grow")
    .add_edge("answer_sub_question", "grow")
    .add_edge("judge_branch", "grow")
    .add_edge("aggregate", END)
    .compile(name="tree")
    .with_config(recursion_limit=200)
)
