"""An index with a passage graph, its questions written by a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from building import build, wait
from conftest import WordEmbedder
from model_server import ModelServer

from hopyard.indexes.building import build as building
from hopyard.indexes.building.run import BuildReport
from hopyard.indexes.corpus.manifest import generation_directory, read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.stats import GraphStats
from hopyard.models.calls import request
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context

from .script import Writer


@pytest.fixture
def writer(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """The answers of the model."""
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)
    model_server.answer = writer = Writer()
    return writer


class Library:
    """An index directory under test, and how it is built, added to and removed from."""

    def __init__(self, directory: Path, embedder: Any) -> None:
        self.directory = directory
        self.embedder = embedder

    def build(self, documents: Iterable[Document], **settings: Any) -> BuildReport:
        with self._model(settings) as model:
            return self._build(documents, **model)

    def build_without_model(self, documents: Iterable[Document]) -> BuildReport:
        return self._build(documents)

    def _build(self, documents: Iterable[Document], **model: Any) -> BuildReport:
        return build(
            documents,
            directory=self.directory,
            embedder=self.embedder,
            kinds=("dense", "passage-graph"),
            **model,
        )

    def add(self, *documents: Document, **settings: Any) -> BuildReport:
        with self._model(settings) as model:
            return wait(
                building.add(documents, directory=self.directory, embedder=self.embedder, **model)
            )

    def remove(self, *ids: str) -> BuildReport:
        return wait(building.remove(ids, directory=self.directory))

    @contextmanager
    def _model(self, settings: dict[str, Any]) -> Iterator[dict[str, Any]]:
        context = make_settings(settings)
        with Resources() as resources:
            yield {"settings": context, "caller": lambda: resources.caller(context.model)}

    @property
    def folder(self) -> Path:
        """The graph's folder in the current generation."""
        generation = read_manifest(self.directory).generation
        return generation_directory(self.directory, generation) / "passage-graph"

    @property
    def stats(self) -> GraphStats:
        return GraphStats.load(self.folder)

    @property
    def files(self) -> dict[str, bytes]:
        """Every file of the graph but the stats."""
        return {
            file.name: file.read_bytes()
            for file in sorted(self.folder.iterdir())
            if file.name != "stats.json"
        }

    @property
    def edges(self) -> set[tuple[str, str, str]]:
        """Tail, question and head of every edge."""
        return {(edge.tail, edge.question, edge.head) for edge in self.opened()}

    def opened(self) -> GraphIndex:
        with Index.open(self.directory, self.embedder) as index:
            graph: GraphIndex = index.reader("passage-graph")
            return graph


def make_settings(settings: dict[str, Any]) -> Context:
    """The settings of a build by the scripted model."""
    return Context.model_validate({"model": "scripted", **settings})


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
