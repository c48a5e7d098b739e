"""The fixtures of the graphs' tests, over an index that has a passage graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import ModelServer

from hopyard.models import embeddings

from ..conftest import CORPUS, EMBEDDING, Words, context, passages, session
from .drawn import Dialled, build_drawn
from .script import HopScript

__all__ = ("context", "index", "passages", "script", "session")

BRIDGES = [
    ("iron-bridge", "Which river does the Iron Bridge cross?", "severn"),
    ("iron-bridge", "Who cast the ribs of the Iron Bridge?", "abraham-darby"),
    ("abraham-darby", "What was first used in Coalbrookdale?", "coalbrookdale"),
    ("abraham-darby", "When was the Iron Bridge opened?", "iron-bridge"),
    ("severn", "When was the Iron Bridge opened?", "iron-bridge"),
    ("severn", "How long is the Danube?", "danube"),
    ("stone-bridge", "How long is the Danube?", "danube"),
    ("stone-bridge", "When was the cathedral of Regensburg begun?", "regensburg"),
    ("danube", "When was the Stone Bridge completed?", "stone-bridge"),
    ("regensburg", "When was the Stone Bridge completed?", "stone-bridge"),
]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The eight passages of the graphs' tests, with edges between them."""
    return build_drawn(tmp_path_factory.mktemp("bridges") / "index", CORPUS, BRIDGES, Words())


@pytest.fixture
def script(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> HopScript:
    """What the model says; every request that comes is kept in `asked`."""
    script = HopScript()
    model_server.answer = script
    embeddings.register_embedder(EMBEDDING, Words())
    embeddings.register_embedder(Dialled.name, Dialled())
    return script
