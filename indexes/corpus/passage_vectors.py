"""The vectors of the passages of one generation."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from hopyard.indexes.corpus.generation import VISIBLE, Generation

if TYPE_CHECKING:
    from hopyard.models.embedder import Vectors

__all__ = ("PassageVectors",)

_NPY_HEADER: Final = 128
"""Bytes of the header of a `.npy` file."""


class PassageVectors(Generation):
    """The vectors of the passages that are in a generation, and of those that it changed."""

    def vectors(self, embedding: str) -> tuple[list[str], Vectors]:
        """The vectors of all passages that have one.

        Returns:
            The passage ids, sorted, and their vectors [n, d] in the same order.
        """
        import numpy as np

        numbers = BytesIO()
        ids = self._write_vectors(embedding, numbers)
        found = np.frombuffer(numbers.getbuffer(), dtype="<f4")
        return ids, found.reshape(len(ids), -1 if ids else 0)

    def map_vectors(self, embedding: str, file: Path) -> tuple[list[str], Vectors]:
        """The same as `vectors`, in a new `.npy` file that is mapped into memory."""
        import numpy as np

        with file.open("wb") as opened:
            opened.write(bytes(_NPY_HEADER))
            ids = self._write_vectors(embedding, opened)
            width = (opened.tell() - _NPY_HEADER) // 4 // max(len(ids), 1)
            opened.seek(0)
            about = {"descr": "<f4", "fortran_order": False, "shape": (len(ids), width)}
            np.lib.format.write_array_header_1_0(opened, about)
        return ids, np.load(file, mmap_mode="r")

    def changes(self, embedding: str) -> tuple[list[str], list[str], Vectors]:
        """The passages that this generation changed.

        Returns:
            The ids of the passages that it removed, and those of the passages that it added with
            their vectors [n, d]; sorted. A passage with a new text is in both.
        """
        import numpy as np

        removed = self.rows("SELECT id FROM passages WHERE removed = :generation ORDER BY id")
        numbers = BytesIO()
        added = self._write_vectors(embedding, numbers, "added = :generation AND removed IS NULL")
        found = np.frombuffer(numbers.getbuffer(), dtype="<f4")
        return [row[0] for row in removed], added, found.reshape(len(added), -1 if added else 0)

    def _write_vectors(self, embedding: str, file: IO[bytes], which: str = VISIBLE) -> list[str]:
        """Write the vectors of passages one after the other; the ids of these passages."""
        ids: list[str] = []
        with self.connected() as connection:
            for name, vector in connection.execute(
                "SELECT passages.id, vector FROM passages JOIN vectors USING (content_hash) "
                f"WHERE namespace = 'passages' AND embedding = :embedding AND {which} "
                "ORDER BY passages.id",
                {"generation": self.generation, "embedding": embedding},
            ):
                ids.append(name)
                file.write(vector)
        return ids
