"""`chain`: CoR-RAG, sub-questions one after another, each asked knowing the answers so far.

The model names the next fact that is missing; it is searched for and answered; and so on until
nothing is missing. Then the question is answered from all that was found.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.chain.steps import (
    after_link,
    after_question,
    answer_link,
    ask_next,
    conclude,
    init_chain,
)
from hopyard.state.chain import ChainState
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings import Context

graph = (
    StateGraph(
        ChainState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", init_chain)
    .add_node("ask_next", ask_next)
    .add_node("answer_link", answer_link)
    .add_node("conclude", conclude)
    .add_edge(START, "start")
    .add_edge("start", "ask_next")
    .add_conditional_edges("ask_next", after_question, ["answer_link", "conclude"])
    .add_conditional_edges("answer_link", after_link, ["ask_next", "conclude"])
    .add_edge("conclude", END)
    .compile(name="chain")
    .with_config(recursion_limit=100)
)
