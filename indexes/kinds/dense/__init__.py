"""The kind `dense`: nearest neighbours of embeddings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field, field_validator

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.manifest import damage_error, generation_directory
from hopyard.indexes.corpus.shared import mirror_at
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import IndexKind
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Group
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.dense.reader import DenseReader

FAISS: Final = "faiss"
PGVECTOR: Final = "pgvector"
"""The store that keeps vectors in the database of a shared index."""
STORES: Final = (FAISS, PGVECTOR)
STORE_FILE: Final = "store.json"
"""The file of the kind `dense` that names its store; the FAISS index has none."""

LARGE: Final = 50_000
"""Passages from which on inverted lists are searched: comparing a question with all of so many
takes some ten milliseconds."""


_LEFT: Final = "LangChain's vector stores, which found the same passages, are no longer used"


class DenseSettings(Group):
    """Where the kind `dense` keeps its vectors."""

    group = "dense"

    store: str = Field(
        FAISS,
        description="faiss, or pgvector: in the database of a shared index.",
    )

    @field_validator("store")
    @classmethod
    def _known_store(cls, store: str) -> str:
        if store not in STORES:
            raise ValueError(f"choose {' or '.join(STORES)}; {_LEFT}")
        return store


class _Dense(IndexKind):
    name = "dense"
    about = (
        "The passages' embeddings, for nearest neighbours. Read by dense, hybrid and mmr search."
    )
    settings = DenseSettings
    needs_vectors = True

    def __init__(self, store: str = "") -> None:
        """Keep vectors in a store, whatever the settings say; "" for that of the settings."""
        self._store = store

    def storing(self, store: str) -> IndexKind:
        """The kind with the vectors in a store, whatever the settings say.

        Raises:
            UsageError: There is no such store.
        """
        if store not in STORES:
            raise UsageError(f"There is no vector store {store!r}: choose {' or '.join(STORES)}.")
        return _Dense(store)

    def store_for(self, index: Path, generation: int) -> str:
        """The store for an index that was copied to a directory: FAISS if it has no database."""
        store = _store_in(generation_directory(index, generation) / self.name)
        return FAISS if store == PGVECTOR and mirror_at(index) is None else store

    def prepare(self, directory: Path, options: BuildOptions) -> None:
        """See that the database can keep vectors."""
        if (self._store or DenseSettings.of(options.settings).store) == PGVECTOR:
            from hopyard.indexes.kinds.dense.pgvector import check_database

            check_database(directory, options.dimension)

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Index all vectors, or of a large index what has changed."""
        return await in_thread(_write, context, self._store)

    def open(self, directory: Path) -> DenseReader:
        """Open the FAISS index, or that of the database.

        Raises:
            IndexMissingError: A file is damaged, or an older Hopyard wrote it into another store.
        """
        store = _store_in(directory)
        if store == PGVECTOR:
            from hopyard.indexes.kinds.dense.pgvector import PgVectorIndex

            return PgVectorIndex.load(directory)
        if store != FAISS:
            raise damage_error(directory / STORE_FILE, f"names {store!r}: {_LEFT}")
        from hopyard.indexes.kinds.dense.flat import FlatIndex
        from hopyard.indexes.kinds.dense.ivf import IVF_FILE, IvfIndex

        return (IvfIndex if (directory / IVF_FILE).exists() else FlatIndex).load(directory)

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether the vectors are in the store that the settings name, in the files of today."""
        from hopyard.indexes.kinds.dense.reader import VECTORS_FILE

        store = _store_in(directory)
        if self._store or not options.keep:
            wanted = self._store or DenseSettings.of(options.settings).store
            if store != wanted:
                return False
        if store not in STORES:
            return False
        if store != PGVECTOR:
            return (directory / VECTORS_FILE).exists()
        from hopyard.indexes.kinds.dense.pgvector import has_vectors

        return has_vectors(directory, directory.parents[1])

    def keeps_removed(self, directory: Path) -> bool:
        """Whether the files still have the vectors of removed passages."""
        from hopyard.indexes.kinds.dense.flat import keeps_removed

        if _store_in(directory) == PGVECTOR:
            from hopyard.indexes.kinds.dense.pgvector import PgVectorIndex

            with closing(PgVectorIndex.load(directory)) as reader:
                return reader.keeps_removed()
        return keeps_removed(directory)

    def status(self, directory: Path) -> Mapping[str, Any]:
        """The vector store, unless it is FAISS, which most indexes have."""
        store = _store_in(directory)
        return {} if store == FAISS else {"vectors": store}

    def check(self, reader: DenseReader, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        held, passages = len(reader), counts["passages"]
        return f"holds {counted(held, 'passage')}, not {passages}" if held != passages else ""

    def readable(self, reader: DenseReader, index: Index) -> DenseReader:
        """The vectors of the passages that a caller may read."""
        from hopyard.indexes.kinds.dense.reader import ReadableDense

        own = reader.for_groups(index.corpus.groups or ())
        return ReadableDense(own, index.allowed(()) or frozenset())


def _write(context: BuildContext, fixed: str) -> Mapping[str, int]:
    store = DenseSettings.of(context.options.settings).store
    if context.options.keep and context.previous is not None:
        store = PGVECTOR if _store_in(context.previous) == PGVECTOR else FAISS
    store = fixed or store

    def tell(done: int, total: int) -> None:
        context.progress("dense", done, total)

    from hopyard.indexes.kinds.dense.flat import FlatIndex
    from hopyard.indexes.kinds.dense.ivf import IvfIndex
    from hopyard.indexes.kinds.dense.reader import VECTORS_FILE

    corpus, embedding = context.corpus, context.options.embedding
    count = corpus.counts()["passages"]
    extended = store == FAISS and _extended(context)
    if store == PGVECTOR:
        from hopyard.indexes.kinds.dense.pgvector import write

        write(context)
    elif not extended:
        ids, vectors = corpus.map_vectors(embedding, context.directory / VECTORS_FILE)
        built = (
            IvfIndex.build(ids, vectors, tell) if count > LARGE else FlatIndex.build(ids, vectors)
        )
        built.save(context.directory)
    tell(count, count)
    return {"vectors": count}


def _extended(context: BuildContext) -> bool:
    """Write the last generation's index with what has changed; False if that cannot be."""
    from hopyard.indexes.kinds.dense.flat import FlatIndex

    last = context.extends
    if last is None or _store_in(last) != FAISS or not KIND.is_current(last, context.options):
        return False
    index, change = KIND.open(last), context.corpus.changes(context.options.embedding)
    return isinstance(index, FlatIndex) and index.extend(last, context.directory, *change)


def _store_in(directory: Path) -> str:
    """The vector store of a kind's folder.

    Raises:
        IndexMissingError: The file that names it is damaged.
    """
    file = directory / STORE_FILE
    try:
        store = json.loads(file.read_bytes())["store"] if file.exists() else FAISS
    except (ValueError, LookupError, TypeError) as error:
        raise damage_error(file, "names no vector store") from error
    return str(store)


KIND: Final = _Dense()
