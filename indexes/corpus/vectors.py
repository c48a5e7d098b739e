"""The vectors that an index keeps: each text is embedded once, whatever becomes of a build.

The corpus store keeps them under a namespace (`passages`, `questions`, …), the hash of the
text, and the embedding model. Batches hold texts of like length, since a model pads each text to
the longest of its batch, and each batch is stored before the next one is embedded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.corpus.records import embedded_text, text_hash
from hopyard.indexes.corpus.store import CorpusStore
from hopyard.indexes.corpus.threads import in_thread
from hopyard.models.embedder import Embedder, Vectors
from hopyard.state.errors import ModelOutputError, UsageError

PASSAGES: Final = "passages"
"""The namespace of the passages' own texts."""

BATCH: Final = 64
"""Texts embedded and stored at once: enough to fill a processor, and little to lose on a kill."""

_LISTED: Final = 10_000
"""Hashes in one SQL statement."""

_UNIT_TOLERANCE: Final = 1e-3
"""Half-precision models miss length 1 by some 1e-4."""

Tell = Callable[[int, int], None]
"""Called with the texts embedded and how many there are to embed."""


class StoredVectors:
    """The vectors of one build, in the corpus store that the build holds.

    Args:
        store: The corpus store; nobody else uses it while a method here runs.
        embedding: The key of the vectors (`BuildOptions.embedding`).
        dimension: Length of its vectors; those of another length are made again.
        open_embedder: Gives the model; None where every text has its vector already. It may block.
        instruction: The text that the model wants before each text.
    """

    def __init__(
        self,
        store: CorpusStore,
        embedding: str,
        dimension: int,
        open_embedder: Callable[[], Embedder] | None,
        instruction: str = "",
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._dimension = dimension
        self._open_embedder = open_embedder
        self._instruction = instruction
        self._alone = asyncio.Lock()  # the store has one connection

    async def embed(self, texts: Sequence[str], namespace: str, tell: Tell) -> Vectors:
        """The vectors [n, d] of n texts, in order; `purge` keeps them.

        Raises:
            ModelOutputError: The model gave something else than a unit vector for each text.
            UsageError: A vector is missing and there is no embedding model.
        """
        hashes = [text_hash(text) for text in texts]
        by_hash = dict(zip(hashes, texts, strict=True))
        async with self._alone:
            missing = await in_thread(self._missing, namespace, list(by_hash))
            missing.sort(key=lambda name: (-len(by_hash[name]), by_hash[name]))
            await self._embed(
                namespace, missing, lambda part: [by_hash[name] for name in part], tell
            )
            return await in_thread(self._read, namespace, hashes)

    async def embed_passages(self, tell: Tell, since: int = 0) -> int:
        """Embed every text of a live passage that has no vector; how many there were.

        Args:
            tell: Called with the texts embedded and how many there are to embed.
            since: The first generation whose passages may have none.

        Raises:
            ModelOutputError: The model gave something else than a unit vector for each text.
        """
        async with self._alone:
            pending = await in_thread(self.pending, since)
            await self._embed(PASSAGES, pending, self.passage_texts, tell)
            if not pending:
                tell(0, 0)
        return len(pending)

    def pending(self, since: int = 0) -> list[str]:
        """Hashes of the texts of live passages that have no vector.

        Args:
            since: The first generation whose passages may have none.

        Returns:
            The longest first, equal lengths by hash: the order never depends on what is
            already done, so a resumed build cuts the rest into the same batches.
        """
        rows = self._store.run(
            "SELECT content_hash FROM passages WHERE added >= ? AND removed IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM vectors WHERE namespace = ? AND embedding = ? AND length(vector) = ? "
            "AND vectors.content_hash = passages.content_hash) "
            "GROUP BY content_hash "
            "ORDER BY length(title) + length(section) + length(header) + length(text) DESC, "
            "content_hash",
            since, PASSAGES, self._embedding, 4 * self._dimension,
        )  # fmt: skip
        return [row[0] for row in rows]

    def passage_texts(self, hashes: Sequence[str]) -> list[str]:
        """The texts of passages to embed, by their content hashes, in order."""
        rows = self._store.run(
            "SELECT content_hash, title, text, header, section FROM passages "
            "WHERE content_hash IN (SELECT value FROM json_each(?)) GROUP BY content_hash",
            json.dumps(list(hashes)),
        )
        found = {name: embedded_text(*parts) for name, *parts in rows}
        return [found[name] for name in hashes]

    def put(self, namespace: str, hashes: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors [n, d] of n texts; from here on they are never embedded again."""
        with self._store.transaction():
            self._store.write(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                (
                    (namespace, name, self._embedding, vector.astype("<f4").tobytes())
                    for name, vector in zip(hashes, vectors, strict=True)
                ),
            )

    def purge(self, dropped: Sequence[str] | None = None) -> None:
        """Drop what no passage has and, in the other namespaces, what this build did not use.

        Args:
            dropped: Hashes of the passages that were dropped since the last build, if the embedding
                is the same: others keep their vectors. None if all vectors are to be looked at.
        """
        with self._store.transaction():
            if dropped is None:
                self._store.run("DELETE FROM vectors WHERE embedding != ?", self._embedding)
            # Two ranges of the primary key, which has the namespace first.
            for sign in ("<", ">"):
                self._store.run(
                    f"DELETE FROM vectors WHERE namespace {sign} ? AND NOT EXISTS (SELECT 1 "
                    "FROM used WHERE used.namespace = vectors.namespace "
                    "AND used.content_hash = vectors.content_hash)",
                    PASSAGES,
                )
        purge_passage_vectors(self._store, dropped)

    async def _embed(
        self,
        namespace: str,
        missing: Sequence[str],
        texts_of: Callable[[Sequence[str]], list[str]],
        tell: Tell,
    ) -> None:
        if not missing:
            return
        embedder = await in_thread(self._embedder)
        size: int = getattr(embedder, "batch", BATCH)  # more where several processes embed
        for start in range(0, len(missing), size):
            tell(start, len(missing))
            batch = missing[start : start + size]
            await in_thread(self._embed_batch, embedder, namespace, batch, texts_of)
        tell(len(missing), len(missing))

    def _embed_batch(
        self,
        embedder: Embedder,
        namespace: str,
        batch: Sequence[str],
        texts_of: Callable[[Sequence[str]], list[str]],
    ) -> None:
        texts = [f"{self._instruction}{text}" for text in texts_of(batch)]
        vectors = embedder.embed_documents(texts)
        check_vectors(vectors, len(batch), embedder)
        self.put(namespace, batch, vectors)

    def _embedder(self) -> Embedder:
        if self._open_embedder is None:
            raise UsageError(
                f"A text has no vector of {self._embedding!r} yet: give this build an `embedder`."
            )
        return self._open_embedder()

    def _missing(self, namespace: str, hashes: Sequence[str]) -> list[str]:
        """Those of some texts that have no vector. All of them are marked as used."""
        with self._store.transaction():
            self._store.write(
                "INSERT OR IGNORE INTO used VALUES (?, ?)", ((namespace, name) for name in hashes)
            )
        found: set[str] = set()
        for part in _parts(hashes):
            rows = self._store.run(
                "SELECT content_hash FROM vectors WHERE namespace = ? AND embedding = ? "
                "AND length(vector) = ? AND content_hash IN (SELECT value FROM json_each(?))",
                namespace, self._embedding, 4 * self._dimension, json.dumps(part),
            )  # fmt: skip
            found.update(row[0] for row in rows)
        return [name for name in hashes if name not in found]

    def _read(self, namespace: str, hashes: Sequence[str]) -> Vectors:
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(hashes):
            rows.setdefault(name, []).append(row)
        matrix: NDArray[np.float32] = np.empty((len(hashes), self._dimension), dtype=np.float32)
        for part in _parts(list(rows)):
            for name, vector in self._store.run(
                "SELECT content_hash, vector FROM vectors WHERE namespace = ? AND embedding = ? "
                "AND content_hash IN (SELECT value FROM json_each(?))",
                namespace, self._embedding, json.dumps(part),
            ):  # fmt: skip
                matrix[rows[name]] = np.frombuffer(vector, dtype="<f4")
        return matrix


def purge_passage_vectors(store: CorpusStore, dropped: Sequence[str] | None = None) -> None:
    """Drop the vectors of passages that the store no longer has.

    Args:
        dropped: Hashes of texts; vectors of others stay. None for all.
    """
    among = "" if dropped is None else "AND content_hash IN (SELECT value FROM json_each(?)) "
    with store.transaction():
        store.run(
            f"DELETE FROM vectors WHERE namespace = ? {among}AND NOT EXISTS (SELECT 1 "
            "FROM passages WHERE passages.content_hash = vectors.content_hash)",
            PASSAGES, *([] if dropped is None else [json.dumps(list(dropped))]),
        )  # fmt: skip


def check_vectors(vectors: Vectors, count: int, embedder: Embedder) -> None:
    """See that a model gave a unit vector for each text.

    Raises:
        ModelOutputError: It did not.
    """
    expected = (count, embedder.dimension)
    if vectors.shape != expected:
        found = f"an array of shape {vectors.shape} instead of {expected}"
    elif not np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=_UNIT_TOLERANCE):
        found = "vectors that are not of length 1"
    else:
        return
    raise ModelOutputError(
        f"The embedding model {embedder.name!r} gave {found}: choose another model with "
        f"--embedding."
    )


def _parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), _LISTED):
        yield names[start : start + _LISTED]
