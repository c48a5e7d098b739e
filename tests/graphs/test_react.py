"""`react`: LangChain's agent with the search as its only tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from hopyard.graphs import react
from hopyard.models.calls import request
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.models.recorded import open_recording
from hopyard.nodes.react import MOST_TURNS
from hopyard.nodes.resources import Resources, config_with
from hopyard.prompts.strategies.react import ANSWER_NOW
from hopyard.state.errors import ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context
from hopyard.testing import FAILURES
from tests.graphs.conftest import attempts, changed, context, index, passages, script

__all__ = ("attempts", "context", "index", "passages", "script")

QUESTION = "How long is the river that the Iron Bridge crosses?"
BRIDGE = "Which river does the Iron Bridge cross?"
RIVER = "How long is the Severn?"


class ToolChat(BaseChatModel):
    """A model that makes the tool calls of a script, one turn after the other."""

    turns: list[Any]
    shown: list[list[BaseMessage]] = []  # noqa: RUF012  (pydantic copies it)
    offered: list[str] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.offered[:] = [getattr(tool, "name", None) or tool.__name__ for tool in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.shown.append(messages)
        said = self.turns[min(len(self.shown), len(self.turns)) - 1]
        if isinstance(said, Exception):
            raise said
        if said.response_metadata or said.additional_kwargs:
            return ChatResult(generations=[ChatGeneration(message=said)])
        usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
        answer = AIMessage(said.content, tool_calls=said.tool_calls, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=answer)])


def turn(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": args, "id": str(n)} for n, (name, args) in enumerate(calls)
        ],
    )


def search(*queries: str) -> AIMessage:
    return turn(*(("search", {"query": query}) for query in queries))


def answer(text: str, *passages: int, unconfirmed: str = "") -> AIMessage:
    args = {"thought": "", "answer": text, "passages": list(passages), "unconfirmed": unconfirmed}
    return turn(("FinalAnswer", args))


def scripted(*turns: AIMessage | Exception) -> ToolChat:
    model = ToolChat(turns=list(turns), shown=[], offered=[])
    register_chat_provider("scripted", ChatProvider("scripted", lambda _: model, 16, cure=""))
    return model


async def ask(context: Context, question: str = QUESTION) -> dict[str, Any]:
    return dict(await react.graph.ainvoke({"question": question}, context=context))


@pytest.fixture
def settings(context: Context) -> Context:
    return changed(context, retrieval__method="dense", profile="capable")


async def test_the_agent_searches_and_its_answer_is_cited(settings: Context) -> None:
    model = scripted(search(BRIDGE), search(RIVER), answer("354 kilometres", 3, 1))
    output = await ask(settings)
    assert output["answer"] == "354 kilometres"
    assert sorted(model.offered) == ["FinalAnswer", "search"]
    assert [step["question"] for step in output["steps"]] == [BRIDGE, RIVER, QUESTION]
    first, second = (step["passages"] for step in output["steps"][:2])
    found = list(dict.fromkeys(unit["id"] for unit in [*first, *second]))
    # Passages that the answer names come first.
    assert [unit["id"] for unit in output["evidence"][:2]] == [found[2], found[0]]
    assert sorted(unit["id"] for unit in output["evidence"]) == sorted(found)
    assert output["usage"]["model_calls"] == 3
    assert output["usage"]["input_tokens"] == 300
    assert output["usage"]["output_tokens"] == 30
    read = [str(message.content) for message in model.shown[2]]
    assert "[1] " in read[3]
    assert "The Severn is the longest river" in read[5]
    assert not output["truncated"]


async def test_a_passage_keeps_its_number_in_every_search(settings: Context) -> None:
    model = scripted(search(BRIDGE, BRIDGE), answer("the Severn", 2))
    output = await ask(settings)
    first, second = (str(message.content) for message in model.shown[1][3:])
    assert first == second
    assert output["evidence"][0]["id"] == output["steps"][0]["passages"][1]["id"]


@pytest.mark.parametrize("failure", sorted({*FAILURES} - {"unfit"}))  # an agent may say anything
async def test_a_run_whose_calls_all_fail_ends_with_the_error(
    settings: Context, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)
    reply = FAILURES[failure]
    said = reply if isinstance(reply, AIMessage | Exception) else AIMessage(str(reply))
    scripted(said)
    with pytest.raises((ModelOutputError, ModelUnreachableError)) as raised:
        await ask(settings)
    assert raised.value.reason == failure


async def test_the_last_turn_can_only_answer(settings: Context) -> None:
    model = scripted(*[search(BRIDGE)] * (MOST_TURNS - 1), answer("the Severn", 1))
    output = await ask(settings)
    assert output["answer"] == "the Severn"
    assert output["usage"]["model_calls"] == MOST_TURNS
    asked_now = [messages[-1].content == ANSWER_NOW for messages in model.shown]
    assert asked_now == [False] * (MOST_TURNS - 1) + [True]


async def test_an_agent_that_never_answers_is_stopped(settings: Context) -> None:
    scripted(search(BRIDGE))
    output = await ask(settings)
    assert output["answer"] == "Unknown"
    assert output["usage"]["model_calls"] == MOST_TURNS


async def test_the_budget_keeps_a_call_for_the_answer(settings: Context) -> None:
    model = scripted(search(BRIDGE), search(RIVER), answer("the Severn", 1))
    model.turns[1] = answer("the Severn", 1)
    output = await ask(changed(settings, budget__calls=2))
    assert output["answer"] == "the Severn"
    assert output["truncated"]
    assert output["usage"]["model_calls"] == 2
    assert model.shown[1][-1].content == ANSWER_NOW


async def test_a_text_without_a_tool_call_is_the_answer(settings: Context) -> None:
    scripted(search(BRIDGE), AIMessage("the Severn"))
    output = await ask(settings)
    assert output["answer"] == "the Severn"
    assert output["citations"]


async def test_wrong_arguments_are_told_to_the_model(settings: Context) -> None:
    scripted(
        turn(("search", {"text": BRIDGE})),
        turn(("FinalAnswer", {"thought": "no answer"})),
        turn(("look_up", {})),
        answer("Unknown", unconfirmed="everything"),
    )
    output = await ask(settings)
    assert output["answer"] == "Unknown"
    assert output["unconfirmed"] == ""
    assert output["evidence"] == []
    assert output["usage"]["model_calls"] == 4


async def test_a_recording_replays_it(settings: Context, tmp_path: Path) -> None:
    scripted(search(BRIDGE, RIVER), answer("354 kilometres", 1, unconfirmed="the bridge"))
    with Resources() as resources, resources.recording(tmp_path / "calls"):
        first = await react.graph.ainvoke(
            {"question": QUESTION}, config_with(resources), context=settings
        )
    assert len(open_recording(tmp_path / "calls")) == 2
    replayed = changed(settings, model=f"recorded:{tmp_path / 'calls'}")
    second = await ask(replayed)
    kept = ("answer", "citations", "evidence", "steps", "unconfirmed")
    assert {name: second[name] for name in kept} == {name: first[name] for name in kept}
    assert second["unconfirmed"] == "the bridge"
    assert second["usage"]["input_tokens"] == first["usage"]["input_tokens"] == 200
