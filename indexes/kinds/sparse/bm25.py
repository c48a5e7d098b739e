"""The sparse index: BM25 over the fields of passages, weighted by their documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from hopyard.indexes.arrays.passage_set import mask_of
from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.documents import Documents
from hopyard.indexes.kinds.sparse.names import DocumentNames
from hopyard.indexes.kinds.sparse.postings import Postings, idf
from hopyard.indexes.kinds.sparse.words import ASKING, Words
from hopyard.indexes.text.identifiers import identifiers_in
from hopyard.state.schemas import Evidence, passage_evidence

__all__ = ("Ranking", "SparseIndex", "best_rows", "by_chance")

_WORDS_FILE: Final = "words.json"
"""How texts become words."""
_DOCUMENTS_FILE: Final = "documents.npy"
_ENGLISH: Final = Words()
_WORDS: Final = TypeAdapter(Words)

_FEW: Final = 20
"""Passages at most that an identifier leads to. Among more, the other words decide."""
_BEST_PIECES: Final = 3
"""Passages that speak for their document."""
_LOOKED_AT: Final = 1000
"""The best passages, among which those of a document are looked for."""
_CHOSEN: Final = 10
"""Documents in whose passages the rarity of words is measured."""
_WHOLE_CORPUS: Final = 100
"""Passages that the whole corpus counts as, beside the passages of the chosen documents."""
_LEAST_WEIGHT: Final = 0.3
"""Weight of the least likely document where the question surely names one. The best weighs 1."""
_SHORT_DOCUMENT: Final = 10
"""Passages of a document whose weight counts half for the scores of another search."""
_OF_LENGTH: Final = 0.1
"""How much the length of a document counts. The best of many passages is good by chance."""

Scores = NDArray[np.float64]


class Ranking(NamedTuple):
    """How well the words of a question match all passages, in the order of the index's rows."""

    scores: Scores
    """BM25, weighted by documents; 0 for passages that share no word with the question."""
    exact: NDArray[np.bool_]
    """Whether a passage has an identifier that the question names and few passages have."""
    weights: Scores
    """Factors for another search's scores: how likely the document of each passage is, and less
    for a long one."""
    long: Scores
    """How long the document of each passage is, from 0.09 for one passage towards 1."""
    named: Mapping[int, str]
    """The words of the question that are in the name of a document, by the document's number."""


class SparseIndex:
    """BM25 over the terms of passages."""

    def __init__(
        self, postings: Postings, ids: Ragged, words: Words, documents: Documents | None
    ) -> None:
        """Wrap the scores of passages whose i-th has the id `ids.text(i)`."""
        self._postings = postings
        self._ids = ids
        self._words = words
        self._documents = documents

    @classmethod
    def build(
        cls,
        ids: Sequence[str],
        texts: Iterable[Sequence[str]],
        words: Words = _ENGLISH,
        documents: Documents | None = None,
    ) -> SparseIndex:
        """Index n passages. The same ids and texts always give the same index.

        Args:
            ids: The passages' ids.
            texts: The fields of each passage: its text first, and always as many. They are read a
                thousand at a time.
            words: How texts become words.
            documents: Their documents; None ranks each passage by itself.
        """
        return cls(Postings.build(texts, words), Ragged.of_texts(ids), words, documents)

    def save(self, directory: Path) -> None:
        """Write the index and its ids into a folder: plain arrays (.npy) and JSON."""
        self._postings.save(directory)
        self._ids.save(directory, IDS)
        (directory / _WORDS_FILE).write_text(json.dumps(asdict(self._words)), encoding="utf-8")
        if self._documents:
            np.save(directory / _DOCUMENTS_FILE, self._documents.rows)
            self._documents.names.save(directory)

    @classmethod
    def load(cls, directory: Path) -> SparseIndex:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        ids = Ragged.load(directory, IDS, np.uint8)
        postings = Postings.load(directory)
        documents = None
        if (file := directory / _DOCUMENTS_FILE).exists():
            rows = load_array(file, np.int32, rows=len(ids))
            documents = Documents(rows, DocumentNames.load(directory))
        try:
            words = _WORDS.validate_json((directory / _WORDS_FILE).read_bytes())
        except (OSError, ValueError) as error:
            raise damage_error(directory / _WORDS_FILE, f"cannot be read ({error})") from error
        return cls(postings, ids, words, documents)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def vocabulary_size(self) -> int:
        """Different terms."""
        return len(self._postings.terms)

    def search(
        self, query: str, k: int, allowed: Set[str] | None = None
    ) -> list[tuple[str, float]]:
        """Find the passages that share words with a query.

        Args:
            query: Any text.
            k: Passages at most.
            allowed: Ids of the passages that may be found; None where all may.

        Returns:
            At most k (passage id, score) pairs, the best first, equals by id; every score is
            above 0. Passages with an identifier of the query come first. A query of stop words or
            unknown words finds nothing.
        """
        return [(unit["id"], unit["score"]) for unit in self.find(query, k, allowed)]

    def find(self, query: str, k: int, allowed: Set[str] | None = None) -> list[Evidence]:
        """The passages of `search`, with the words that name their documents."""
        ranking = self.rank(query, allowed)
        scores = ranking.scores + ranking.exact * ranking.scores.max(initial=0.0)
        return [self.evidence(row, scores[row], ranking) for row in best_rows(scores, k).tolist()]

    def evidence(self, row: int, score: float, ranking: Ranking) -> Evidence:
        """A passage with its score, and why its document was looked into."""
        unit = passage_evidence(self._ids.text(row), score)
        said = self._documents and ranking.named.get(int(self._documents.rows[row]))
        return Evidence(**unit, why=f"the question names its document: {said}") if said else unit

    def by_words(
        self, text: str, k: int, allowed: Set[str] | None = None
    ) -> list[tuple[str, float]]:
        """The k best passages by BM25 over all words of a text, whatever their documents are."""
        [terms] = self._words.terms([text])
        scores = self._added(self._postings.weighed(dict.fromkeys(terms, 1.0))) * self._open(
            allowed
        )
        return [(self._ids.text(row), float(scores[row])) for row in best_rows(scores, k).tolist()]

    def rank(self, question: str, allowed: Set[str] | None = None) -> Ranking:
        """How well the words of a question match all passages.

        Args:
            question: Any text.
            allowed: Ids of the passages that may be found; None where all may.
        """
        asked = self._words.asked(question)
        for limit in self._documents.names.limits(question) if self._documents else ():
            asked |= dict.fromkeys(limit.named, ASKING)  # "before 2021" is not about 2021
        terms = self._postings.weighed(asked)
        scores = self._added(terms)
        open_ = self._open(allowed)
        exact = self._exact(question) & open_
        scores *= open_
        if self._documents is None:
            return Ranking(scores, exact, np.ones(len(scores)), np.ones(len(scores)), {})
        rows, names = self._documents
        called, sure, said = names.named(question)
        matched = _by_document(scores, rows, len(names))
        likely = _shares(sure * _shares(called) + _shares(matched))
        chosen = np.argsort(-likely, kind="stable")[:_CHOSEN]
        held = np.bincount(rows, minlength=len(names))
        long: Scores = (held / (held + _SHORT_DOCUMENT))[rows]
        inside = np.isin(rows, chosen) & open_
        local = self._added(terms, inside)
        less = sure * (1 - _LEAST_WEIGHT) * (1 - likely[rows])
        named = {
            number: ", ".join(word for word, documents in said if number in documents)
            for number in chosen.tolist()
            if held[number] > 1
        }
        fair = by_chance(held)[rows]
        scores = local * (1 - less) * open_ * fair
        return Ranking(scores, exact, (1 - less * long) * fair, long, named)

    def _open(self, allowed: Set[str] | None) -> NDArray[np.bool_]:
        """The rows that may be found."""
        if allowed is None:
            return np.ones(len(self._ids), dtype=np.bool_)
        return mask_of(allowed, self._ids)

    def _added(self, terms: Mapping[int, float], within: NDArray[np.bool_] | None = None) -> Scores:
        """The scores of all rows, added up over terms.

        Args:
            terms: Numbers of terms, and the weight of each.
            within: The rows whose terms decide how rare a term is; the whole corpus counts as a few
                more. None for the whole corpus alone.
        """
        total = len(self._ids)
        scores = np.zeros(total)
        for term, weight in terms.items():
            rows, values = self._postings.of(term)
            if within is not None:
                held = within[rows].sum() + _WHOLE_CORPUS * len(rows) / total
                values = values * idf(held, within.sum() + _WHOLE_CORPUS) / idf(len(rows), total)
            scores[rows] += weight * values
        return scores

    def _exact(self, question: str) -> NDArray[np.bool_]:
        """The rows that have an identifier of the question, unless too many have it."""
        exact = np.zeros(len(self._ids), dtype=np.bool_)
        certain = {found.term for found in identifiers_in(question) if found.certain}
        for term in self._postings.weighed(dict.fromkeys(certain, 1.0)):
            rows, _ = self._postings.of(term)
            if len(rows) <= _FEW:
                exact[rows] = True
        return exact

    def shares(self, query: str) -> tuple[float, float]:
        """How much of a query the best text holds, and how much of it the corpus knows.

        A word weighs its inverse document frequency, which is the most that BM25 gives for it; one
        that no text has weighs as much as one that a single text has.

        Args:
            query: Any text; one without words gives zeros.

        Returns:
            The best text's score as a share of the weight of the known words, and the share of the
            known words in the weight of all; both 0 to 1.
        """
        words = set(self._words.of([query])[0])
        known = self._known(words)
        if not known:
            return 0.0, 0.0
        total = len(self._ids)
        weight = sum(idf(len(self._postings.of(term)[0]), total) for term in known)
        unknown = (len(words) - len(known)) * idf(1, total)
        best = float((self._added(known) * self._open(None)).max())
        return min(1.0, best / weight), weight / (weight + unknown)

    def _known(self, words: Iterable[str]) -> dict[int, float]:
        """The numbers of those words that a passage has."""
        return self._postings.weighed(dict.fromkeys(sorted(words), 1.0))


def _shares(scores: Scores) -> Scores:
    """Scores as shares of the highest."""
    highest = scores.max(initial=0.0)
    return scores / highest if highest > 0 else scores


def by_chance(held: NDArray[np.int64]) -> Scores:
    """Factors for the scores of the passages of documents with so many passages, 0 to 1.

    1 / (1 + 0.1·log(n/10)), and 1 up to ten passages.
    """
    factors: Scores = 1 / (1 + _OF_LENGTH * np.log(np.maximum(held / _SHORT_DOCUMENT, 1)))
    return factors


def _by_document(scores: Scores, rows: NDArray[np.int32], count: int) -> Scores:
    """The mean score of the best passages of each document."""
    best = best_rows(scores, _LOOKED_AT)
    by_document = np.zeros(count)
    taken: Counter[int] = Counter()
    for row in best.tolist():
        number = int(rows[row])
        if taken[number] < _BEST_PIECES:
            taken[number] += 1
            by_document[number] += scores[row] / _BEST_PIECES
    return by_document


def best_rows(scores: Scores, k: int) -> NDArray[np.int64]:
    """The rows of the k highest scores above 0, the highest first; equals in order."""
    hits = np.flatnonzero(scores > 0)
    if len(hits) > k > 0:
        least = np.partition(scores[hits], -k)[-k]
        hits = hits[scores[hits] >= least]  # with all equals of the last, so that the order decides
    return hits[np.argsort(-scores[hits], kind="stable")[:k]]
