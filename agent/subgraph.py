"""Hopyard as a part of another graph: a node, or a sub-agent of LangChain's deepagents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict, Unpack

from hopyard.agent.advice import failure_text, keep_found
from hopyard.agent.hopyard import Hopyard
from hopyard.agent.inside import answer_inside, part_of_run
from hopyard.agent.keywords import Settings
from hopyard.agent.tool import DESCRIPTION, readable
from hopyard.nodes.resources import config_with_default
from hopyard.state.agent import AgentInput, AgentOutput
from hopyard.state.errors import HopyardError

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph


class _Graph(AgentInput, AgentOutput):  # type: ignore[misc]
    """Input and output."""


def as_graph(
    index: str | Path | Hopyard = "",
    *,
    name: str = "hopyard",
    **named: Unpack[Settings],
) -> CompiledStateGraph[Any, Any, AgentInput, AgentOutput]:
    """Make a compiled LangGraph graph of an index, sync and async.

        builder.add_node("documents", hopyard.as_graph("my-index"))

    It takes `question`, or `messages` that end with a question. It gives `answer`, `citations`,
    `evidence`, `steps`, `messages` and the rest of `AgentOutput`; a graph around it takes those
    keys that its own state has. As a node it runs in the thread of the graph around it: steps and
    tokens stream with that graph's, and an approval stops both.

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        **named: Settings; see `hopyard.agent.keywords.Settings`.

    Raises:
        UsageError: A setting is unknown or not usable. A run raises other errors of Hopyard
            (`hopyard.HopyardError`), for example if the model does not answer.
    """
    hop = Hopyard.of(index, **named)

    async def answer(state: AgentInput, config: RunnableConfig) -> dict[str, Any]:
        run = config_with_default(hop.resources, config)
        given: Any = {key: state[key] for key in ("question", "messages") if state.get(key)}
        output: dict[str, Any] = await answer_inside(given, run, hop.context)
        return output

    graph = StateGraph(_Graph, input_schema=AgentInput, output_schema=AgentOutput)
    graph.add_node("ask", part_of_run(answer, "ask"))
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return graph.compile(name=name)


Messages = dict[str, Any]


class SubAgent(TypedDict):
    """A `CompiledSubAgent` of deepagents."""

    name: str
    """The name that the main agent calls it by."""
    description: str
    """Its purpose, which the main agent reads."""
    runnable: Runnable[Messages, Messages]
    """Takes `messages` that end with a question and gives one message, the answer."""


def as_subagent(
    index: str | Path | Hopyard = "",
    *,
    name: str = "hopyard",
    description: str = DESCRIPTION,
    **named: Unpack[Settings],
) -> SubAgent:
    """Make a sub-agent of an index, for `deepagents.create_deep_agent(subagents=[...])`.

        documents = hopyard.as_subagent("my-index", description="Knows our products.")
        agent = create_deep_agent(model, subagents=[documents])

    The question runs as a part of the main agent, which reads the answer and the quotes that
    support it.

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        name: The name that the main agent calls it by.
        description: The purpose of the sub-agent. Say here what your documents are about.
        **named: Settings; see `hopyard.agent.keywords.Settings`.

    Raises:
        UsageError: A setting is unknown or not usable.
    """
    hop = Hopyard.of(index, **named)

    async def answer(state: Messages, config: RunnableConfig) -> Messages:
        given: Any = {"messages": state["messages"]}
        run = config_with_default(hop.resources, config)
        try:
            with keep_found(run) as watched:
                output: Any = await answer_inside(given, watched, hop.context)
        except HopyardError as error:  # the model may act on it
            return {"messages": [AIMessage(failure_text(error))]}
        return {"messages": [AIMessage(readable(output))]}

    return SubAgent(name=name, description=description, runnable=part_of_run(answer, name))
