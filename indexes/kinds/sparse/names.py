"""The names of documents: titles, files, metadata and first lines.

A question may call a document by a part of its name (`MGM` for `MGMRESORTS_2022`), by its words
apart (`Best Buy` for `BESTBUY`), or by an abbreviation (`JnJ`, `AMEX`, also for
`AMERICANEXPRESS`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.growing import Entries, Lists, Rows, extend, joined
from hopyard.indexes.text.english import NOT_CONTENT
from hopyard.indexes.text.identifiers import parts_of
from hopyard.indexes.text.year_limits import YearLimit, year_limits

__all__ = ("DocumentNames", "Said")

Scores = NDArray[np.float64]
Weights = tuple[NDArray[np.int32], Scores]
"""Documents, each once, and the weight of a term for each."""

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
_SMALL: Final = 3
"""Letters of a word that tells the reader nothing, such as "der", or 11 of "X11"."""
_LEAST_BEGUN: Final = 3
_LEAST_HALVES: Final = 4
"""Letters of a word that is the beginnings of two others."""
_LONGEST_RUN: Final = 3
"""Words of a question that may be one word of a name."""
_TERMS: Final = "names"
_IDS: Final = "document-ids"


class Said(NamedTuple):
    """A word of a question that is in names of documents."""

    word: str
    documents: NDArray[np.int32]


class DocumentNames:
    """The terms of the names of n documents."""

    def __init__(self, rows: Rows, parts: Sequence[Lists]) -> None:
        """Wrap the documents, and the lists of their keys by term with a weight for each."""
        self.rows = rows
        self._parts = parts

    @classmethod
    def build(cls, ids: Iterable[str], names: Iterable[tuple[str, str]]) -> Self:
        """Take up the names of documents.

        Args:
            ids: Their ids, sorted.
            names: Of each document, its names, and lines that may say what it is.
        """
        return cls(Rows.of(ids), [_lists(names, 0)])

    def save(self, directory: Path) -> None:
        """Write the names into a folder."""
        self.rows.save(directory, _IDS)
        self._parts[0].save(directory, _TERMS)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        rows = Rows.load(directory, _IDS)
        return cls(rows, Lists.load_parts(directory, _TERMS, np.float32))

    def extend(
        self, last: Path, directory: Path, rows: Rows, names: Iterable[tuple[str, str]]
    ) -> None:
        """Write the names with those of new documents, by their keys; see `Postings.extend`."""
        extend(last, directory, _TERMS, self._parts, _lists(names, len(self.rows.rows)))
        rows.save(directory, _IDS)

    def __len__(self) -> int:
        return len(self.rows)

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
        scores = np.zeros(len(self))
        said: list[Said] = []
        total = 0.0
        asked = [(limit.text, 1.0, self._within(limit)) for limit in self.limits(question)]
        rest = question
        for text, _, _ in asked:
            rest = rest.replace(text, " ")
        asked += [(word, weight, self._look_up(word)) for word, weight in _asked(rest)]
        for word, weight, (documents, weights) in asked:
            held = len(documents)
            rarity = float(np.log(1 + (len(self) - held + 0.5) / (held + 0.5)))
            if weight == 1 and word in question:
                total += rarity if held else rarity / 2
            if held:
                scores[documents] += weight * rarity * weights
                small = len(word) <= _SMALL and (word.islower() or word.isdigit())
                part = any(word in longer.word for longer in said)  # "Box" of "FreedomBox"
                tells = 2 * held < len(self) and weight * weights.max() >= _TELLS
                if tells and not small and not part:
                    said.append(Said(word, documents))
        return scores, min(1.0, 2 * scores.max(initial=0.0) / total) if total else 0.0, said

    def _look_up(self, word: str) -> Weights:
        """The documents whose names have a word, and how well."""
        lowered = word.lower()
        found = [self._found(lowered, 1.0)]
        if len(word) >= _LEAST_BEGUN and word[0].isupper():
            for lists in self._parts:
                place, terms = lists.terms.place(lowered), lists.terms
                while place < len(terms) and (term := terms.text(place)).startswith(lowered):
                    if term != lowered:
                        found.append(self._documents(*lists.at(place), _BEGUN))
                    place += 1
        if form := _SHORT_FORM.fullmatch(word):
            short = "".join(form.groups()).lower() if form[1] else lowered
            found.append(self._found(_SHORT + short, 1.0))
        if (
            len(word) >= _LEAST_HALVES
            and word.isupper()
            and not any(len(each[0]) for each in found)
        ):
            found += self._joined(lowered)
        return self._best(found)

    def _joined(self, short: str) -> Iterator[Weights]:
        """The documents of the joined name that a word is short for, if there is one alone.

        `AMEX` stands for `AMERICANEXPRESS`, whose two words begin with AM and EX.
        """
        forms = [re.compile(f"{short[:cut]}[a-z]{{3,}}{short[cut:]}[a-z]{{3,}}") for cut in (2, 3)]
        held: dict[str, list[Weights]] = {}
        for lists in self._parts:
            place = lists.terms.place(short[:2])
            while place < len(lists.terms) and (term := lists.terms.text(place))[:2] == short[:2]:
                if any(form.fullmatch(term) for form in forms):
                    held.setdefault(term, []).append(self._documents(*lists.at(place), _MENTIONED))
                place += 1
        if len(held) == 1:
            yield from next(iter(held.values()))

    def _within(self, limit: YearLimit) -> Weights:
        """The documents whose names have a year within a limit, and how well."""
        return self._best([self._found(str(year), 1.0) for year in limit.years])

    def _found(self, term: str, share: float) -> Weights:
        return joined([self._documents(*lists.find(term), share) for lists in self._parts])

    def _documents(self, keys: NDArray[np.int32], weights: Scores, share: float) -> Weights:
        documents = self.rows.rows[keys]
        kept = documents >= 0
        return documents[kept], share * weights[kept].astype(np.float64)

    def _best(self, found: Sequence[Weights]) -> Weights:
        """The highest weight of each document."""
        held = [each for each in found if len(each[0])]
        if len(held) < 2:
            return held[0] if held else found[0]
        best = np.zeros(len(self))
        for documents, weights in held:
            best[documents] = np.maximum(best[documents], weights)
        numbers = np.flatnonzero(best)
        return numbers.astype(np.int32), best[numbers]


def _lists(names: Iterable[tuple[str, str]], first: int) -> Lists:
    """The lists of documents with keys from the first on."""
    entries = Entries("f")
    for key, (name, said) in enumerate(names, first):
        found: dict[str, float] = {}
        for term, weight in _terms_of(name, said):
            found[term] = max(weight, found.get(term, 0.0))
        entries.add(key, found)
    return entries.lists()


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
