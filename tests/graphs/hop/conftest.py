"""The fixtures of the graphs' tests, over an index that has a passage graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.models import embeddings

from ..conftest import CORPUS, Words, context, passages, session, speak
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
def script(request: pytest.FixtureRequest) -> HopScript:
    """What the model says; every request that comes is kept in `asked`."""
    embeddings.register_embedder(Dialled.name, Dialled())
    return speak(HopScript(), request)
