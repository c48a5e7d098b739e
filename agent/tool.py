"""Hopyard as a tool of a larger LangChain agent.

The question runs as a subgraph of the agent that calls the tool: in its thread, under its
callbacks and its checkpointer. Its steps and tokens stream with the agent's. An approval stops the
agent, and both continue together.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, cast

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.prebuilt import ToolRuntime
from pydantic import Field
from typing_extensions import Unpack

from hopyard.agent.background import wait, wait_async
from hopyard.agent.hopyard import Hopyard, Settings
from hopyard.agent.sync_saver import with_async_saver
from hopyard.agent.texts import with_texts
from hopyard.graphs import router
from hopyard.nodes.run import config_with_default
from hopyard.state.agent import AgentOutput
from hopyard.state.errors import HopyardError
from hopyard.state.given import GivenSettings
from hopyard.state.references import name_sources
from hopyard.state.schemas import NOT_SUPPORTED, UNCONFIRMED, quotes_of
from hopyard.state.settings import Context

__all__ = ("as_tool",)

DESCRIPTION: Final = (
    "Answers one question from the indexed documents: a fact, a comparison, or facts that have to "
    "be joined from several documents. Gives an answer and the sentences that support it."
)

Question = Annotated[str, Field(description="One question that can be understood alone.")]
_Result = tuple[str, AgentOutput]
_ALONE: Final[Any] = None
"""LangChain knows the parameter `runtime` by its type, which must not be a union with None."""


def as_tool(
    index: str | Path | Hopyard = "",
    *,
    name: str = "hopyard",
    description: str = DESCRIPTION,
    texts: bool = False,
    settings: GivenSettings | None = None,
    **named: Unpack[Settings],
) -> BaseTool:
    """Make a LangChain tool of an index, sync and async.

        tool = hopyard.as_tool("my-index", description="Answers questions about our products.")
        agent = create_agent("openai:gpt-4.1-mini", [tool])

    The question runs as a part of the agent that calls the tool. Alone, `tool.invoke` answers it
    too. The result's `artifact` is all that Hopyard's graph gives: evidence, steps, usage and so
    on. If the agent's own context is a `hopyard.state.settings.Context`, its settings count.

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        name: The tool's name, as the calling model sees it.
        description: The purpose of the tool. Say here what your documents are about.
        texts: Whether the citations and evidence of the artifact have their passages' texts.
        settings: Any settings by dotted or nested name.
        **named: Settings that have a keyword.

    Raises:
        UsageError: A setting is unknown or not usable.
    """
    hop = Hopyard.of(index, settings=settings, **named)

    async def answer(question: str, runtime: ToolRuntime[Any, Any] | None) -> _Result:
        given = runtime.context if runtime else None
        context = given if isinstance(given, Context) else hop.context
        config = config_with_default(hop.resources, runtime.config if runtime else None)
        try:
            output: Any = await router.graph.ainvoke(
                {"question": question}, config, context=context
            )
            del output["messages"]  # the message that has this artifact is the answer
        except HopyardError as error:  # one sentence with its cure, which the model may act on
            raise ToolException(str(error)) from error
        artifact = await asyncio.to_thread(with_texts, output, context.index) if texts else output
        return readable(output), cast("AgentOutput", artifact)

    async def ask(question: Question, runtime: ToolRuntime[Any, Any] = _ALONE) -> _Result:
        # In the agent's own event loop, which its checkpointer belongs to.
        return await (answer(question, runtime) if runtime else wait_async(answer(question, None)))

    def ask_now(question: Question, runtime: ToolRuntime[Any, Any] = _ALONE) -> _Result:
        if not runtime:
            return wait(answer(question, None))
        shared = replace(runtime, config=with_async_saver(runtime.config))
        return wait(answer(question, shared), nested=True)

    return StructuredTool.from_function(
        func=ask_now,
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
        quotes = " ".join(f"“{quote}”" for quote in quotes_of(cited))
        lines.append(f"[{number}] {names[cited['passage_id']]}: {quotes}{doubt}")
    if unconfirmed := output.get("unconfirmed"):
        lines.append(f"{UNCONFIRMED} {unconfirmed}")
    if output["truncated"]:
        lines.append("The budget ended the search before it was through.")
    return "\n".join(lines)
