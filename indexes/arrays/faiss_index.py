"""FAISS indexes: files on the disk, the rows that a search may find, and one thread.

Threads that insert side by side make another HNSW graph in each run; one makes always the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.corpus.manifest import damage_error


def write_faiss(index: faiss.Index, file: Path) -> None:
    """Write an index into a file.

    Raises:
        OSError: The disk is full or not writable.
    """
    try:
        faiss.write_index(index, str(file))
    except RuntimeError as error:
        raise OSError(str(error)) from error


def read_faiss(file: Path) -> faiss.Index:
    """Map an index into memory: pages are read when a search needs them.

    Raises:
        IndexMissingError: The file is missing or damaged.
    """
    try:
        return faiss.read_index(str(file), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError as error:
        raise damage_error(file, f"cannot be read ({error})") from error


def selector(rows: NDArray[np.bool_]) -> faiss.IDSelectorBitmap:
    """The selector of the rows that a mask names."""
    bits = np.packbits(rows, bitorder="little")
    return faiss.IDSelectorBitmap(bits)  # type: ignore[call-arg, arg-type]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let FAISS use one thread."""
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)
