"""Hopyard as a tool of a larger LangChain agent.

The question runs as a subgraph of the agent that calls the tool: in its thread, under its
callbacks and its checkpointer. Its steps and tokens stream with the agent's, an approval stops the
agent, and both go on together.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final, cast

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime
from pydantic import Field

from hopyard.agent.texts import with_texts
from hopyard.graphs import router
from hopyard.state.agent import AgentOutput
from hopyard.state.errors import HopyardError
from hopyard.state.references import name_sources
from hopyard.state.schemas import NOT_SUPPORTED, UNCONFIRMED
from hopyard.state.settings import Context
from hopyard.state.sources import read_context

__all__ = ("as_tool",)

DESCRIPTION: Final = (
    "Answers one question from the indexed documents: a fact, a comparison, or facts that have to "
    "be joined from several documents. Gives an answer and the sentences that support it."
)


def as_tool(
    *,
    name: str = "hopyard",
    description: str = DESCRIPTION,
    context: Context | None = None,
    texts: bool = False,
) -> BaseTool:
    """Make a tool of the agent, to be given to `langchain.agents.create_agent` or a `ToolNode`.

    A run whose own context is a `Context` takes that one. The tool is async: call the agent with
    `ainvoke` or `astream`. Its result's `artifact` is everything that the agent gives: evidence,
    steps, usage and so on.

    Args:
        name: The tool's name, as the calling model sees it.
        description: What it is for; say here what your documents are about.
        context: The settings of its runs; read from the environment and `hopyard.toml` where
            none are given.
        texts: Whether the artifact's citations and evidence have the text of their passages.

    Raises:
        UsageError: No context is given, and the environment's cannot be used.
    """
    settings = context or read_context({})

    async def ask(
        question: Annotated[str, Field(description="One question that can be understood alone.")],
        runtime: ToolRuntime[Any, Any],
    ) -> tuple[str, AgentOutput]:
        given = runtime.context if isinstance(runtime.context, Context) else settings
        try:
            output: Any = await router.graph.ainvoke(
                {"question": question}, runtime.config, context=given
            )
            del output["messages"]  # the message that has this artifact is the answer
        except HopyardError as error:  # one sentence with its cure, which the model may act on
            raise ToolException(str(error)) from error
        if texts:
            artifact = await asyncio.to_thread(with_texts, output, given.index)
            return readable(output), cast("AgentOutput", artifact)
        return readable(output), output

    return StructuredTool.from_function(
        coroutine=ask,
        name=name,
        description=description,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def readable(output: AgentOutput) -> str:
    """The answer with what supports it, for a model to read."""
    lines = [output["answer"]]
    names = name_sources(output["citations"])
    for number, cited in enumerate(output["citations"], 1):
        doubt = "" if cited.get("supported", True) else f" ({NOT_SUPPORTED})"
        lines.append(f"[{number}] {names[cited['passage_id']]}: “{cited['quote']}”{doubt}")
    if unconfirmed := output.get("unconfirmed"):
        lines.append(f"{UNCONFIRMED} {unconfirmed}")
    if output["truncated"]:
        lines.append("The budget ended the search before it was through.")
    return "\n".join(lines)
