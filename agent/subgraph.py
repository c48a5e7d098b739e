"""Hopyard as a node of another LangGraph graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from typing_extensions import Unpack

from hopyard.agent.hopyard import Hopyard
from hopyard.agent.inside import answer_inside, part_of_run
from hopyard.agent.keywords import Settings
from hopyard.nodes.resources import config_with_default
from hopyard.state.agent import AgentInput, AgentOutput

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
        name: The name of the graph.
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
