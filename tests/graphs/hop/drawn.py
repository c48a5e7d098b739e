"""Passage graphs drawn by hand, and an embedding model whose cosines stand in the texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from building import build

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kind import KINDS, BuildContext, IndexKind
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles, GraphIndex
from hopyard.models.embedder import Embedder, Vector, Vectors

Drawing = Sequence[tuple[str, str, str]]
"""Tail, question, head of each edge."""


class Dialled:
    """Embeds a text with `~0.8` in it at a cosine of 0.8 to every text without such a dial."""

    name = "dialled"
    dimension = 2
    window = 4096
    tokenizer = None

    def embed_documents(self, texts: list[str]) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        dial = re.search(r"~(\d\.\d+)", text)
        cosine = float(dial[1]) if dial else 1.0
        return np.array([cosine, np.sqrt(1 - cosine**2)], dtype=np.float32)


@dataclass(frozen=True)
class DrawnGraph(IndexKind):
    """The kind `passage-graph` for a build, with the edges given instead of a model's.

    Attributes:
        drawing: The edges, numbered by tail and then in the order given.
        embedder: Embeds their questions.
        keywords: Keywords by question or passage id; none where it is not named.
    """

    name = "passage-graph"
    about = "Edges drawn by hand."
    needs_vectors = True

    drawing: Drawing
    embedder: Embedder
    keywords: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def open(self, directory: Path) -> GraphIndex:
        return GraphIndex.load(directory)

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        passages = [passage.id for passage in context.corpus.passages()]
        drawn = sorted(self.drawing, key=lambda edge: edge[0])
        words = sorted({word for some in self.keywords.values() for word in some})
        rows = [
            (passages.index(tail), passages.index(head), row, 0.0)
            for row, (tail, _, head) in enumerate(drawn)
        ]
        questions = [question for _, question, _ in drawn]
        GraphFiles(
            passages=passages,
            edges=np.array(rows, dtype=EDGE_ROW),
            questions=Ragged.of_texts(questions),
            vectors=self._vectors(questions),
            vocabulary=Ragged.of_texts(words),
            edge_keywords=self._codes(questions, words),
            passage_keywords=self._codes(passages, words),
        ).save(context.directory)
        return {"edges": len(drawn)}

    def _vectors(self, questions: list[str]) -> Vectors:
        if not questions:
            return np.empty((0, self.embedder.dimension), dtype=np.float32)
        return self.embedder.embed_documents(questions)

    def _codes(self, names: list[str], words: list[str]) -> Ragged:
        rows = [[words.index(word) for word in self.keywords.get(name, ())] for name in names]
        return Ragged.of(rows, np.int32)


def build_drawn(
    directory: Path,
    texts: Mapping[str, str],
    drawing: Drawing,
    embedder: Embedder,
    keywords: Mapping[str, Sequence[str]] | None = None,
    *,
    kinds: Sequence[str] = ("dense", "sparse", "passage-graph"),
) -> Path:
    """An index of one passage a document, with a graph drawn by hand.

    Args:
        directory: Where it is made.
        texts: The passages by id.
        drawing: The edges.
        embedder: Embeds passages and questions.
        keywords: Keywords by question or passage id.
        kinds: What is derived.
    """
    graph = DrawnGraph(drawing, embedder, keywords or {})
    documents = [
        Document(id=name, title=name.replace("-", " ").title(), text=text)
        for name, text in texts.items()
    ]
    KINDS.register(graph)
    try:
        build(documents, directory=directory, embedder=embedder, chunk_tokens=0, kinds=kinds)
    finally:
        KINDS.unregister(graph.name)
    return directory
