"""The pages of a text whose pages end with form feeds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.corpus.long_text import LongText, stretches_of
from hopyard.indexes.corpus.records import PAGE_END

__all__ = ("Pages",)

_END: Final = re.compile(PAGE_END)


class Pages:
    """Counts the pages of a text while it is read."""

    def __init__(self, text: str | LongText, own: str) -> None:
        """Begin with a text.

        Args:
            own: The page that it is on if it has no form feeds: a loader may give each page as a
                document of its own.
        """
        self._text = text
        self._own = own
        self._has_pages = any(PAGE_END in stretch for stretch in stretches_of(text))
        self._ends: list[int] = []

    def stretches(self) -> Iterator[str]:
        """The parts of the text, in order; the pages in them are counted."""
        start = 0
        for stretch in stretches_of(self._text):
            self._ends += (start + found.start() for found in _END.finditer(stretch))
            yield stretch
            start += len(stretch)

    def of(self, start: int, end: int) -> str:
        """The pages, as in `4` or `3-4`, of a part. It begins and ends with a letter."""
        if not self._has_pages:
            return self._own
        first = bisect_left(self._ends, start) + 1
        last = bisect_left(self._ends, end - 1) + 1
        return str(first) if first == last else f"{first}-{last}"
