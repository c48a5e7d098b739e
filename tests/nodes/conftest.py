from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from building import build
from gates import write_gate

from hopyard.indexes.corpus.records import Document
from hopyard.models.embeddings import embedder


@pytest.fixture
def gate_folder(tmp_path: Path) -> Callable[[float], Path]:
    """A folder with a gate that has the same logit for every question."""
    return lambda logit: write_gate(tmp_path / f"gate{logit}", logit)


@pytest.fixture(scope="session")
def planets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three documents, embedded by the built-in model."""
    directory = tmp_path_factory.mktemp("planets") / "index"
    texts = {
        "mars": "Mars is the fourth planet. Its moons are Phobos and Deimos.",
        "venus": "Venus has no moon. Its air is heavy and hot.",
        "titan": "Titan is the largest moon of Saturn, and Huygens landed on it.",
    }
    documents = [Document(name, name.title(), text) for name, text in texts.items()]
    build(documents, directory=directory, embedder=embedder("builtin"))
    return directory
