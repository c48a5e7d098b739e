"""What the tests of the model call share: a scripted server, and one question to it."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import ModelServer, Reply

from hopyard.models import request as requests
from hopyard.models.call import call_model
from hopyard.prompts.direct import DIRECT
from hopyard.state.settings import Context

__all__ = ("CONTEXT", "PARIS", "ask", "in_turn", "no_pause", "restart", "server")

CONTEXT = Context(model="scripted")
PARIS = {"answer": "Paris"}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "FIRST_PAUSE", 0.0)


@pytest.fixture
def server(model_server: ModelServer) -> ModelServer:
    model_server.answer = lambda title, messages: PARIS
    return model_server


async def ask(
    question: str = "Capital of France?", run: str = "run", context: Context = CONTEXT, **more: Any
) -> str:
    return (
        await call_model(DIRECT, {"question": question}, context=context, run=run, **more)
    ).answer


def in_turn(*replies: dict[str, Any] | str | Reply) -> Any:
    """Give these replies one after the other, and the last one for ever."""
    left = list(replies)
    return lambda title, messages: left.pop(0) if len(left) > 1 else left[0]


def restart() -> None:
    """Forget what a killed process forgets; the ledger's file stays."""
    from hopyard.models import call

    call._caller.cache_clear()
    call.open_ledger.cache_clear()
