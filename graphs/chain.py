"""`chain`: CoR-RAG, one search after another, each asked knowing what was found so far.

With one call a step, the model reads what a search found, notes findings, and answers or names the
next searches. In the paper's form one call asks for the next fact that is missing, one answers it,
and a last one answers the question from all that was found.
"""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph

from hopyard.nodes.chain.cite import cite
from hopyard.nodes.chain.paper import after_link, after_question, answer_link, ask_next, conclude
from hopyard.nodes.chain.steps import init_chain, look_up, next_tasks, read
from hopyard.state.chain import ChainState, LookupTask
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context

graph = (
    StateGraph(
        ChainState,
        input_schema=StrategyInput,
        output_schema=StrategyOutput,
        context_schema=Context,
    )
    .add_node("start", init_chain)
    .add_node("look_up", look_up, input_schema=LookupTask)
    .add_node("read", read)
    .add_node("cite", cite)
    .add_node("ask_next", ask_next)
    .add_node("answer_link", answer_link)
    .add_node("conclude", conclude)
    .add_edge(START, "start")
    .add_conditional_edges("start", next_tasks, ["look_up", "ask_next"])
    .add_edge("look_up", "read")
    .add_conditional_edges("read", next_tasks, ["look_up", "read", "cite"])
    .add_edge("cite", END)
    .add_conditional_edges("ask_next", after_question, ["answer_link", "conclude"])
    .add_conditional_edges("answer_link", after_link, ["ask_next", "conclude"])
    .add_edge("conclude", END)
    .compile(name="chain")
    .with_config(recursion_limit=100)
)
