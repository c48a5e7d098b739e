"""A scripted server and one question to it, for the tests of model calls."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import Reply

from hopyard.models.calls import call
from hopyard.models.calls.call import ModelCaller
from hopyard.models.calls.stream import AnswerStream
from hopyard.models.chat import chat_provider
from hopyard.models.ledger import open_ledger
from hopyard.models.prompt import Output
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.usage import Usage

CONTEXT = Context(model="scripted")
PARIS = {"answer": "Paris"}
QUESTION = "Who built the Alder Bridge?"

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
