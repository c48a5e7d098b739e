"""The postings of a corpus: which passages have a term, and their BM25 scores for it.

The files are mapped into memory, so that opening a large index costs no more than a small one.

BM25F adds up a term's frequencies in the fields of a passage before it levels them off: Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6. The
inverse document frequency is Lucene's (Kamphuis et al., "Which BM25 do you mean?", 2020). The
scores are computed once, as in bm25s: Lù, "BM25S: Orders of magnitude faster lexical search via
eager sparse scoring", 2024 (arXiv:2407.03618).
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.words import Words

__all__ = ("Postings", "idf")

K1: Final = 1.5
B: Final = 0.75
"""How much the length of a passage's text counts."""
_B_OTHER: Final = 0.5
"""How much the length of its other fields counts."""
_BATCH: Final = 1000
_TERMS: Final = "terms"
_ARRAYS: Final = (
    ("indptr.csc.index.npy", np.int64),
    ("indices.csc.index.npy", np.int32),
    ("data.csc.index.npy", np.float32),
)


@dataclass(frozen=True)
class Postings:
    """The rows and scores of each term.

    Attributes:
        terms: The terms, sorted.
        starts: Where the rows of each term begin, and where the last end.
        rows: The rows of term 0, of term 1, and so on; those of a term in order.
        scores: Their scores.
    """

    terms: Ragged
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    scores: NDArray[np.float32]

    @classmethod
    def build(cls, texts: Iterable[Sequence[str]], words: Words) -> Postings:
        """Index passages. The same texts always give the same postings.

        Args:
            texts: The fields of each passage: its text first, and always as many. They are read a
                thousand at a time.
            words: How texts become terms.
        """
        numbers: dict[str, int] = {}
        fields: list[_Field] = []
        waiting = iter(texts)
        while batch := list(islice(waiting, _BATCH)):
            for place, column in enumerate(zip(*batch, strict=True)):
                if place == len(fields):
                    fields.append(_Field(_B_OTHER if place else B))
                for terms in words.terms(column):
                    fields[place].add(numbers.setdefault(term, len(numbers)) for term in terms)
        numbers = numbers or {"": 0}
        terms = sorted(numbers)
        order = np.argsort([numbers[term] for term in terms])
        count = len(fields[0].lengths) if fields else 0
        matrix = coo_array((max(count, 1), len(numbers))).tocsc()
        for field in fields:
            rows = np.repeat(np.arange(count, dtype=np.int32), field.held)
            entries = (field.frequencies(), (rows, order[np.asarray(field.terms)]))
            matrix = matrix + coo_array(entries, shape=matrix.shape).tocsc()
        matrix.sort_indices()
        held = np.diff(matrix.indptr)
        rarity = np.repeat([idf(number, count) for number in held.tolist()], held)
        return cls(
            Ragged.of_texts(terms),
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            (rarity * matrix.data / (K1 + matrix.data)).astype(np.float32),
        )

    def save(self, directory: Path) -> None:
        """Write them into a folder, as plain arrays (.npy)."""
        self.terms.save(directory, _TERMS)
        for (file, _), name in zip(_ARRAYS, ("starts", "rows", "scores"), strict=True):
            np.save(directory / file, getattr(self, name))

    @classmethod
    def load(cls, directory: Path) -> Postings:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        terms = Ragged.load(directory, _TERMS, np.uint8)
        starts, rows, scores = (load_array(directory / file, dtype) for file, dtype in _ARRAYS)
        if len(terms) != len(starts) - 1 or not len(rows) == len(scores) == starts[-1]:
            raise damage_error(directory, "holds files that do not fit each other")
        return cls(terms, starts, rows, scores)

    def weighed(self, terms: Mapping[str, float]) -> dict[int, float]:
        """The numbers of those terms that a passage has, with their weights."""
        numbers = ((self.terms.find(term), weight) for term, weight in terms.items())
        return {number: weight for number, weight in numbers if number is not None}

    def of(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The rows that have a term, and their scores for it."""
        start, end = self.starts[number : number + 2]
        return self.rows[start:end], self.scores[start:end]


class _Field:
    """One field of all passages."""

    def __init__(self, b: float) -> None:
        self.b = b
        self.terms, self.counts, self.held, self.lengths = (array("i") for _ in range(4))

    def add(self, terms: Iterable[int]) -> None:
        """Take up the terms of the next passage."""
        held = Counter(terms)
        self.terms.extend(held)
        self.counts.extend(held.values())
        self.held.append(len(held))
        self.lengths.append(held.total())

    def frequencies(self) -> NDArray[np.float64]:
        """The frequency of each term in each passage, by the length of the field.

            tf / (1 - b + b·length / mean length)

        The mean is that of the passages that have the field.
        """
        lengths = np.asarray(self.lengths, dtype=np.float64)
        mean = lengths.sum() / max(1, np.count_nonzero(lengths))
        norm = 1 - self.b + self.b * lengths / max(1.0, mean)
        found: NDArray[np.float64] = np.asarray(self.counts) / np.repeat(norm, self.held)
        return found


def idf(held: float, total: float) -> float:
    """Lucene's inverse document frequency of a term that some of all texts have."""
    return math.log(1 + (total - held + 0.5) / (held + 0.5))
