"""A model that answers everything, an index with a graph, and processes that can be killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from building import build

from hopyard.indexes.corpus.records import Document
from hopyard.testing.contract import all_kinds

from ..contracts.outputs import search_globally
from ..graphs.conftest import CORPUS, EMBEDDING, Words, context, script
from ..graphs.hop.conftest import BRIDGES
from ..graphs.hop.drawn import build_drawn
from ..graphs.hop.script import HopScript
from ..indexes.kinds.passage_graph.script import Writer

__all__ = ("EMBEDDING", "context", "index", "script")

# Five processes at once are five times as many threads of a numerical library.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class Everything(HopScript):
    """Answers questions, judges hops, and writes the questions of passages."""

    def __init__(self) -> None:
        super().__init__()
        self.writer = Writer()

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "PassageQuestions":
            return self.writer(title, messages)
        if title in {"CommunityReport", "Points", "Reduced"}:
            return search_globally(title, messages)
        return super().__call__(title, messages)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight passages with edges between them; tests read it and do not change it."""
    return build_drawn(tmp_path_factory.mktemp("bridges") / "index", CORPUS, BRIDGES, Words())


@pytest.fixture(scope="session")
def communities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same passages with communities; tests read it and do not change it."""
    directory = tmp_path_factory.mktemp("communities") / "index"
    documents = [Document(name, name.title(), text) for name, text in CORPUS.items()]
    kinds = ["dense", "sparse", *all_kinds(["communities"])]
    build(documents, directory=directory, embedder=Words(), chunk_tokens=0, kinds=kinds)
    return directory


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ONE_THREAD.items():
        monkeypatch.setenv(name, value)
