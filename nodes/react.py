"""`react`: LangChain's agent with the search as its only tool, a baseline.

The calls of the agent's model go through the ledger, the budget and the recording, as all calls do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.tools import tool
from langgraph.runtime import Runtime
from pydantic import ConfigDict

from hopyard.models.calls.call import ModelCaller
from hopyard.models.calls.parse import UnfitOutputError, parse
from hopyard.models.calls.reply import read_reply
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.prompt import Prompt
from hopyard.models.servers.abilities import abilities_of, without_options
from hopyard.nodes.answer import format_passages
from hopyard.nodes.attempt import attempted
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.cited_answer import cite_answer
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Found, Run, run_of
from hopyard.prompts.answer import ROOM_TO_THINK, UNKNOWN, writing
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.react import (
    ANSWER_NOW,
    INSTRUCTIONS,
    AgentTurn,
    FinalAnswer,
    ToolUse,
)
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_ids
from hopyard.state.settings.fields import Context

MOST_TURNS: Final = 8
"""Model calls of one question, as many as `chain` has steps. The last call can only answer."""
LONGEST_ANSWER: Final = 300
"""Characters of an answer in free text."""


async def ask_agent(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let the agent search and answer. If it gives no final answer, its last text is the answer."""
    from langchain.agents import create_agent  # slow to import, for a baseline
    from langchain.agents.structured_output import ToolStrategy

    run, question, problems = await run_of(state, runtime), state["question"], list[HopyardError]()
    model = _AgentModel(run=run, caller=_with_tools(await run.caller()))
    agent: Any = create_agent(
        model,
        tools=[_search_tool(run, problems)],
        system_prompt=INSTRUCTIONS + writing(run.settings.answer),
        response_format=ToolStrategy(FinalAnswer),
    )
    asked = {"messages": [("user", one_line(question))]}
    result = await agent.ainvoke(asked, {"recursion_limit": 4 * MOST_TURNS})
    messages = result["messages"]
    said: FinalAnswer = result.get("structured_response") or _last_text(messages[-1].text)
    searches = _searches(messages)
    found = [unit for step in searches for unit in step["passages"]]
    passages = await run.passages(passage_ids(found)) if found else []
    cited = cite_answer(question, said.answer, passages, said.passages)
    used = [passages[number - 1].id for number in said.passages if 0 < number <= len(passages)]
    units = {unit["id"]: unit for unit in reversed(found)}
    order = dict.fromkeys([*used, *(unit["id"] for unit in found)])
    unconfirmed = said.unconfirmed or cited.unconfirmed
    return {
        "answer": cited.answer,
        "citations": cited.citations,
        "unconfirmed": "" if is_unknown(said.answer) else unconfirmed,
        "evidence": [units[name] for name in order if name in units],
        "steps": [
            *searches,
            Step(id="read", kind="read", title="Answer", question=question, answer=cited.answer),
        ],
        "truncated": model.truncated or Found([], problems).truncated,
        "usage": (await asyncio.to_thread(model.caller.meter, run.id)).usage,
        "run": "",
    }


def _last_text(text: str) -> FinalAnswer:
    """The answer of an agent that gave it as text: an object in the text, or all of it."""
    try:
        return parse(text, FinalAnswer)[0]
    except UnfitOutputError:
        return FinalAnswer(answer=one_line(text)[:LONGEST_ANSWER] or UNKNOWN)


def _search_tool(run: Run, problems: list[HopyardError]) -> Any:
    """The search of a run as a tool. The passages are the artifact of the tool's message.

    Args:
        problems: Gets the errors that reduce a result.
    """

    @tool(response_format="content_and_artifact")
    async def search(query: str) -> tuple[str, list[Evidence]]:
        """Search the documents. The result is numbered passages."""
        found = await find_to_read(run, query)
        problems.extend(found.problems)
        return "", found.evidence

    return search


def _searches(messages: Sequence[BaseMessage]) -> list[Step]:
    """The searches of a conversation, with what they found, in the order of the messages."""
    found = {each.tool_call_id: each.artifact for each in messages if isinstance(each, ToolMessage)}
    calls = [call for each in messages if isinstance(each, AIMessage) for call in each.tool_calls]
    made = [call for call in calls if call["name"] == "search"]
    return [
        Step(
            id=f"search-{number}",
            kind="search",
            question=str(call["args"].get("query", "")),
            passages=found.get(str(call["id"])) or [],
        )
        for number, call in enumerate(made, 1)
    ]


class _AgentModel(BaseChatModel):
    """The chat model of a run, for `create_agent`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    run: Run
    caller: ModelCaller
    truncated: bool = False
    """Whether the budget ended the search."""

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
    """The messages with the passages that the searches found. A passage keeps its number."""
    every = passage_ids(unit for step in _searches(messages) for unit in step["passages"])
    numbers = {name: number for number, name in enumerate(every, 1)}
    passages = {passage.id: passage for passage in await run.passages(every)} if every else {}

    def text(found: list[Evidence]) -> str:
        names = passage_ids(found)
        read = [passages[name] for name in names]
        return format_passages(read, run.settings, [numbers[name] for name in names]) or "none"

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


def _with_tools(caller: ModelCaller) -> ModelCaller:
    """The same model, ledger and recording, where the model is offered tools."""

    def connect(sampling: Sampling) -> BaseChatModel:
        return cast(BaseChatModel, _Tooled(caller.provider, sampling))

    return ModelCaller(replace(caller.provider, connect=connect), caller.ledger, caller.recorder)


@dataclass(frozen=True)
class _Tooled:
    """A model that is offered tools in place of a schema, and whose turn is given as JSON."""

    provider: ChatProvider
    sampling: Sampling
    model_fields: ClassVar[Mapping[str, Any]] = {}
    """None: options that the server refuses are left out of the inner model."""

    def with_structured_output(self, *_: Any, **__: Any) -> Runnable[Any, AIMessage]:
        """The model with the agent's tools."""
        name = self.provider.identity
        inner = self.provider.connect(self.sampling)
        model = without_options(inner, abilities_of(name).left_out).bind_tools(
            [_search_tool(cast(Run, None), []), FinalAnswer], tool_choice="any"
        )

        async def ask(messages: list[BaseMessage], config: RunnableConfig) -> AIMessage:
            said = await model.ainvoke(messages, config)
            reply = read_reply(said, name, type(inner), self.sampling.max_tokens)
            if not reply.text.strip():
                return AIMessage("", usage_metadata=said.usage_metadata)
            uses = [ToolUse(name=call["name"], args=call["args"]) for call in said.tool_calls]
            turn = AgentTurn(content=said.text, tool_calls=uses)
            return AIMessage(turn.model_dump_json(), usage_metadata=said.usage_metadata)

        return RunnableLambda(ask)
