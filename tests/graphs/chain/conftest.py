"""The fixtures of the graphs' tests, with a script that also knows chain and reranking."""

from __future__ import annotations

import pytest

from hopyard.state.settings.fields import Context

from ..conftest import CORPUS, changed, index, passages, speak
from ..conftest import context as graphs_context
from .script import BaselineScript

__all__ = ("CORPUS", "context", "graphs_context", "index", "passages", "script")


@pytest.fixture
def script(request: pytest.FixtureRequest) -> BaselineScript:
    """What the model says; every request that comes is kept in `asked`."""
    return speak(BaselineScript(), request)


@pytest.fixture
def context(graphs_context: Context) -> Context:
    """Settings of a run; no test asks a hub for a cross-encoder."""
    return changed(graphs_context, rerank__model="chat")
