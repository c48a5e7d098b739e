"""`rerank`: a baseline; 2·k passages are found, and the k that a reranker finds best are read."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.answer import answer_from_evidence
from hopyard.nodes.begin import begin
from hopyard.nodes.rerank import rerank, search_widely
from hopyard.state.schemas import StrategyInput, StrategyOutput, StrategyState
from hopyard.state.settings import Context

graph = (
    StateGraph(
        StrategyState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("begin", begin)
    .add_node("search", search_widely)
    .add_node("rerank", rerank)
    .add_node("answer", answer_from_evidence)
    .add_edge(START, "begin")
    .add_edge("begin", "search")
    .add_edge("search", "rerank")
    .add_edge("rerank", "answer")
    .add_edge("answer", END)
    .compile(name="rerank")
)
