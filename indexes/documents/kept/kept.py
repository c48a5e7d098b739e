"""The words that a document keeps of its file, and how that is said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hopyard.indexes.documents.readers.base import LeftOut
from hopyard.state.text.counting import counted

LEAST_KEPT: Final = 0.98
"""The share of a file's words that a document keeps; one that keeps less is named."""
EXAMPLES: Final = 5
_MOST_TEXTS: Final = 200
"""Texts that were left out on purpose and can be looked at later, at most."""
_NUMBERED: Final = re.compile(r"(.*) (\d+)")


@dataclass(frozen=True, slots=True)
class Kept:
    """The words that a document keeps of its file.

    Attributes:
        words: The words of the file, without those that are left out on purpose.
        lost: How many of them the document lacks.
        gained: How many words of the document are not in the file, or more often than there.
        places: The places that were not read: `2 text boxes`, `page 3`.
        examples: Some of the words that are lost.
        new: Some of the words that are gained.
        left_out: Parts that are left out on purpose.
    """

    words: int
    lost: int = 0
    gained: int = 0
    places: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def share(self) -> float:
        """The share of the words that is kept, 0 to 1."""
        return 1 - self.lost / self.words if self.words else 1.0

    @property
    def is_whole(self) -> bool:
        """Whether it keeps nearly all words, and gains next to none."""
        return self.share >= LEAST_KEPT and self.gained <= self._most_gained

    @property
    def _most_gained(self) -> float:
        return (1 - LEAST_KEPT) * self.words

    def __str__(self) -> str:
        """As in "kept 91 % of the words; not read: 2 text boxes, 1 comment"."""
        parts = [f"kept {int(100 * self.share)} % of the words"]
        if self.share < LEAST_KEPT:
            places = ", ".join(self.places)
            parts.append(f"not read: {places or f'words such as {_quoted(self.examples)}'}")
        if self.gained > self._most_gained:
            words = counted(self.gained, "word")
            parts.append(f"{words} not in the file, such as {_quoted(self.new)}")
        return "; ".join(parts)

    @property
    def says_something(self) -> bool:
        """Whether anything is lost, gained or left out on purpose."""
        return bool(self.left_out) or not self.is_whole

    @property
    def left_out_counts(self) -> Counter[str]:
        """How many parts of each kind are left out on purpose."""
        counts: Counter[str] = Counter()
        for item in self.left_out:
            counts[item.kind] += item.times
        return counts

    @property
    def numbers(self) -> dict[str, Any]:
        """The words kept and lost, for JSON."""
        return {
            "said": "" if self.is_whole else str(self),
            "words": self.words,
            "share": round(self.share, 4),
            "lost": self.lost,
            "gained": self.gained,
            "places": list(self.places),
            "examples": list(self.examples),
            "new": list(self.new),
        }

    def as_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            **self.numbers,
            "left_out": dict(self.left_out_counts),
            "left_out_texts": [part._asdict() for part in self.left_out[:_MOST_TEXTS]],
        }


def merged(left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Equal texts once, with how often they are there."""
    times = Counter((item.kind, item.text) for item in left_out)
    return tuple(LeftOut(kind, text, count) for (kind, text), count in times.items())


def name_places(places: Iterable[str]) -> list[str]:
    """Equal places with their count, pages with their numbers, chapters by name."""
    counts: Counter[str] = Counter()
    numbered: dict[str, list[str]] = {}
    for place in places:
        if match := _NUMBERED.fullmatch(place):
            numbered.setdefault(match[1], []).append(match[2])
        else:
            counts[place] += 1
    found = [_counted(count, place) for place, count in counts.items()]
    for noun, numbers in numbered.items():
        shown = ", ".join(numbers[:EXAMPLES]) + (" …" if len(numbers) > EXAMPLES else "")
        found.append(f"{noun if len(numbers) == 1 else f'{noun}s'} {shown}")
    return found


def _counted(count: int, noun: str) -> str:
    if noun.endswith('"'):  # a name
        return noun
    return f"{count} {noun}es" if count > 1 and noun.endswith("x") else counted(count, noun)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)
