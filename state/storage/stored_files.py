"""A file that is stored as chunks, each by its content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

CHUNK: Final = 1 << 18
"""Bytes of the largest chunk of a file."""
_PAGE: Final = 1 << 12
"""Bytes of the smallest, and of a page of SQLite: a small change of a database file changes few."""
_PARTS: Final = 1 << 14
"""Chunks that a file has at most while they are not the largest."""
_AT_ONCE: Final = 1 << 23


@dataclass(frozen=True)
class StoredFile:
    """A file of a generation.

    Attributes:
        size: Its bytes.
        chunks: The SHA-256 of each chunk, in order.
    """

    size: int
    chunks: tuple[bytes, ...]


def chunk_size(size: int) -> int:
    """Bytes of a chunk of a file of some size."""
    step = _PAGE
    while step < CHUNK and step * _PARTS < size:
        step *= 2
    return step


def parts(sizes: Sequence[int]) -> Iterator[slice]:
    """Chunks that are sent or read at once: 8 MB."""
    start = held = 0
    for end, size in enumerate(sizes, 1):
        held += size
        if held >= _AT_ONCE or end == len(sizes):
            yield slice(start, end)
            start, held = end, 0


def is_chunk(data: bytes, digest: bytes) -> bool:
    """Whether a chunk has a SHA-256."""
    return sha256(data).digest() == digest


Files = Mapping[str, StoredFile]
"""The files of a generation by their paths below the index."""
