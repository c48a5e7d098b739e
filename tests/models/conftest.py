"""Fixtures of the model tests: a scripted server, callers that end with the test, no pauses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from model_server import ModelServer

from hopyard.models.calls import request as requests

from .asking import PARIS, restart


@pytest.fixture(autouse=True)
def callers() -> Iterator[None]:
    """The callers of a test end with it."""
    yield
    restart()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "FIRST_PAUSE", 0.0)


@pytest.fixture
def server(model_server: ModelServer) -> ModelServer:
    model_server.answer = lambda title, messages: PARIS
    return model_server
