"""The agent's chat model: its calls go through the ledger, the budget and the recording."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.tools import tool
from pydantic import ConfigDict

from hopyard.models.calls.call import ModelCaller
from hopyard.models.calls.reply import read_reply
from hopyard.models.chat import Sampling
from hopyard.models.prompt import Prompt
from hopyard.nodes.answer import format_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Run
from hopyard.prompts.answer import ROOM_TO_THINK
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Evidence, passage_ids
from hopyard.state.usage import Usage
from lab.baselines.react.prompt import ANSWER_NOW, AgentTurn, FinalAnswer, ToolUse

__all__ = ("MOST_TURNS", "AgentModel", "evidence_of", "search_tool")

MOST_TURNS: Final = 8
"""Model calls of one question, as many as `chain` has steps. The last call can only answer."""


def search_tool(run: Run, problems: list[HopyardError]) -> Any:
    """The search of a run as a tool. The passages are the artifact of the tool's message.

    Args:
        run: The run.
        problems: Gets the errors that reduce a result.
    """

    @tool(response_format="content_and_artifact")
    async def search(query: str) -> tuple[str, list[Evidence]]:
        """Search the documents. The result is numbered passages."""
        found = await find_to_read(run, query)
        problems.extend(found.problems)
        return "", found.evidence

    return search


def evidence_of(messages: Sequence[BaseMessage]) -> list[list[Evidence]]:
    """The evidence of each search, in the order of the messages."""
    return [
        message.artifact
        for message in messages
        if isinstance(message, ToolMessage) and message.artifact is not None
    ]


class AgentModel(BaseChatModel):
    """The chat model of a run, for `create_agent`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    run: Run
    caller: ModelCaller
    truncated: bool = False
    """Whether the budget ended the search."""

    @classmethod
    async def of(cls, run: Run) -> AgentModel:
        """The model of a run."""
        return cls(run=run, caller=_with_tools(await run.caller()))

    async def usage(self) -> Usage:
        """The calls, tokens and seconds of the run so far."""
        return (await asyncio.to_thread(self.caller.meter, self.run.id)).usage

    @property
    def _llm_type(self) -> str:
        return "hopyard"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        """The model itself: the tools are always the search and the final answer."""
        del tools
        return self

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        turn = 1 + sum(isinstance(message, AIMessage) for message in messages)
        shown = await _numbered(self.run, messages)
        final = turn >= MOST_TURNS
        attempt = await attempted(self._call(shown, turn, final=final))
        attempt.check_needed()
        if (said := attempt.output) is None:
            self.truncated = final = True
            said = await self._call(shown, turn, final=True)
        calls = [
            {"name": call.name, "args": call.args, "id": f"call-{turn}-{number}"}
            for number, call in enumerate(said.tool_calls, 1)
            if call.name == FinalAnswer.__name__ or not final
        ]
        message = AIMessage(said.content, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _call(self, messages: list[BaseMessage], turn: int, *, final: bool) -> AgentTurn:
        said = [*messages, HumanMessage(ANSWER_NOW)] if final else messages
        return await self.caller.call(
            _Conversation(said=said), {}, self.run.settings, self.run.id,
            final=final, step=f"turn-{turn}",
        )  # fmt: skip


async def _numbered(run: Run, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages with the passages that the searches found, each once and with one number."""
    every = passage_ids(unit for found in evidence_of(messages) for unit in found)
    numbers = {name: number for number, name in enumerate(every, 1)}
    passages = {passage.id: passage for passage in await run.passages(every)} if every else {}

    shown = set[str]()

    def text(found: list[Evidence]) -> str:
        names = passage_ids(found)
        new = [name for name in names if name not in shown]
        known = " ".join(f"[{numbers[name]}]" for name in names if name in shown)
        shown.update(new)
        own = [numbers[name] for name in new]
        read = format_passages([passages[name] for name in new], run.settings, own)
        above = f"Shown above, and found again: {known}" if known else ""
        return "\n\n".join(filter(None, (read, above))) or "none"

    return [
        message.model_copy(update={"content": text(message.artifact)})
        if isinstance(message, ToolMessage) and message.artifact is not None
        else message
        for message in messages
    ]


@dataclass(frozen=True)
class _Conversation(Prompt[AgentTurn]):
    """The messages of an agent as one prompt."""

    name: str = "react"
    version: int = 1
    system: str = ""
    template: str = ""
    output: type[AgentTurn] = AgentTurn
    max_tokens: int = ROOM_TO_THINK
    said: Sequence[BaseMessage] = ()

    def messages(self, values: Any) -> list[BaseMessage]:
        del values
        return list(self.said)


_callers: Final[WeakKeyDictionary[ModelCaller, ModelCaller]] = WeakKeyDictionary()


def _with_tools(caller: ModelCaller) -> ModelCaller:
    """The same model, ledger and recording, where the model is offered tools."""
    if caller not in _callers:
        connect, name = caller.provider.connect, caller.provider.identity
        provider = replace(
            caller.provider,
            connect=lambda sampling: cast(BaseChatModel, _Tooled(connect, sampling, name)),
        )
        _callers[caller] = ModelCaller(provider, caller.ledger, caller.recorder)
    return _callers[caller]


@dataclass(frozen=True)
class _Tooled:
    """A model that is offered tools in place of a schema, and whose turn is given as JSON."""

    connect: Any
    sampling: Sampling
    name: str

    def with_structured_output(self, *_: Any, **__: Any) -> Runnable[Any, AIMessage]:
        """The model with the agent's tools."""
        connected = self.connect(self.sampling)
        model = connected.bind_tools(
            [search_tool(cast(Run, None), []), FinalAnswer], tool_choice="any"
        )

        async def ask(messages: list[BaseMessage], config: RunnableConfig) -> AIMessage:
            said = await model.ainvoke(messages, config)
            reply = read_reply(said, self.name, type(connected), self.sampling.max_tokens)
            if not reply.text.strip():
                return AIMessage("", usage_metadata=said.usage_metadata)
            turn = AgentTurn(
                content=said.text,
                tool_calls=[
                    ToolUse(name=call["name"], args=call["args"]) for call in said.tool_calls
                ],
            )
            return AIMessage(turn.model_dump_json(), usage_metadata=said.usage_metadata)

        return RunnableLambda(ask)
