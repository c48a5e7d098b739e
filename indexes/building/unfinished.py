"""How far a build is that was interrupted, or that still runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopyard.indexes.corpus.corpus_file import CORPUS_FILE, corpus_error, uri_of
from hopyard.indexes.corpus.lock import builder_of
from hopyard.indexes.corpus.manifest import find_manifest, generation_directory, vectors_name

__all__ = ("UnfinishedBuild", "unfinished_build")

_LIVE: Final = "FROM passages WHERE removed IS NULL"
_EMBEDDED: Final = (
    "AND EXISTS (SELECT 1 FROM vectors WHERE namespace = 'passages' "
    "AND vectors.content_hash = passages.content_hash AND (? = '' OR embedding = ?))"
)


@dataclass(frozen=True)
class UnfinishedBuild:
    """A build that has not taken effect.

    Attributes:
        passages: How many passages the index will hold.
        embedded: How many of them have their vector.
        process: The id of the process that builds now; "" where the build was interrupted.
    """

    passages: int
    embedded: int
    process: str = ""

    def __str__(self) -> str:
        done = f"{self.embedded:,} of {self.passages:,} passages embedded"
        if not self.passages:
            done = "reading documents" if self.process else "no document read"
        if self.process:
            return f"building now, process {self.process}: {done}"
        return f"interrupted: {done}; run the same command to continue"


def unfinished_build(directory: Path) -> UnfinishedBuild | None:
    """The build of an index that has not taken effect, or None.

    Raises:
        IndexMissingError: A file in the directory cannot be read.
    """
    process = builder_of(directory)
    if not (directory / CORPUS_FILE).exists():
        return UnfinishedBuild(0, 0, process) if process else None
    manifest = find_manifest(directory)
    generation = manifest.generation if manifest else 0
    own = vectors_name(manifest.embedding, manifest.passage_instruction) if manifest else ""
    try:
        with closing(sqlite3.connect(uri_of(directory / CORPUS_FILE), uri=True)) as corpus:
            written = corpus.execute(
                "SELECT EXISTS (SELECT 1 FROM documents WHERE added > ?1 OR removed > ?1)",
                (generation,),
            ).fetchone()[0]
            other = corpus.execute(
                "SELECT embedding FROM vectors WHERE namespace = 'passages' AND embedding != ? "
                "LIMIT 1",
                (own,),
            ).fetchone()
            begun = generation_directory(directory, generation + 1).exists()
            if not (written or other or begun or process or manifest is None):
                return None
            by = other[0] if other else own
            passages = corpus.execute(f"SELECT count(*) {_LIVE}").fetchone()[0]
            embedded = corpus.execute(f"SELECT count(*) {_LIVE} {_EMBEDDED}", (by, by)).fetchone()
    except sqlite3.Error as error:
        raise corpus_error(directory, error) from error
    return UnfinishedBuild(passages, embedded[0], process)
