"""A scripted server and one question to it, for the tests of model calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_server import Reply
from protocols import Script

from hopyard.models.calls import call
from hopyard.models.calls.call import ModelCaller
from hopyard.models.calls.stream import AnswerStream
from hopyard.models.chat import chat_provider
from hopyard.models.ledger import open_ledger
from hopyard.models.prompt import Output
from hopyard.models.servers import abilities
from hopyard.models.servers.abilities import Abilities, Form
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.usage import Usage

CONTEXT = Context(model="scripted")
PARIS = {"answer": "Paris"}
QUESTION = "Who built the Alder Bridge?"
WHOLE = '{"answer": "Marta Quill"}'
WRONG = '{"answer": "Tomas Reed"}'
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
STOP, DONE = "stop", b"data: [DONE]\n\n"

_open: dict[str, ModelCaller] = {}


def model_caller(spec: str = "scripted") -> ModelCaller:
    """The caller of a model, over the ledger in the test's data folder."""
    if spec not in _open:
        _open[spec] = ModelCaller(chat_provider(spec), open_ledger(home() / "ledger.sqlite"))
    return _open[spec]


def usage_of(run: str, context: Context = CONTEXT) -> Usage:
    return model_caller(context.model).meter(run).usage


async def ask(
    question: str = "Capital of France?", run: str = "run", context: Context = CONTEXT, **more: Any
) -> str:
    caller = model_caller(context.model)
    return (await caller.call(DIRECT, {"question": question}, context, run, **more)).answer


def in_turn(*replies: dict[str, Any] | str | Reply) -> Any:
    """Give these replies one after the other, and the last one forever."""
    left = list(replies)
    return lambda title, messages: left.pop(0) if len(left) > 1 else left[0]


def restart() -> None:
    """Forget what a killed process forgets; the ledger's file stays."""
    for caller in _open.values():
        caller.ledger.close()
    _open.clear()


class Told:
    """The text of a stream, as a person has read it."""

    def __init__(self) -> None:
        self.text = self.ever = ""

    def __call__(self, part: dict[str, Any]) -> None:
        self.text = part["text"] if part["restart"] else self.text + part["text"]
        self.ever += part["text"]


async def asked(model: str, *, streamed: bool = True) -> tuple[Output, Told]:
    """One call, as a closing call or as one that nobody listens to."""
    caller, told = model_caller(model), Told()
    values, context = {"question": QUESTION}, Context(model=model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call, "answer_stream", lambda markers: AnswerStream(told))
        output = await caller.call(DIRECT, values, context, "run", final=streamed, retries=1)
    return output, told


def through_tools(model: str = "openai:m") -> None:
    """Have a model asked through a tool."""
    abilities.remember(chat_provider(model).identity, Abilities(Form.TOOL))


def reply(message: dict[str, Any], end: str | None = STOP, **more: Any) -> Script:
    """A whole reply in OpenAI's protocol, as it is."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": end}
    return Script(raw=json.dumps({**HEAD, "choices": [choice], **more}).encode())


def calls(*arguments: Any) -> list[dict[str, Any]]:
    """Tool calls, each given by its arguments, or by its name and arguments."""
    named = [each if isinstance(each, tuple) else ("Answer", each) for each in arguments]
    return [
        {"id": str(at), "type": "function", "function": {"name": name, "arguments": given}}
        for at, (name, given) in enumerate(named)
    ]


def called(*arguments: Any) -> Script:
    """A whole reply of tool calls."""
    return reply({"content": None, "tool_calls": calls(*arguments)}, "tool_calls")


def event(delta: Any, end: str | None = None, **more: Any) -> bytes:
    """A piece of a stream in OpenAI's protocol."""
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return b"data: " + json.dumps({**HEAD, "choices": [choice], **more}).encode() + b"\n\n"


def spoken(text: str = WHOLE) -> bytes:
    """A text in pieces."""
    return b"".join(event({"content": text[n : n + 5]}) for n in range(0, len(text), 5))


def stream(*parts: bytes) -> Script:
    """A stream of these pieces, after the first one's beginning."""
    start = event({"role": "assistant", "content": ""})
    return Script(raw=b"".join((*parts[:1], start, *parts[1:])), kind="text/event-stream")
