"""A file that is stored as chunks, each by its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

CHUNK: Final = 1 << 18
"""Bytes of a chunk of a file: a small change of a database file changes few of them."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a generation.

    Attributes:
        size: Its bytes.
        chunks: The SHA-256 of each chunk, in order.
    """

    size: int
    chunks: tuple[bytes, ...]


def is_chunk(data: bytes, digest: bytes) -> bool:
    """Whether a chunk has a SHA-256."""
    return sha256(data).digest() == digest


Files = Mapping[str, StoredFile]
"""The files of a generation by their paths below the index."""
