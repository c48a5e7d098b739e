"""`tree`: ToR-RAG, a tree of sub-questions grown level by level.

`join` sends one task for each question that waits for something, and all tasks of a level run
side by side: split it, search for it and answer it, or judge the branch that it heads. When
nothing waits any more, the leaves are put together.

Each task has two forms. The paper's splits a question into two sub-questions that do not depend
on each other, and judges each split and each branch by scores. The dependent form, which capable
models use, lets a sub-question refer to an earlier one's answer ("Who founded #1?"), and joins a
split with its judgement, and the judgement of a branch with its answer, in one call each.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.tree.aggregate import aggregate
from hopyard.nodes.tree.branch import answer_sub_question, judge_branch
from hopyard.nodes.tree.close import close_branch, conclude
from hopyard.nodes.tree.decompose import decompose
from hopyard.nodes.tree.part import answer_part
from hopyard.nodes.tree.split import split
from hopyard.nodes.tree.tasks import in_form, init_tree, join_level, next_tasks
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context
from hopyard.state.tree import TreeState, TreeTask

graph = (
    StateGraph(
        TreeState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", start_run)
    .add_node("init", init_tree)
    .add_node("join", join_level)
    .add_node("decompose", in_form(paper=decompose, dependent=split), input_schema=TreeTask)
    .add_node(
        "answer_sub_question",
        in_form(paper=answer_sub_question, dependent=answer_part),
        input_schema=TreeTask,
    )
    .add_node(
        "judge_branch", in_form(paper=judge_branch, dependent=close_branch), input_schema=TreeTask
    )
    .add_node("aggregate", in_form(paper=aggregate, dependent=conclude))
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
