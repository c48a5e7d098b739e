"""The postings of a corpus: which passages have a term, and their BM25 scores for it.

BM25F adds up a term's frequencies in the fields of a passage before it levels them off: Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6. The
inverse document frequency is Lucene's (Kamphuis et al., "Which BM25 do you mean?", 2020). The
scores are computed once, as in bm25s, whose files these are: Lù, "BM25S: Orders of magnitude faster
lexical search via eager sparse scoring", 2024 (arXiv:2407.03618).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from hopyard.indexes.kinds.sparse.words import Words

__all__ = ("Postings", "idf")

K1: Final = 1.5
B: Final = 0.75
"""How much the length of a passage's text counts."""
_B_OTHER: Final = 0.5
"""How much the length of its other fields counts."""
_BATCH: Final = 1000
_TERMS, _PARAMS = "vocab.index.json", "params.index.json"
_ARRAYS: Final = ("indptr.csc.index.npy", "indices.csc.index.npy", "data.csc.index.npy")


@dataclass(frozen=True)
class Postings:
    """The rows and scores of each term.

    Attributes:
        texts: The number of passages.
        terms: The number of each term.
        starts: Where the rows of each term begin, and where the last end.
        rows: The rows of term 0, of term 1, and so on; those of a term in order.
        scores: Their scores.
    """

    texts: int
    terms: Mapping[str, int]
    starts: NDArray[np.int32]
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
        count = len(fields[0].lengths) if fields else 0
        matrix = coo_array((max(count, 1), len(numbers))).tocsc()
        for field in fields:
            rows = np.repeat(np.arange(count), [len(terms) for terms in field.terms])
            entries = (field.frequencies(), (rows, np.concatenate(field.terms)))
            matrix = matrix + coo_array(entries, shape=matrix.shape).tocsc()
        matrix.sort_indices()
        held = np.diff(matrix.indptr)
        rarity = np.repeat([idf(number, count) for number in held.tolist()], held)
        return cls(
            count,
            numbers,
            matrix.indptr.astype(np.int32),
            matrix.indices.astype(np.int32),
            (rarity * matrix.data / (K1 + matrix.data)).astype(np.float32),
        )

    def save(self, directory: Path) -> None:
        """Write them into a folder: plain arrays (.npy) and JSON."""
        for file, array in zip(_ARRAYS, (self.starts, self.rows, self.scores), strict=True):
            np.save(directory / file, array)
        (directory / _TERMS).write_text(json.dumps(self.terms), encoding="utf-8")
        (directory / _PARAMS).write_text(json.dumps({"num_docs": self.texts}), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> Postings:
        """Read what `save` wrote.

        Damaged files raise OSError, ValueError, LookupError or TypeError.
        """
        terms = json.loads((directory / _TERMS).read_bytes())
        params = json.loads((directory / _PARAMS).read_bytes())
        starts, rows, scores = (np.load(directory / file) for file in _ARRAYS)
        if not len(rows) == len(scores) == starts[-1] or len(terms) != len(starts) - 1:
            raise ValueError("its files do not fit each other")
        return cls(params["num_docs"], dict(terms), starts, rows, scores)

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """The numbers of those terms that a passage has."""
        return [self.terms[term] for term in terms if term in self.terms]

    def weighed(self, terms: Mapping[str, float]) -> dict[int, float]:
        """The numbers of those terms that a passage has, with their weights."""
        return {self.terms[term]: each for term, each in terms.items() if term in self.terms}

    def of(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The rows that have a term, and their scores for it."""
        start, end = self.starts[number : number + 2]
        return self.rows[start:end], self.scores[start:end]


class _Field:
    """One field of all passages."""

    def __init__(self, b: float) -> None:
        self.b = b
        self.terms: list[NDArray[np.int32]] = []
        self.counts: list[NDArray[np.float32]] = []
        self.lengths: list[int] = []

    def add(self, terms: Iterable[int]) -> None:
        """Take up the terms of the next passage."""
        held = Counter(terms)
        self.terms.append(np.fromiter(held, dtype=np.int32, count=len(held)))
        self.counts.append(np.fromiter(held.values(), dtype=np.float32, count=len(held)))
        self.lengths.append(held.total())

    def frequencies(self) -> NDArray[np.float64]:
        """The frequency of each term in each passage, by the length of the field.

            tf / (1 - b + b·length / mean length)

        The mean is that of the passages that have the field.
        """
        lengths = np.array(self.lengths, dtype=np.float64)
        mean = lengths.sum() / max(1, np.count_nonzero(lengths))
        norm = 1 - self.b + self.b * lengths / max(1.0, mean)
        held = [len(terms) for terms in self.terms]
        found: NDArray[np.float64] = np.concatenate(self.counts) / np.repeat(norm, held)
        return found


def idf(held: float, total: float) -> float:
    """Lucene's inverse document frequency of a term that some of all texts have."""
    return math.log(1 + (total - held + 0.5) / (held + 0.5))
