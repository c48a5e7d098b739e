"""An index directory, opened for search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self, TypeVar

from hopyard.indexes.kinds.dense.hnsw import DenseIndex
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.manifest import (
    Manifest,
    check_embedding,
    check_files,
    damaged,
    generation_directory,
    read_manifest,
)
from hopyard.indexes.records import Passage, Scored
from hopyard.indexes.searches.fusion import reciprocal_rank_fusion
from hopyard.indexes.searches.mmr_order import mmr
from hopyard.indexes.snapshot import CORPUS_FILE, Snapshot, checked_corpus
from hopyard.models.embedder import Embedder, Vector, Vectors
from hopyard.state.errors import IndexMissingError

__all__ = ("Index",)

FETCH_K: Final = 20
"""Candidates from which MMR and fusion choose: four for each of ToR-RAG's five snippets."""

_Part = TypeVar("_Part")


class Index:
    """One generation of an index, for search. Any thread may use it.

    A build that ends meanwhile does not change what an open index finds. After the second one
    `passages` fails with an `IndexMissingError` that says to open the index again.
    """

    def __init__(
        self,
        directory: Path,
        manifest: Manifest,
        corpus: Snapshot,
        dense: DenseIndex | None,
        sparse: SparseIndex | None,
    ) -> None:
        """Put an index together from its parts; see `open`."""
        self.directory = directory
        self.manifest = manifest
        self.corpus = corpus
        self._dense = dense
        self._sparse = sparse

    @classmethod
    def open(cls, directory: Path, embedder: Embedder | None = None) -> Self:
        """Open the current generation of an index.

        Args:
            directory: The index directory.
            embedder: The model that questions will be embedded with, which must be the index's
                own; None where none will be.

        Raises:
            IndexMissingError: There is no index, or a file of it is missing or damaged; the
                message names the file and says what to run.
            EmbeddingMismatchError: Another embedding model made the index.
        """
        manifest = read_manifest(directory)
        while True:
            if embedder is not None:
                check_embedding(directory, manifest, embedder)
            try:
                return cls._load(directory, manifest)
            except IndexMissingError:
                # Two builds may have ended since the manifest was read.
                latest = read_manifest(directory)
                if latest.generation == manifest.generation:
                    raise
                manifest = latest

    @classmethod
    def _load(cls, directory: Path, manifest: Manifest) -> Self:
        check_files(directory, manifest)
        folder = generation_directory(directory, manifest.generation)
        with ExitStack() as opened:
            corpus = opened.enter_context(checked_corpus(directory, manifest.generation))
            dense = DenseIndex.load(folder / "dense") if "dense" in manifest.kinds else None
            sparse = SparseIndex.load(folder / "sparse") if "sparse" in manifest.kinds else None
            _check_counts(directory, manifest, corpus, (dense, sparse))
            opened.pop_all()
        return cls(directory, manifest, corpus, dense, sparse)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus store."""
        self.corpus.close()

    def kind_directory(self, kind: str) -> Path:
        """The folder of a derived kind, for those who read it themselves.

        Raises:
            IndexMissingError: The index has no such kind.
        """
        if kind not in self.manifest.kinds:
            raise self._without(kind)
        return generation_directory(self.directory, self.manifest.generation) / kind

    def passages(self, passage_ids: Sequence[str]) -> list[Passage]:
        """Fetch passages, in the order of their ids.

        Raises:
            IndexMissingError: One is not in the index.
        """
        return self.corpus.get(passage_ids)

    def dense_search(self, query_vector: Vector, k: int) -> list[Scored]:
        """Find the k passages nearest to a question's embedding [d]; the score is the cosine."""
        return _scored(self._need(self._dense, "dense").search(query_vector, k))

    def sparse_search(self, text: str, k: int) -> list[Scored]:
        """Find the k best passages by BM25 that share a word with the text."""
        return _scored(self._need(self._sparse, "sparse").search(text, k))

    def hybrid_search(
        self, text: str, query_vector: Vector, k: int, *, fetch_k: int = FETCH_K
    ) -> list[Scored]:
        """Merge the best of dense and sparse search by reciprocal rank fusion.

        Args:
            text: The question.
            query_vector: Its embedding [d].
            k: Passages at most.
            fetch_k: Passages taken from each of the two; k at least are.
        """
        fetch = max(k, fetch_k)
        rankings = [
            [scored.passage_id for scored in found]
            for found in (self.dense_search(query_vector, fetch), self.sparse_search(text, fetch))
        ]
        return _scored(reciprocal_rank_fusion(rankings)[:k])

    def mmr_search(
        self, query_vector: Vector, k: int, lambda_: float, *, fetch_k: int = FETCH_K
    ) -> list[Scored]:
        """Choose k near passages that differ from each other.

        Args:
            query_vector: The question's embedding [d].
            k: Passages at most.
            lambda_: From 0 (diversity alone) to 1 (relevance alone).
            fetch_k: Nearest passages to choose from; k at least are.

        Returns:
            Passages in the order of choice, with their cosine as `score` and their `mmr_score`.
        """
        dense = self._need(self._dense, "dense")
        found = dense.search(query_vector, max(k, fetch_k))
        vectors = dense.vectors([passage_id for passage_id, _ in found])
        return [
            Scored(*found[row], mmr_score=mmr_score)
            for row, mmr_score in mmr(query_vector, vectors, k, lambda_)
        ]

    def vectors(self, passage_ids: Sequence[str]) -> Vectors:
        """The embeddings [n, d] of passages, in the order of their ids.

        Raises:
            IndexMissingError: The index has no dense part, or a passage is not in it.
        """
        return self._need(self._dense, "dense").vectors(passage_ids)

    def _need(self, part: _Part | None, kind: str) -> _Part:
        if part is None:
            raise self._without(kind)
        return part

    def _without(self, kind: str) -> IndexMissingError:
        kinds = ",".join((*self.manifest.kinds, kind))
        return IndexMissingError(
            f"The index {str(self.directory)!r} has no {kind} part: "
            f"run `hopyard index build PATH… --out {self.directory} --with {kinds}`."
        )


def _check_counts(
    directory: Path,
    manifest: Manifest,
    corpus: Snapshot,
    parts: Iterable[DenseIndex | SparseIndex | None],
) -> None:
    counts = corpus.counts()
    expected = {name: manifest.counts.get(name) for name in counts}
    if counts != expected:
        raise damaged(directory / CORPUS_FILE, f"holds {counts} instead of {expected}")
    for part in parts:
        if part is not None and len(part) != counts["passages"]:
            name = type(part).__name__
            folder = generation_directory(directory, manifest.generation)
            raise damaged(folder, f"has a {name} of {len(part)} passages, not {counts['passages']}")


def _scored(pairs: Iterable[tuple[str, float]]) -> list[Scored]:
    return [Scored(passage_id, score) for passage_id, score in pairs]
