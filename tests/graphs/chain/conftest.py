"""The fixtures of the graphs' tests, with a script that also knows chain and reranking."""

from __future__ import annotations

import pytest
from model_server import ModelServer

from hopyard.models import embeddings
from hopyard.state.settings.fields import Context

from ..conftest import CORPUS, EMBEDDING, Words, changed, index, passages
from ..conftest import context as graphs_context
from .script import BaselineScript

__all__ = ("CORPUS", "context", "graphs_context", "index", "passages", "script")


@pytest.fixture
def script(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> BaselineScript:
    """What the model says; every request that comes is kept in `asked`."""
    script = BaselineScript()
    model_server.answer = script
    embeddings.register_embedder(EMBEDDING, Words())
    return script


@pytest.fixture
def context(graphs_context: Context) -> Context:
    """Settings of a run; no test asks a hub for a cross-encoder."""
    return changed(graphs_context, rerank__model="chat")
