"""The names of documents: titles, files, metadata and first lines.

A question may call a document by a part of its name (`MGM` for `MGMRESORTS_2022`), by its words
apart (`Best Buy` for `BESTBUY`), or by an abbreviation (`JnJ`, `AMEX`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.text.english import NOT_CONTENT
from hopyard.indexes.text.identifiers import parts_of
from hopyard.indexes.text.year_limits import YearLimit, year_limits

__all__ = ("DocumentNames", "Said")

Scores = NDArray[np.float64]

_WORD: Final = re.compile(r"[^\W_]+(?:&[^\W_]+)?")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORT_FORM: Final = re.compile(r"([A-Z])(?:n|&|and)([A-Z])|[A-Z]{2,6}")
_CONNECTING: Final = frozenset(["and", "of", "the", "for", "in", "to", "on"])
_SHORT: Final = "~"
"""Begins the abbreviations of a name among its terms."""
_BEGUN: Final = 0.8
"""Weight of a word that a longer word of a name begins with."""
_MENTIONED: Final = 0.5
"""Weight of words of metadata and first lines, and of words of a question without a capital."""
_TELLS: Final = 0.5
"""Least weight of a word in a name that tells the reader why a document was chosen."""
_LEAST_BEGUN: Final = 3
_LONGEST_RUN: Final = 3
"""Words of a question that may be one word of a name."""
_TERMS: Final = "names"
_ARRAYS: Final = (
    ("names.index.npy", np.int64),
    ("names.documents.npy", np.int32),
    ("names.weights.npy", np.float32),
    ("names.count.npy", np.int64),
)


class Said(NamedTuple):
    """A word of a question that is in names of documents."""

    word: str
    documents: NDArray[np.int32]


class DocumentNames:
    """The terms of the names of n documents."""

    def __init__(
        self,
        count: int,
        terms: Ragged,
        starts: NDArray[np.int64],
        documents: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> None:
        """Wrap the terms, sorted; the i-th is in `documents[starts[i]:starts[i + 1]]`."""
        self._count = count
        self._terms = terms
        self._starts = starts
        self._documents = documents
        self._weights = weights

    @classmethod
    def build(cls, names: Iterable[tuple[str, str]]) -> Self:
        """Take up the names of documents.

        Args:
            names: Of each document, its names, and lines that may say what it is.
        """
        found: defaultdict[str, dict[int, float]] = defaultdict(dict)
        count = 0
        for number, (name, said) in enumerate(names):
            count += 1
            for term, weight in _terms_of(name, said):
                found[term][number] = max(weight, found[term].get(number, 0.0))
        terms = sorted(found)
        starts = np.cumsum([0, *(len(found[term]) for term in terms)])
        pairs = [pair for term in terms for pair in found[term].items()]
        documents = np.array([number for number, _ in pairs], dtype=np.int32)
        weights = np.array([weight for _, weight in pairs], dtype=np.float32)
        return cls(count, Ragged.of_texts(terms), starts, documents, weights)

    def save(self, directory: Path) -> None:
        """Write the names into a folder."""
        self._terms.save(directory, _TERMS)
        arrays: tuple[NDArray[Any], ...] = (
            self._starts,
            self._documents,
            self._weights,
            np.array([self._count]),
        )
        for (file, dtype), values in zip(_ARRAYS, arrays, strict=True):
            np.save(directory / file, values.astype(dtype))

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        *arrays, count = (load_array(directory / file, dtype) for file, dtype in _ARRAYS)
        return cls(int(count[0]), Ragged.load(directory, _TERMS, np.uint8), *arrays)

    def __len__(self) -> int:
        return self._count

    def limits(self, question: str) -> list[YearLimit]:
        """The years that a question sets as limits, where a name has a year within them."""
        return [limit for limit in year_limits(question) if len(self._within(limit)[0])]

    def named(self, question: str) -> tuple[Scores, float, list[Said]]:
        """How much of each document's name a question has.

        A word weighs its inverse document frequency. A limit such as "before 2021" is a word that
        the documents of all years within it have.

        Returns:
            A score of each document; how far the question names a document, 0 to 1; and its words
            that tell documents apart: those in names of fewer than half of them. It fully names a
            document that has half of its words with a capital or digit. Words that no name has
            count half.
        """
        scores = np.zeros(self._count)
        said: list[Said] = []
        total = 0.0
        asked = [(limit.text, 1.0, self._within(limit)) for limit in self.limits(question)]
        rest = question
        for text, _, _ in asked:
            rest = rest.replace(text, " ")
        asked += [(word, weight, self._look_up(word)) for word, weight in _asked(rest)]
        for word, weight, (documents, weights) in asked:
            held = len(documents)
            rarity = float(np.log(1 + (self._count - held + 0.5) / (held + 0.5)))
            if weight == 1 and word in question:
                total += rarity if held else rarity / 2
            if held:
                scores[documents] += weight * rarity * weights
                if 2 * held < self._count and weight * weights.max() >= _TELLS:
                    said.append(Said(word, documents))
        return scores, min(1.0, 2 * scores.max(initial=0.0) / total) if total else 0.0, said

    def _look_up(self, word: str) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The documents whose names have a word, and how well."""
        best: dict[int, float] = {}

        def take(place: int, share: float) -> None:
            row = slice(self._starts[place], self._starts[place + 1])
            for number, weight in zip(self._documents[row], self._weights[row], strict=True):
                best[number] = max(best.get(number, 0.0), share * float(weight))

        lowered = word.lower()
        place = self._terms.place(lowered)
        if place < len(self._terms) and self._terms.text(place) == lowered:
            take(place, 1.0)
            place += 1
        if len(word) >= _LEAST_BEGUN and word[0].isupper():
            while place < len(self._terms) and self._terms.text(place).startswith(lowered):
                take(place, _BEGUN)
                place += 1
        if form := _SHORT_FORM.fullmatch(word):
            short = _SHORT + ("".join(form.groups()).lower() if form[1] else lowered)
            if (found := self._terms.find(short)) is not None:
                take(found, 1.0)
        return _of_documents(best)

    def _within(self, limit: YearLimit) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The documents whose names have a year within a limit, and how well."""
        best: dict[int, float] = {}
        for place in map(self._terms.find, map(str, limit.years)):
            if place is not None:
                row = slice(self._starts[place], self._starts[place + 1])
                for number, weight in zip(self._documents[row], self._weights[row], strict=True):
                    best[number] = max(best.get(number, 0.0), float(weight))
        return _of_documents(best)


def _of_documents(
    weights: Mapping[int, float],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    documents = np.fromiter(weights, dtype=np.int32, count=len(weights))
    return documents, np.fromiter(weights.values(), dtype=np.float64, count=len(weights))


def _terms_of(name: str, said: str) -> Iterator[tuple[str, float]]:
    """The terms of a document's names, and of names in other lines."""
    for text, weight in ((name, 1.0), (said, _MENTIONED)):
        for line in text.splitlines():
            words = _WORD.findall(line)
            for word in words:
                if weight == 1.0 or not word[0].islower():
                    yield from ((term.lower(), weight) for term in _with_parts(word))
            yield from ((_SHORT + short, weight) for short in _abbreviations(words))


def _with_parts(word: str) -> list[str]:
    camel = _CAMEL.split(word)
    return [word, *parts_of(word), *(camel if len(camel) > 1 else ())]


def _abbreviations(words: Iterable[str]) -> Iterator[str]:
    """Short forms of names of several words: initials, and their beginnings joined.

    `American Express` is ae, amex, amexp, ameex and ameexp.
    """
    held = (word for word in words if word.lower() not in _CONNECTING)
    for capital, group in groupby(held, key=lambda word: word[0].isupper()):
        run = list(group) if capital else []
        for start, end in product(range(len(run)), range(2, 6)):
            if start + end <= len(run):
                yield "".join(word[0] for word in run[start : start + end]).lower()
        for each, other in pairwise(run):
            for left, right in product((2, 3), (2, 3)):
                if len(each) > left and len(other) > right:
                    yield f"{each[:left]}{other[:right]}".lower()


def _asked(question: str) -> Iterator[tuple[str, float]]:
    """The words of a question that may be in a name, and their weights.

    Names of several words are also joined to one.
    """
    words = _WORD.findall(question)
    seen: set[str] = set()
    for place, word in enumerate(words):
        joined = [
            "".join(words[place : place + count])
            for count in range(_LONGEST_RUN, 1, -1)
            if len(words) - place >= count
            and all(part[0].isupper() for part in words[place : place + count])
        ]
        for term in (*joined, *_with_parts(word)):
            lowered = term.lower()
            if lowered in seen or lowered in NOT_CONTENT or len(term) == 1:
                continue
            seen.add(lowered)
            yield term, _MENTIONED if word[0].islower() else 1.0
