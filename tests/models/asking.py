"""What the tests of the model call share: a scripted server, and one question to it."""

from __future__ import annotations

from typing import Any

from model_server import Reply

from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import chat_provider
from hopyard.models.ledger import open_ledger
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.usage import Usage

CONTEXT = Context(model="scripted")
PARIS = {"answer": "Paris"}

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
    """Give these replies one after the other, and the last one for ever."""
    left = list(replies)
    return lambda title, messages: left.pop(0) if len(left) > 1 else left[0]


def restart() -> None:
    """Forget what a killed process forgets; the ledger's file stays."""
    for caller in _open.values():
        caller.ledger.close()
    _open.clear()


class Told:
    """What a person has read of the stream."""

    def __init__(self) -> None:
        self.text = self.ever = ""

    def __call__(self, part: dict[str, Any]) -> None:
        self.text = part["text"] if part["restart"] else self.text + part["text"]
        self.ever += part["text"]
