"""Vectors in Postgres, by the extension pgvector.

Each index has a table of vectors, to which builds only add rows, and a narrow table that says in
which generations a row counts: so only new vectors go into the graph (HNSW). Each row has the
number of the groups that may read it, and row-level security lets the role `hopyard_reader` read
only the rows of the groups in `hopyard.groups`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cache
from typing import Any, Final

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.errors import HopyardError, IndexMissingError, UsageError
from hopyard.state.storage.postgres.connection import Database, Place
from hopyard.state.storage.postgres.vector_rows import BEGIN, GRANT, NEAREST, TABLES, vector_table

LONGEST: Final = 4000
"""Dimensions that a graph takes."""
_OLDEST: Final = (0, 8)
"""The version of pgvector that searches on where a filter leaves too few rows."""
_GRAPH_FROM: Final = 1_000
"""Rows from which on there is a graph; fewer are all compared."""
_ORPHANS: Final = 0.1
"""Share of rows in no generation from which on they go, for which the graph's VACUUM pays."""
_AT_ONCE: Final = 5_000
"""Vectors that are sent at once."""
_NOT_THERE: Final = (
    psycopg.errors.NotSupportedError,
    psycopg.errors.InsufficientPrivilege,
    psycopg.errors.UndefinedFile,
)
"""The errors where the extension cannot be made."""
_SAME: Final = "(old.digest, old.readers) = (new.digest, new.readers) AND removed IS NULL"
_COMPARED: Final = """
WITH chosen AS MATERIALIZED (
    SELECT row, -(embedding <#> %(question)s::halfvec) AS cosine FROM {vectors}
    WHERE row = ANY(%(rows)s)
)
SELECT row, cosine FROM chosen ORDER BY cosine DESC LIMIT %(limit)s
"""
_RETIRED: Final = """
SELECT FROM {vectors} LEFT JOIN {rows} AS kept USING (row)
WHERE kept.row IS NULL OR removed <= %(generation)s LIMIT 1
"""

Found = list[tuple[int, float]]
"""Rows, and their cosines with a question."""


class VectorTable:
    """The vectors of one generation of an index. Any thread may read them, one at a time.

    Args:
        dimension: Length d of a vector, `LONGEST` at most.
        generation: The number of the generation.
    """

    def __init__(self, address: str, name: str, dimension: int, generation: int) -> None:
        self._place = Place(address, f"The vectors of the index {name!r}", "its address")
        self._database = _database(self._place)
        self._name, self.dimension, self.generation = name, dimension, generation
        self._groups = ""  # those of the caller, as JSON
        vectors = vector_table(name, dimension)
        quoted = psycopg.sql.quote(name)
        self._named = {"vectors": vectors, "rows": f"{vectors}_rows", "name": quoted}

    def for_groups(self, groups: Sequence[str]) -> VectorTable:
        """The same vectors for a caller with groups."""
        other = copy(self)
        other._groups = _json(list(groups))
        return other

    @property
    def has_groups(self) -> bool:
        """Whether the database may keep to a caller's groups."""
        return bool(self._groups)

    def nearest(self, question: Sequence[float], limit: int) -> Found:
        """About the nearest rows of all."""
        return self._read(NEAREST, question=json.dumps(question), limit=limit)

    def compared(self, question: Sequence[float], rows: Sequence[int], limit: int) -> Found:
        """The nearest of some rows, which are all compared."""
        asked = {"question": json.dumps(question), "limit": limit}
        return self._read(_COMPARED, rows=rows, **asked)

    def vectors(self, rows: Sequence[int]) -> dict[int, bytes]:
        """The vectors of some rows, as d big-endian numbers of two bytes."""
        query = "SELECT row, embedding FROM {vectors} WHERE row = ANY(%(rows)s)"
        return {row: data[4:] for row, data in self._read(query, rows=rows)}

    def keeps_removed(self) -> bool:
        """Whether the table has vectors of removed passages."""
        return bool(self._read(_RETIRED))

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def _read(self, query: str, **values: Any) -> list[Any]:
        def work(connection: Connection[TupleRow]) -> list[Any]:
            with connection.transaction():
                oldest = self._begin(connection)
                if oldest is None or oldest > self.generation:
                    raise IndexMissingError(
                        f"{self._place} lack generation {self.generation}, which a later build "
                        "has removed: open the index again."
                    )
                # A plan that was prepared for any limit would not use the graph.
                text, asked = query.format(**self._named), {"generation": self.generation} | values
                return connection.execute(text, asked, prepare=False, binary=True).fetchall()

        return self._database.run(work)

    def _begin(self, connection: Connection[TupleRow]) -> int | None:
        asked = {"name": self._name, "dimension": self.dimension, "groups": self._groups}
        row = connection.execute(BEGIN, asked).fetchone()
        return row[0] if row else None

    def install(self, connection: Connection[TupleRow]) -> None:
        """Have the extension in the database.

        Raises:
            UsageError: The vectors are too long.
            HopyardError: The extension is missing or old.
        """
        if self.dimension > LONGEST:
            raise UsageError(
                f"pgvector finds vectors of at most {LONGEST} dimensions, and these have "
                f"{self.dimension}: build with --vectors faiss, or with another embedding model."
            )
        try:
            with connection.transaction():
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            query = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
            [version] = connection.execute(query).fetchone() or ("0.0",)
            if tuple(map(int, version.split(".")[:2])) >= _OLDEST:
                return
            reason = f"it has version {version}"
        except _NOT_THERE as error:
            reason = str(error).splitlines()[0]
        raise HopyardError(
            f"The database of the index {self._name!r} lacks the extension pgvector 0.8 "
            f"({reason}): have an administrator install it and run CREATE EXTENSION vector, or "
            "build with --vectors faiss."
        )

    def write(
        self,
        connection: Connection[TupleRow],
        digests: Sequence[bytes],
        readers: tuple[NDArray[np.int64], Sequence[object]],
        vectors: NDArray[np.float32],
        *,
        oldest: int,
        written: str = "",
    ) -> NDArray[np.int64]:
        """Write the generation of n passages, inside a transaction. Only new vectors are sent.

        Rows of this and later generations that a killed build left are replaced.

        Args:
            connection: Of the builder.
            digests: [n] Of each passage's id and vector.
            readers: [n] The place of each passage's groups in a list; and this list, with JSON.
            vectors: [n, d] They may be mapped.
            oldest: The first generation whose rows stay; that of the table to keep no other.
            written: A mark of this call, which begins with the number of the generation.

        Returns:
            [n] The row of each passage.

        Raises:
            HopyardError: The extension is missing or old.
        """
        self.install(connection)
        self._begin(connection)
        number = self.generation

        def run(query: str, *values: object) -> list[TupleRow]:
            done = connection.execute(query.format(**self._named, dimension=self.dimension), values)
            return done.fetchall() if done.description else []

        def lacks(name: str) -> bool:
            # Not in the schema of the extension, which may have the same index.
            query = "SELECT to_regclass(quote_ident(current_schema()) || '.' || %s)"
            return run(query, name.format(**self._named)) == [(None,)]

        if lacks("{vectors}"):
            connection.execute(TABLES.format(**self._named, dimension=self.dimension))
        connection.execute(GRANT.format(**self._named))
        kinds = self._kinds(connection, readers[1])[readers[0]]
        run(
            "INSERT INTO index_vectors VALUES (%s, %s, %s, %s) ON CONFLICT (name, dimension) "
            "DO UPDATE SET oldest = excluded.oldest, written = excluded.written",
            *(self._name, self.dimension, oldest, written),
        )
        run("UPDATE {rows} SET removed = NULL WHERE removed >= %s", number)
        run("DELETE FROM {rows} WHERE added >= %s", number)
        run(
            "CREATE TEMPORARY TABLE wanted (number INTEGER, digest BYTEA, readers INTEGER) "
            "ON COMMIT DROP"
        )
        with connection.cursor().copy("COPY wanted FROM STDIN") as sent:
            for row in zip(range(len(digests)), digests, kinds.tolist(), strict=True):
                sent.write_row(row)
        run(
            "UPDATE {rows} AS old SET removed = %s WHERE removed IS NULL "
            f"AND NOT EXISTS (SELECT FROM wanted AS new WHERE {_SAME})",
            number,
        )
        run(
            "INSERT INTO {rows} (digest, readers, added) SELECT digest, readers, %s FROM wanted "
            f"AS new WHERE NOT EXISTS (SELECT FROM {{rows}} AS old WHERE {_SAME}) ORDER BY number",
            number,
        )
        found = run(
            "SELECT row, added FROM wanted JOIN {rows} AS kept USING (digest, readers) "
            "WHERE removed IS NULL ORDER BY number"
        )
        rows, added = np.array(found, dtype=np.int64).reshape(-1, 2).T
        new = np.flatnonzero(added == number)
        sending = "COPY {vectors} FROM STDIN (FORMAT binary)".format(**self._named)
        with connection.cursor().copy(sending) as sent:
            for block in _binary(rows, kinds, vectors, new):
                sent.write(block)
        run("DELETE FROM {rows} WHERE removed <= %s", oldest)
        [(all_, kept)] = run(
            "SELECT (SELECT count(*) FROM {vectors}), (SELECT count(*) FROM {rows})"
        )
        if oldest == number or all_ - kept > _ORPHANS * all_:
            run(
                "DELETE FROM {vectors} WHERE NOT EXISTS "
                "(SELECT FROM {rows} AS kept WHERE kept.row = {vectors}.row)"
            )
        if all_ >= _GRAPH_FROM and lacks("{vectors}_graph"):
            # pgvector takes ten times as long where the graph does not fit.
            needed = all_ * (2 * self.dimension + 800) // 1024
            run(f"SET LOCAL maintenance_work_mem = {min(max(needed, 65536), 2**21)}")
            run("CREATE INDEX {vectors}_graph ON {vectors} USING hnsw (embedding halfvec_ip_ops)")
        run("ANALYZE {vectors}, {rows}")
        return rows

    def _kinds(self, connection: Connection[TupleRow], groups: Sequence[object]) -> NDArray[Any]:
        """The numbers of groups in the database, which gets those that it lacks."""
        query = "SELECT groups, id FROM index_readers WHERE name = %s"
        held = {_json(each): number for each, number in connection.execute(query, [self._name])}
        for each in map(_json, groups):
            if each not in held:
                held[each] = max(held.values(), default=0) + 1
                row = (self._name, held[each], each)
                connection.execute("INSERT INTO index_readers VALUES (%s, %s, %s)", row)
        return np.array([held[_json(each)] for each in groups], dtype=np.int32)


@cache
def _database(place: Place) -> Database:
    """One connection for all generations of an index, which a server may not have closed yet."""
    return Database(place)


def _json(groups: object) -> str:
    """Groups as JSON that Postgres reads: it takes no zero character."""
    return json.dumps(groups).replace("\\u0000", "\\ufffd")


def _binary(
    rows: NDArray[np.int64],
    kinds: NDArray[np.int32],
    vectors: NDArray[np.float32],
    new: NDArray[np.int64],
) -> Iterator[bytes]:
    """Rows in the binary format of COPY, with vectors as pgvector's `halfvec` sends them."""
    yield b"PGCOPY\n\xff\r\n\0" + bytes(8)
    width = vectors.shape[1]
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        block = np.zeros(len(some), dtype=f">i2,>i4,>i8,>i4,>i4,>i4,>i2,>i2,({width},)>f2")
        # Three fields, each after the number of its bytes; the last begins with its dimension.
        values = (3, 8, rows[some], 4, kinds[some], 4 + 2 * width, width, 0, vectors[some])
        for field, value in zip(block.dtype.names or (), values, strict=True):
            block[field] = value
        yield block.tobytes()
    yield b"\xff\xff"
