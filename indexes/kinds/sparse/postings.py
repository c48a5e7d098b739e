"""The postings of a corpus: which passages have a term, how often, and how long their fields are.

The files are mapped into memory, so that opening a large index costs no more than a small one.

BM25F adds up a term's frequencies in the fields of a passage before it levels them off: Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6. The
inverse document frequency is Lucene's (Kamphuis et al., "Which BM25 do you mean?", 2020). Scores
are computed when a question asks for them: a small change of the corpus changes all of them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array

from hopyard.indexes.arrays.growing import LATER, Entries, Lists, Rows, extend, joined, link
from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.words import Words

__all__ = ("MEANS_FILE", "Found", "Postings", "idf")

K1: Final = 1.5
B: Final = 0.75
"""How much the length of a passage's text counts."""
_B_OTHER: Final = 0.5
"""How much the length of its other fields counts."""
_BATCH: Final = 1000
_MOST: Final = 65_535
"""Occurrences of a term that count."""
_TERMS: Final = "terms"
_LENGTHS_FILE: Final = "lengths.npy"
MEANS_FILE: Final = "means.npy"

Scores = NDArray[np.float32]


class Found(NamedTuple):
    """The passages that have the terms of a question."""

    weights: NDArray[np.float64]
    """[t] Of each term that a passage has."""
    starts: NDArray[np.int64]
    """[t + 1] Where the rows of each term begin, and where the last end."""
    rows: NDArray[np.int32]
    """Of each term without duplicates; in order, but for those of later files."""
    shares: NDArray[np.float32]
    """The score of each row as a share of the term's inverse document frequency."""

    @property
    def held(self) -> NDArray[np.int64]:
        """[t] The number of passages that have each term."""
        return np.diff(self.starts)

    def held_in(self, within: NDArray[np.bool_]) -> NDArray[np.int64]:
        """[t] The number of some passages that have each term."""
        if not len(self.rows):
            return self.held
        return np.add.reduceat(within[self.rows], self.starts[:-1], dtype=np.int64)

    def added(self, rarity: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """The scores of all rows, added up over terms.

        Args:
            rarity: [t] The inverse document frequency of each term.
            count: The number of rows.
        """
        shape = (count, len(self.weights))
        matrix = csc_array((self.shares, self.rows, self.starts), shape=shape)
        scores = matrix @ (self.weights * rarity).astype(np.float32)
        return np.asarray(scores, dtype=np.float64)


@dataclass(frozen=True)
class Postings:
    """The terms of n passages.

    Attributes:
        rows: The passages.
        parts: Of the first and of the later files, the lists of `f·key + field` by term with the
            number of occurrences, and the lengths [m, f] of f fields. Numbers add no length.
        means: [f] The mean length of each field, of the passages that have it.
    """

    rows: Rows
    parts: Sequence[tuple[Lists, NDArray[np.int32]]]
    means: NDArray[np.float64]

    @classmethod
    def build(cls, ids: Iterable[str], texts: Iterable[Sequence[str]], words: Words) -> Postings:
        """Index passages. The same texts always give the same postings.

        Args:
            ids: Their ids, sorted.
            texts: The fields of each passage: its text first, and always as many. They are read a
                thousand at a time.
            words: How texts become terms.
        """
        part = _counted(texts, words)
        return cls(Rows.of(ids), [part], _means(part[1]))

    def save(self, directory: Path) -> None:
        """Write them into a folder, as plain arrays (.npy)."""
        [(lists, lengths)] = self.parts
        self.rows.save(directory)
        lists.save(directory, _TERMS)
        np.save(directory / _LENGTHS_FILE, lengths)
        np.save(directory / MEANS_FILE, self.means)

    @classmethod
    def load(cls, directory: Path) -> Postings:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        rows, means = Rows.load(directory), load_array(directory / MEANS_FILE, np.float64)
        lists = Lists.load_parts(directory, _TERMS, np.uint16)
        files = [directory / f"{begun}{_LENGTHS_FILE}" for begun in ("", LATER)[: len(lists)]]
        lengths = [load_array(file, np.int32, 2) for file in files]
        if sum(map(len, lengths)) != len(rows.rows):
            raise damage_error(directory, "holds files that do not fit each other")
        return cls(rows, list(zip(lists, lengths, strict=True)), means)

    def extend(
        self,
        last: Path,
        directory: Path,
        rows: Rows,
        texts: Iterable[Sequence[str]],
        words: Words,
    ) -> None:
        """Write the postings with what has changed into a folder; the first files are not written.

        Args:
            last: The folder that these postings were loaded from.
            rows: The passages after the change.
            texts: The fields of the passages that are new, by their keys.
            words: How texts become terms.
        """
        known = len(self.rows.rows)
        lists, new = _counted(texts, words, known)
        lengths = [lengths for _, lengths in self.parts]
        new = new if len(new) else lengths[0][:0]
        extend(last, directory, _TERMS, [lists for lists, _ in self.parts], lists)
        link(last / _LENGTHS_FILE, directory / _LENGTHS_FILE)
        np.save(directory / f"{LATER}{_LENGTHS_FILE}", np.concatenate([*lengths[1:], new]))
        held = np.concatenate([*lengths, new])[rows.rows >= 0]
        np.save(directory / MEANS_FILE, _means(held))
        rows.save(directory)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def vocabulary_size(self) -> int:
        """Terms of the first files."""
        return len(self.parts[0][0].terms)

    def of(self, terms: Mapping[str, float]) -> Found:
        """The passages that have some terms, which have weights."""
        found = {term: rows for term in terms if len((rows := self._of(term))[0])}
        weights = np.array([terms[term] for term in found], dtype=np.float64)
        starts = np.cumsum([0, *(len(rows) for rows, _ in found.values())])
        nothing = np.empty(0, np.int32), np.empty(0, np.float32)
        return Found(weights, starts, *joined([*found.values()] or [nothing]))

    def _of(self, term: str) -> tuple[NDArray[np.int32], Scores]:
        """The rows that have a term, and their shares."""
        fields, before = len(self.means), 0
        found = []
        for (lists, lengths), norms in zip(self.parts, self._norms, strict=True):
            places, counts = lists.find(term)
            keys = places // fields
            shares = np.divide(counts, norms[places - before * fields], dtype=np.float32)
            new = np.ones(len(keys), dtype=np.bool_)
            np.not_equal(keys[1:], keys[:-1], out=new[1:])
            if not new.all():
                starts = np.flatnonzero(new)
                keys, shares = keys[starts], np.add.reduceat(shares, starts)
            shares /= shares + K1  # the term's saturation
            if not self.rows.is_first:
                rows = self.rows.rows[keys]
                kept = rows >= 0
                keys, shares = rows[kept], shares[kept]
            found.append((keys, shares))
            before += len(lengths)
        return found[0] if len(found) == 1 else joined(found)

    @cached_property
    def _norms(self) -> list[Scores]:
        """Of each field of each passage, what divides its frequencies, by part and place.

        1 - b + b·length / mean length
        """
        b = np.full(len(self.means), _B_OTHER)
        b[:1] = B
        slope = (b / np.maximum(1.0, self.means)).astype(np.float32)
        return [
            ((1 - b).astype(np.float32) + slope * lengths.astype(np.float32)).ravel()
            for _, lengths in self.parts
        ]


def _counted(
    texts: Iterable[Sequence[str]], words: Words, known: int = 0
) -> tuple[Lists, NDArray[np.int32]]:
    """The lists and lengths of passages, whose keys begin after those that are known."""
    entries, held = Entries("H"), array("i")
    fields, waiting = 1, iter(texts)
    while batch := list(islice(waiting, _BATCH)):
        fields = len(batch[0])
        columns = [_terms(column, words) for column in zip(*batch, strict=True)]
        for terms in chain.from_iterable(zip(*columns, strict=True)):
            counts = Counter(terms)
            if len(terms) > _MOST:
                counts = Counter({term: min(count, _MOST) for term, count in counts.items()})
            entries.add(known * fields + len(held), counts)
            # A row of numbers is as short as its label.
            held.append(sum(not (term[0].isdigit() and term[-1].isdigit()) for term in terms))
    return entries.lists(), np.array(held, dtype=np.int32).reshape(-1, fields)


def _terms(texts: Sequence[str], words: Words) -> list[list[str]]:
    """The terms of texts; most fields say the same in many passages of a document."""
    unique = list(dict.fromkeys(texts))
    terms = dict(zip(unique, words.held(unique), strict=True))
    return [terms[text] for text in texts]


def _means(lengths: NDArray[Any]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = lengths.sum(axis=0) / np.maximum(
        1, np.count_nonzero(lengths, axis=0)
    )
    return means


def idf(held: ArrayLike, total: float) -> NDArray[np.float64]:
    """Lucene's inverse document frequency of terms that some of all texts have."""
    count = np.asarray(held, dtype=np.float64)
    found: NDArray[np.float64] = np.log(1 + (total - count + 0.5) / (count + 0.5))
    return found
