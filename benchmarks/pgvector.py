"""Vectors in Postgres (pgvector) beside the local copy of the same index.

    python benchmarks/pgvector.py postgresql://postgres@localhost/scale --sizes 10000 100000

Made vectors of 384 dimensions in wide clusters that overlap, as `hard` of `benchmarks/scale.py`; no
model takes part. Each passage is readable by the group of its number modulo 100, so that a caller
with one group reads 1 %. The server must be on this machine: the time of 200 questions is that of
the processors of client and server. The role must be able to make the extension and the role
`hopyard_reader`. Without an address the server of the tests is started. Writes
`benchmarks/results/pgvector.json`, unless `--print` is given.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import psycopg
from scale import MB, vectors_of

from hopyard.indexes.arrays.passage_set import PassageSet
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.dense import LARGE
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.kinds.dense.ivf import IvfIndex
from hopyard.indexes.kinds.dense.pgvector import PgVectorIndex
from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.models.embedder import Vectors
from hopyard.state.storage.postgres.files import IndexFiles
from hopyard.state.storage.postgres.vector_rows import NEAREST, READER
from hopyard.state.storage.postgres.vectors import VectorTable

RESULTS: Final = Path(__file__).resolve().parent / "results" / "pgvector.json"
QUESTIONS: Final = 200
GROUPS: Final = 100


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of some work, and the seconds by the clock."""
    began = time.perf_counter()
    return work(), round(time.perf_counter() - began, 1)


def server_seconds(index: DenseReader) -> float:
    """Processor seconds of the process of the server that answers an index."""
    if not isinstance(index, PgVectorIndex):
        return 0.0
    pid = index._table._database._opened().info.backend_pid
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(
    index: DenseReader, scores: Vectors, questions: Vectors, rows: Any, mask: bool = True
) -> dict[str, Any]:
    """Recall at 10 and time of a search among some rows; of all without a mask.

    Args:
        scores: The cosines of all passages with each question.
    """
    chosen = np.arange(len(scores[0])) if rows is None else rows
    allowed = None
    if rows is not None and mask:
        of = np.zeros(len(scores[0]), np.bool_)
        of[rows] = True
        allowed = PassageSet(index.ids, of)
    index.nearest(questions[0], 10, allowed)  # opens the connection
    hits, wall, began = 0, [], time.process_time() + server_seconds(index)
    found = []
    for question in questions:
        start = time.perf_counter()
        found.append({*index.nearest(question, 10, allowed)[0].tolist()})
        wall.append(time.perf_counter() - start)
    used = time.process_time() + server_seconds(index) - began
    for each, own in zip(scores, found, strict=True):
        hits += len(own & {*chosen[np.argpartition(-each[chosen], 10)[:10]].tolist()})
    return {
        "recall": round(hits / 10 / len(questions), 3),
        "processor ms": round(1e3 * used / len(questions), 2),
        "wall ms": round(1e3 * float(np.median(wall)), 2),
    }


def plan(table: VectorTable, question: Any) -> str:
    """The plan that Postgres chooses where only the database keeps to rights."""
    with table._database._opened() as connection, connection.transaction():
        table._begin(connection)
        given = {"question": str(question.tolist()), "generation": 1, "limit": 10}
        lines = connection.execute(f"EXPLAIN {NEAREST}".format(**table._named), given).fetchall()
    return "graph" if "_graph" in str(lines) else "all rows of the groups"


def measure(address: str, size: int) -> dict[str, Any]:
    """Build, search with filters and rights, add 1 %."""
    every, questions = vectors_of("hard", size + size // 100, 1), vectors_of("hard", QUESTIONS, 2)
    vectors, found = every[:size], {"passages": size, "load": os.getloadavg()[0]}
    scores = questions @ vectors.T
    ids = Ragged.of_texts(f"n{row:08}" for row in range(size))
    names, random = list(map(ids.text, range(size))), np.random.default_rng(0)
    maker: Any = FlatIndex if size <= LARGE else IvfIndex
    local, found["local build s"] = timed(lambda: maker.build(names, vectors))
    files = IndexFiles(address, f"scale-{size}", "the index")

    def write(count: int, generation: int) -> Any:
        table = VectorTable(address, f"scale-{size}", every.shape[1], generation)
        digests = [sha256(vector.tobytes()).digest()[:16] for vector in every[:count]]
        readers = np.arange(count) % GROUPS, [[[f"g{number}"]] for number in range(GROUPS)]
        with files.hold() as publisher, closing(table):
            rows = publisher.write(
                0, lambda each: table.write(each, digests, readers, every[:count], oldest=1)
            )
        return PgVectorIndex(ids, rows[:size], table)

    index, found["build s"] = timed(lambda: write(size, 1))
    table = index._table._named["vectors"]
    with psycopg.connect(address, autocommit=True) as connection:
        for name, part in (("table", table), ("graph", f"{table}_graph")):
            [used] = connection.execute("SELECT pg_relation_size(%s)", [part]).fetchone() or [0]
            found[f"{name} MB"] = round(used / MB)
    for share in (None, 0.5, 0.1, 0.01):
        rows = None if share is None else random.choice(size, int(share * size), replace=False)
        where = "all" if rows is None else f"{share:.0%} let through"
        for name, reader in (("pgvector", index), ("local", local)):
            found[f"{where}, {name}"] = asked(reader, scores, questions, rows)
    for count in (50, 10, 1):
        groups = tuple(f"g{number}" for number in range(count))
        rows = np.flatnonzero(np.arange(size) % GROUPS < count)
        own = index.for_groups(groups)
        found[f"groups of {count} %"] = {
            "program and database": asked(own, scores, questions, rows),
            "program alone": asked(index, scores, questions, rows),
            "database alone": asked(own, scores, questions, rows, mask=False),
            "plan of the database alone": plan(own._table, questions[0]),
        }
    index.close()
    _, found["adding 1 % s"] = timed(lambda: write(len(every), 2))
    return found


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", nargs="?", default="", help="Of a database with pgvector.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--print", action="store_true", help="Write no file.")
    given = parser.parse_args()
    if given.address:
        results = [measured(given.address, size) for size in given.sizes]
    else:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
        from postgres_server import PostgresServer

        with PostgresServer() as server:
            results = [measured(server.address, size) for size in given.sizes]
    if not given.print:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def measured(address: str, size: int) -> dict[str, Any]:
    """Measure a size, and print it."""
    with psycopg.connect(address, autocommit=True) as connection:
        [there] = connection.execute(
            "SELECT count(*) FROM pg_roles WHERE rolname = %s", [READER]
        ).fetchone() or [0]
        if not there:
            connection.execute(f"CREATE ROLE {READER}")
        connection.execute(f"GRANT USAGE ON SCHEMA public TO {READER}")
    result = measure(address, size)
    print(json.dumps(result, indent=2))
    return result


if __name__ == "__main__":
    main()
