"""The dense index whose vectors are in the Postgres database of a shared index (pgvector).

A machine's copy of the index has the ids of the passages and the row of each vector. The database
proposes the nearest rows through its graph, and keeps to the caller's groups by itself
(`state/storage/postgres/vectors.py`). Cosines are those of vectors of 16-bit numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection

from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.corpus.mirror import Mirror
from hopyard.indexes.corpus.shared import mirror_at, mirror_with
from hopyard.indexes.kinds.dense import PGVECTOR, STORE_FILE
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, DenseReader, Nearest
from hopyard.models.embedder import Vector, Vectors
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.settings.index_address import index_address
from hopyard.state.settings.rights import readers_of
from hopyard.state.storage.postgres.vectors import Found, VectorTable

T = TypeVar("T")

_ROWS_FILE: Final = "vector-rows.npy"
_COMPARED: Final = 1_000
"""As `reader.COMPARED`: the database takes 5 µs a row, where it must find it first."""
_MARGIN: Final = 2
"""Rows that a search with a filter asks for, for each that it needs on average."""


class PgVectorIndex(DenseReader):
    """Nearest neighbours by cosine, which the database finds.

    Args:
        ids: The passages' ids, sorted.
        rows: [n] The row of each passage in the database.
        table: These rows.
    """

    def __init__(self, ids: Ragged, rows: NDArray[np.int64], table: VectorTable) -> None:
        super().__init__(ids, table.dimension)
        self._rows, self._table = rows, table

    @classmethod
    def load(cls, directory: Path) -> PgVectorIndex:
        """Open what `write` wrote. The database is asked when a search needs it.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        ids = Ragged.load(directory, IDS, np.uint8)
        rows = load_array(directory / _ROWS_FILE, np.int64, rows=len(ids))
        try:
            about = json.loads((directory / STORE_FILE).read_bytes())
            mirror = mirror_with(directory.parents[1])  # with the caller's user and password
            address = mirror.address if mirror else index_address(about["address"])
            numbers = map(int, (about["dimension"], about["generation"]))
            table = VectorTable(address.database, address.name, *numbers)
        except (ValueError, LookupError, TypeError, UsageError) as error:
            raise damage_error(directory / STORE_FILE, "names no vectors in a database") from error
        return cls(ids, rows, table)

    def for_groups(self, groups: Sequence[str]) -> PgVectorIndex:
        """See `DenseReader.for_groups`."""
        return PgVectorIndex(self.ids, self._rows, self._table.for_groups(groups))

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        rows = self._rows[numbers].tolist()
        found = self._table.vectors(rows)
        if found.keys() < {*rows}:
            raise IndexMissingError(
                "Some vectors are not in the database any more, or not for these groups: open the "
                "index again."
            )
        data = b"".join(found[row] for row in rows)
        return np.frombuffer(data, dtype=">f2").astype(np.float32).reshape(-1, self.dimension)

    def keeps_removed(self) -> bool:
        """Whether the database has vectors of removed passages."""
        return self._table.keeps_removed()

    def close(self) -> None:
        """Close the connection."""
        self._table.close()

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        asked = likely = k
        if allowed is not None:
            likely = int(_MARGIN * k * len(self) / np.count_nonzero(allowed))
            # Where the database keeps to the groups, nearly all that it finds is allowed.
            asked = _MARGIN * k if self._table.has_groups else likely
        while True:
            asked = min(asked, len(self))
            numbers, cosines = self._numbered(self._table.nearest(vector.tolist(), asked))
            kept = slice(None) if allowed is None else allowed[numbers]
            if len(numbers[kept]) >= k or allowed is None or asked == len(self):
                return numbers[kept], cosines[kept]
            if len(numbers) < asked:  # the graph looks at `hnsw.max_scan_tuples` rows at most
                return self._compare(vector, k, np.flatnonzero(allowed))
            asked = max(2 * asked, likely)

    def _are_few(self, count: int) -> bool:
        return count <= _COMPARED and super()._are_few(count)

    def _compare(self, vector: Vector, k: int, numbers: NDArray[np.int64]) -> Nearest:
        rows = self._rows[numbers].tolist()
        return self._numbered(self._table.compared(vector.tolist(), rows, k))

    def _numbered(self, found: Found) -> Nearest:
        """The passages of some rows."""
        rows = np.array([row for row, _ in found], dtype=np.int64)
        cosines = np.array([cosine for _, cosine in found], dtype=np.float32)
        return self._order[np.searchsorted(self._rows, rows, sorter=self._order)], cosines

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self._rows)


def check_database(directory: Path, dimension: int) -> None:
    """See that the database of an index that is being built can keep vectors.

    Raises:
        UsageError: The index is in a folder, or the vectors are too long.
        HopyardError: The database has no pgvector, or fails.
    """
    _in_database(directory, dimension, 0, lambda table, connection, _: table.install(connection))


def _in_database(
    directory: Path, dimension: int, generation: int, work: Callable[[VectorTable, Any, Mirror], T]
) -> T:
    """Do some work with the vectors of the index that is being built in a directory."""
    mirror = mirror_at(directory)
    if mirror is None or mirror.publisher is None:
        raise UsageError(
            "The vector store 'pgvector' keeps vectors in the database of an index: name an index "
            "by its address, postgresql://…/DATABASE?index=NAME."
        )
    address = mirror.address
    table = VectorTable(address.database, address.name, dimension, generation)
    return mirror.publisher.write(
        mirror.base() or 0, lambda connection: work(table, connection, mirror)
    )


def write(context: BuildContext) -> None:
    """Write the vectors of a generation into the database, and a kind's folder that names them.

    Raises:
        UsageError: The index is in a folder.
        HopyardError: The database has no pgvector, or fails.
    """
    corpus, options, file = context.corpus, context.options, context.directory / VECTORS_FILE
    ids, vectors = corpus.map_vectors(options.embedding, file)
    digests = [
        sha256(name.encode() + b"\0" + vector.tobytes()).digest()[:16]
        for name, vector in zip(ids, vectors, strict=True)
    ]
    lists = {
        document.id: tuple(readers_of(document.metadata, document.source, options.rights))
        for document in corpus.outlines()
    }
    places = {groups: place for place, groups in enumerate(dict.fromkeys(lists.values()))}
    of_passage = {passage: places[lists[document]] for passage, document, *_ in corpus.places()}
    readers = np.array([of_passage[name] for name in ids]), list(places)

    number, dimension = corpus.generation, options.dimension
    written = f"{number}-{uuid4().hex}"

    def put(table: VectorTable, connection: Connection[Any], mirror: Mirror) -> tuple[Any, str]:
        # A generation may have been built here and not been published.
        oldest = number if options.clean else min(number - 1, mirror.published)
        rows = table.write(connection, digests, readers, vectors, oldest=oldest, written=written)
        return rows, mirror.address.shown

    rows, address = _in_database(context.index_directory, dimension, number, put)
    file.unlink()
    np.save(context.directory / _ROWS_FILE, rows)
    Ragged.of_texts(ids).save(context.directory, IDS)
    about = {"store": PGVECTOR, "address": address, "dimension": dimension}
    about |= {"generation": number, "written": written}
    (context.directory / STORE_FILE).write_text(json.dumps(about), "utf-8")
    has_vectors(context.directory, context.index_directory)


def has_vectors(directory: Path, index: Path) -> bool:
    """Whether the database of an index that is being built has the vectors of a kind's folder.

    Another index, which was copied, may have them, or another build has written its own since.
    """
    about, mirror = json.loads((directory / STORE_FILE).read_bytes()), mirror_at(index)
    if mirror is None or mirror.publisher is None or mirror.address.shown != about.get("address"):
        return False
    return mirror.publisher.holds(int(about["dimension"]), str(about.get("written", "")))
