"""`decompose`: a baseline; the question is split once, k/m passages a sub-question are read."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.decompose.search import SplitState, search_sub_questions, split_question
from hopyard.nodes.lifecycle import start_run
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context

graph = (
    StateGraph(
        SplitState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", start_run)
    .add_node("split", split_question)
    .add_node("search", search_sub_questions)
    .add_node("answer", answer_from_evidence)
    .add_edge(START, "start")
    .add_edge("start", "split")
    .add_edge("split", "search")
    .add_edge("search", "answer")
    .add_edge("answer", END)
    .compile(name="decompose")
)
