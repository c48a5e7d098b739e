"""Texts that are too long to be held in memory, and the stretches in which texts are read."""

from __future__ import annotations

import codecs
import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

STRETCH: Final = 1 << 18
"""Characters that are cut at once: the splitter takes many times the memory of its text."""

_IN_MEMORY: Final = 1 << 22
"""Characters of a text that is held in memory; one character takes up to four bytes."""
_BLOCK: Final = 1 << 20


class LongText:
    """A text in a temporary file, which goes when nobody holds the text any more."""

    def __init__(self, blocks: Iterable[str]) -> None:
        """Write a text down.

        Args:
            blocks: The parts of the text, in order.
        """
        # Not in a `with` block: the file lives as long as this object.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._length = 0
        digest = hashlib.sha256()
        for block in blocks:
            data = block.encode()
            self._file.write(data)
            digest.update(data)
            self._length += len(block)
        self.digest: Final = digest.hexdigest()
        """SHA-256 of the text."""

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        """All of it, in memory."""
        return "".join(self.blocks())

    def __repr__(self) -> str:
        return f"<{self._length:,} characters in a temporary file>"

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def blocks(self) -> Iterator[str]:
        """The text, a part at a time. Several readers may take turns."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        place = 0
        while True:
            self._file.seek(place)
            data = self._file.read(_BLOCK)
            place += len(data)
            if not data:
                return
            yield decoder.decode(data)


def text_of(blocks: Iterable[str]) -> str | LongText:
    """The text that some parts make, in memory or, where it is long, in a temporary file."""
    waiting = iter(blocks)
    held: list[str] = []
    length = 0
    for block in waiting:
        held.append(block)
        length += len(block)
        if length > _IN_MEMORY:
            return LongText(chain(held, waiting))
    return "".join(held)


def text_digest(text: str | LongText) -> str:
    """SHA-256 of a text, 64 hex digits."""
    return text.digest if isinstance(text, LongText) else hashlib.sha256(text.encode()).hexdigest()


def is_blank(text: str | LongText) -> bool:
    """Whether the text has nothing but blanks."""
    return not any(stretch.strip() for stretch in stretches_of(text))


def stretches_of(text: str | LongText) -> Iterator[str]:
    """The text in parts that are cut at the end of a paragraph, a line or a word.

    A text of at most `STRETCH` characters is one part.
    """
    rest, begin = "", 0
    for block in [text] if isinstance(text, str) else text.blocks():
        rest, begin = rest[begin:] + block, 0
        while len(rest) - begin > STRETCH:
            ends = (
                place + len(mark)
                for mark in ("\n\n", "\n", " ")
                if (place := rest.rfind(mark, begin + STRETCH // 2, begin + STRETCH)) >= 0
            )
            end = next(ends, begin + STRETCH)
            yield rest[begin:end]
            begin = end
    yield rest[begin:]
