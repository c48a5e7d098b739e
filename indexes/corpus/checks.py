"""Checks of the rows of a generation."""

from __future__ import annotations

import sqlite3
import zlib

from hopyard.indexes.corpus.corpus_file import CORPUS_FILE, check_structure, corpus_error
from hopyard.indexes.corpus.generation import CONTINUATIONS, DOCUMENTS, PASSAGES, VISIBLE
from hopyard.indexes.corpus.manifest import Manifest
from hopyard.indexes.corpus.snapshot import Snapshot


def check_rows(corpus: Snapshot, manifest: Manifest, *, full: bool = False) -> None:
    """Compare the numbers of documents and passages with those of the manifest.

    Args:
        full: Also check the structure of the file, and the checksum of its rows.

    Raises:
        IndexMissingError: The file is damaged.
    """
    counts = corpus.counts()
    expected = {name: manifest.counts.get(name) for name in counts}
    known = manifest.checksums.get(CORPUS_FILE)
    with corpus.connected() as connection:
        if counts != expected:
            raise sqlite3.DatabaseError(f"it holds {counts} instead of {expected}")
        if full:
            check_structure(connection)
    if full and known not in {None, rows_checksum(corpus)}:
        raise corpus_error(corpus.directory, sqlite3.DatabaseError("its checksum is wrong"))


def rows_checksum(corpus: Snapshot, last: str = "") -> str:
    """CRC-32 of the rows of documents and passages, added up.

    Args:
        last: That of the generation before. Then only the rows that this one added and removed are
            read.
    """
    total = int(last or "0", 16)
    parts = {"added = :generation": 1, "removed = :generation": -1} if last else {VISIBLE: 1}
    with corpus.connected() as connection:
        for sql in (PASSAGES, DOCUMENTS, CONTINUATIONS):
            for which, sign in parts.items():
                chosen = sql.replace(VISIBLE, which)
                for row in connection.execute(chosen, {"generation": corpus.generation}):
                    total += sign * zlib.crc32("\0".join(map(str, row)).encode())
    return f"{total & 0xFFFFFFFF:08x}"
