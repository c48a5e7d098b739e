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
from pydantic import BeforeValidator, Field
from typing_extensions import Unpack

from hopyard.agent.advice import failure_text, keep_found, without_shell_advice
from hopyard.agent.background import wait, wait_async
from hopyard.agent.hopyard import Hopyard
from hopyard.agent.inside import answer_inside, with_async_saver
from hopyard.agent.keywords import Settings
from hopyard.agent.texts import with_texts
from hopyard.nodes.resources import config_with_default
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.agent import AgentOutput
from hopyard.state.errors import HopyardError
from hopyard.state.references import name_sources
from hopyard.state.schemas import (
    NOT_SUPPORTED,
    UNCONFIRMED,
    notes_of,
    quotes_of,
    read_note,
    why_truncated,
)
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.text.counting import counted
from hopyard.state.verdicts import FELL_SHORT
from hopyard.state.where import condition_texts

DESCRIPTION: Final = (
    "Answers one question from the indexed documents: a fact, a comparison, or facts that have to "
    "be joined from several documents. Gives an answer and the sentences that support it."
)

Question = Annotated[str, Field(description="One question that can be understood alone.")]
Conditions = Annotated[
    list[str] | None,
    BeforeValidator(condition_texts),
    Field(
        description="Read only documents with this metadata. Leave it out to read all. Conditions "
        'such as ["source=reports/*", "date>=2024-01"]; the operators are =, !=, <, <=, > and >=.'
    ),
]
_Result = tuple[str, AgentOutput]
_ALONE: Final[Any] = None
"""LangChain knows the parameter `runtime` by its type, which must not be a union with None."""


def as_tool(
    index: str | Path | Hopyard = "",
    *,
    name: str = "hopyard",
    description: str = DESCRIPTION,
    texts: bool = False,
    **named: Unpack[Settings],
) -> BaseTool:
    """Make a LangChain tool of an index, sync and async.

        tool = hopyard.as_tool("my-index", description="Answers questions about our products.")
        agent = create_agent("openai:gpt-4.1-mini", [tool])

    The agent gives a question, and it may give conditions on the documents' metadata (`where`),
    which hold besides those set here. If the answer is Unknown, the agent reads why.

    The question runs as a part of the agent that calls the tool. Alone, `tool.invoke` answers it
    too. The result's `artifact` is all that Hopyard's graph gives: evidence, steps, usage and so
    on. If the agent's own context is a `hopyard.state.settings.fields.Context`, its settings count.

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        name: The tool's name, as the calling model sees it.
        description: The purpose of the tool. Say here what your documents are about.
        texts: Whether the citations and evidence of the artifact have their passages' texts.
        **named: Settings; see `hopyard.agent.keywords.Settings`.

    Raises:
        UsageError: A setting is unknown or not usable.
    """
    hop = Hopyard.of(index, **named)

    async def answer(
        question: str, where: list[str] | None, runtime: ToolRuntime[Any, Any] | None
    ) -> _Result:
        given = runtime.context if runtime else None
        context = given if isinstance(given, Context) else hop.context
        config = config_with_default(hop.resources, runtime.config if runtime else None)
        try:
            if where:
                context = change_context(context, {"where": [*context.where, *where]})
            with keep_found(config) as watched:
                output: Any = await answer_inside({"question": question}, watched, context)
            del output["messages"]  # the message that has this artifact is the answer
        except HopyardError as error:  # the model may act on it
            raise ToolException(failure_text(error)) from error
        artifact = await asyncio.to_thread(with_texts, output, context.index) if texts else output
        return readable(output), cast("AgentOutput", artifact)

    async def ask(
        question: Question, where: Conditions = None, runtime: ToolRuntime[Any, Any] = _ALONE
    ) -> _Result:
        # In the agent's own event loop, which its checkpointer belongs to.
        asked = answer(question, where, runtime or None)
        return await (asked if runtime else wait_async(asked))

    def ask_now(
        question: Question, where: Conditions = None, runtime: ToolRuntime[Any, Any] = _ALONE
    ) -> _Result:
        if not runtime:
            return wait(answer(question, where, None))
        shared = replace(runtime, config=with_async_saver(runtime.config))
        return wait(answer(question, where, shared), nested=True)

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
    lines = [output["answer"], *_why_unknown(output)]
    names = name_sources(output["citations"])
    for number, cited in enumerate(output["citations"], 1):
        doubt = "" if cited.get("supported", True) else f" ({NOT_SUPPORTED})"
        quotes = " ".join(f"“{quote}”" for quote in quotes_of(cited))
        lines.append(f"[{number}] {names[cited['passage_id']]}: {quotes}{doubt}")
    if unconfirmed := output.get("unconfirmed"):
        lines.append(f"{UNCONFIRMED} {unconfirmed}")
    if note := read_note(output.get("read_share")):
        lines.append(note)
    lines += [*why_truncated(output), *notes_of(output)]
    return "\n".join(lines)


def _why_unknown(output: AgentOutput) -> list[str]:
    """Why an answer is Unknown: what failed, or that the documents were read and do not say it."""
    if output["answer"] != UNKNOWN:
        return []
    failed = [step for step in output["steps"] if step.get("verdict") in FELL_SHORT]
    reasons = dict.fromkeys(step["reason"] for step in failed if step.get("reason"))
    if reasons:
        return [f"A part of the search failed: {' '.join(map(_sentence, reasons))}"]
    if not output["evidence"]:
        return ["No passage of the documents was found for this question."]
    count = counted(len(output["evidence"]), "passage")
    return [f"The documents do not say it in the {count} that were read."]


def _sentence(reason: str) -> str:
    told = without_shell_advice(reason)
    return told if told.endswith(".") else f"{told}."
