"""The dense index in a LangChain vector store, which proposes; exact cosines decide.

A store's interface gives neither scores that can be compared nor a filter that all stores share.
So the vectors are kept beside it too, in a file that is mapped into memory, and each candidate's
cosine is computed from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, DenseReader, Nearest
from hopyard.indexes.kinds.dense.vector_store import STORE_FILE, VECTOR_STORES
from hopyard.models.embedder import Vector, Vectors

FOLDER: Final = "store"
_BATCH: Final = 1000
"""Vectors that are added at a time."""
_ROW: Final = "row"


class _Known(Embeddings):
    """Gives the store the vectors that are known already. A text to search for is its vector."""

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = json.loads(text)
        return vector


class StoredIndex(DenseReader):
    """Nearest neighbours by cosine, found by a vector store. Each row is a passage."""

    def __init__(self, store: VectorStore, ids: Ragged, vectors: Vectors) -> None:
        """Wrap a store whose document of metadata `row` i has the vector `vectors[i]`."""
        self._store = store
        self._vectors = vectors
        super().__init__(ids, int(vectors.shape[1]))

    @classmethod
    def build(
        cls,
        directory: Path,
        name: str,
        ids: Sequence[str],
        vectors: Vectors,
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write the vectors [n, d] of n passages into the store of a name, in a kind's folder.

        The folder has them as `VECTORS_FILE` already.

        Args:
            ids: The passages, sorted.
            vectors: Their embeddings, of length 1.
            tell: Called with the number of vectors that are written, and of all.

        Raises:
            UsageError: There is no such store, or its package is not installed.
        """
        kind, known, folder = VECTOR_STORES[name], _Known(), directory / FOLDER
        folder.mkdir()
        store = kind.open(folder, known)
        for start in range(0, len(ids), _BATCH):
            if tell is not None:
                tell(start, len(ids))
            rows = range(start, min(start + _BATCH, len(ids)))
            names = [ids[row] for row in rows]
            known.vectors = {ids[row]: vectors[row].tolist() for row in rows}
            store.add_texts(names, [{_ROW: row} for row in rows], ids=[str(row) for row in rows])
        if kind.save is not None:
            kind.save(store, folder)
        Ragged.of_texts(ids).save(directory, IDS)
        (directory / STORE_FILE).write_text(json.dumps({"store": name}), "utf-8")

    @classmethod
    def load(cls, directory: Path) -> StoredIndex:
        """Open what `build` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
            UsageError: The store is not there any more, or its package is not installed.
        """
        ids = Ragged.load(directory, IDS, np.uint8)
        vectors = load_array(directory / VECTORS_FILE, np.float32, 2, rows=len(ids))
        name = json.loads((directory / STORE_FILE).read_bytes())["store"]
        return cls(VECTOR_STORES[name].open(directory / FOLDER, _Known()), ids, vectors)

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        return np.asarray(self._vectors[numbers])

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        rows, asked = self._proposed(vector, k), k
        while allowed is not None:
            kept = rows[allowed[rows]]
            if len(kept) >= k or asked == len(self):
                rows = kept
                break
            asked = min(2 * asked, len(self))
            rows = self._proposed(vector, asked)
        return rows, self._vectors[rows] @ vector

    def _proposed(self, vector: Vector, k: int) -> NDArray[np.int64]:
        """The rows of the k documents that the store finds nearest."""
        values = vector.tolist()
        try:
            found = self._store.similarity_search_by_vector(values, k=k)
        except NotImplementedError:  # a store that embeds what it searches for itself
            found = self._store.similarity_search(json.dumps(values), k=k)
        return np.array([int(document.metadata[_ROW]) for document in found], dtype=np.int64)

    def close(self) -> None:
        """Forget the store and its file."""
        forget: Any = None
        self._store = self._vectors = forget
