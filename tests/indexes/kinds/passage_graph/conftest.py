"""An index with a passage graph, its questions written by a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from building import build
from conftest import WordEmbedder
from model_server import ModelServer

from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.models.calls import request

from ...built import Built
from .script import Writer


@pytest.fixture
def writer(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """The answers of the model."""
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)
    model_server.answer = writer = Writer()
    return writer


class Library(Built):
    """An index with a passage graph."""

    kind = "passage-graph"
    kinds = ("dense", "passage-graph")

    def build_without_model(self, documents: Iterable[Document]) -> BuildReport:
        return build(documents, directory=self.directory, embedder=self.embedder, kinds=self.kinds)

    @property
    def edges(self) -> set[tuple[str, str, str]]:
        """Tail, question and head of every edge."""
        return {(edge.tail, edge.question, edge.head) for edge in self.opened()}

    def opened(self) -> GraphIndex:
        with self.open() as index:
            graph: GraphIndex = index.reader("passage-graph")
            return graph


@pytest.fixture
def make_library(tmp_path: Path, words: WordEmbedder) -> Callable[[str], Library]:
    return lambda name: Library(tmp_path / name, words)


@pytest.fixture
def library(make_library: Callable[[str], Library], writer: Writer) -> Library:
    return make_library("index")


@pytest.fixture
def many_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph keeps all its edges, however small it is."""
    monkeypatch.setattr("hopyard.indexes.kinds.passage_graph.building.EDGE_FACTOR", 10)
