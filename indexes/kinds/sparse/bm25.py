"""The sparse index: BM25 over the fields of passages, weighted by their documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from hopyard.indexes.arrays.passage_set import mask_of
from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.documents import Documents
from hopyard.indexes.kinds.sparse.names import DocumentNames
from hopyard.indexes.kinds.sparse.postings import Found, Postings, idf
from hopyard.indexes.kinds.sparse.scores import (
    SHORT_DOCUMENT,
    Scores,
    best_rows,
    by_chance,
    by_document,
    by_likelihood,
    highest,
    shares_of,
)
from hopyard.indexes.kinds.sparse.words import ASKING, TABLE, Words
from hopyard.indexes.text.amounts import asks_for_amount
from hopyard.indexes.text.identifiers import identifiers_in
from hopyard.indexes.text.page_numbers import pages_named
from hopyard.state.schemas import Evidence, passage_evidence

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Changes

__all__ = ("Ranking", "SparseIndex")

_WORDS_FILE: Final = "words.json"
"""How texts become words."""
_DOCUMENTS_FILE: Final = "documents.npy"
_ENGLISH: Final = Words()
_WORDS: Final = TypeAdapter(Words)
_VERSION: Final = {"version": 5}
"""The kind of terms and lengths in the files."""

_FEW: Final = 20
"""Passages at most that an identifier leads to. Among more, the other words decide."""
_CHOSEN: Final = 10
"""Documents in whose passages the rarity of words is measured."""
_WHOLE_CORPUS: Final = 100
"""Passages that the whole corpus counts as, beside the passages of the chosen documents."""
_OF_TABLE: Final = 1.75
"""Factor for the words of a passage with a table, if a question asks for an amount."""


class Ranking(NamedTuple):
    """How well the words of a question match all passages, in the order of the index's rows."""

    scores: Scores
    """BM25, weighted by documents; 0 for passages that share no word with the question."""
    exact: NDArray[np.bool_]
    """Whether a passage has an identifier that the question names and few passages have."""
    documents: NDArray[np.int32]
    """The number of the document of each passage."""
    weights: Scores
    """Of each document a factor for another search's scores: how likely it is, and less for a long
    one."""
    long: Scores
    """How long each document is, from 0.09 for one passage towards 1."""
    named: Mapping[int, str]
    """The words of the question that are in the name of a document, by the document's number."""


class SparseIndex:
    """BM25 over the terms of passages."""

    def __init__(self, postings: Postings, words: Words, documents: Documents | None) -> None:
        """Wrap the postings of passages."""
        self.postings = postings
        self.words = words
        self.documents = documents
        self._ids = postings.rows.ids

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
            ids: The passages' ids, sorted.
            texts: The fields of each passage: its text first, and always as many. They are read a
                thousand at a time.
            words: How texts become words.
            documents: Their documents; None ranks each passage by itself.
        """
        return cls(Postings.build(ids, texts, words), words, documents)

    def save(self, directory: Path) -> None:
        """Write the index and its ids into a folder: plain arrays (.npy) and JSON."""
        self.postings.save(directory)
        if self.documents:
            self.documents.names.save(directory)
        self._save_rest(directory, self.documents)

    def _save_rest(self, directory: Path, documents: Documents | None) -> None:
        words = json.dumps(asdict(self.words) | _VERSION)
        (directory / _WORDS_FILE).write_text(words, encoding="utf-8")
        if documents:
            np.save(directory / _DOCUMENTS_FILE, documents.rows)

    def extend(
        self,
        last: Path,
        directory: Path,
        changes: Changes,
        texts: Iterable[Sequence[str]],
        names: Iterable[tuple[str, str]],
    ) -> bool:
        """Write the index with what has changed into a folder; the first files are not written.

        It then gives the scores that an index of all passages gives.

        Args:
            last: The folder that this index was loaded from.
            changes: The passages and documents that changed.
            texts: The fields of the added passages, as for `build`.
            names: The names of the added documents, as `names_of` gives them.

        Returns:
            False, and nothing is written, if so much has changed that it is better built again.
        """
        rows = self.postings.rows.changed(changes.removed, [*changes.added])
        if self.documents is None or rows.are_too_many(len(self.postings.parts[0][1])):
            return False
        known = self.documents.names.rows
        documents = known.changed(changes.removed_documents, changes.added_documents)
        of_key = np.concatenate(
            [
                known.keys[self.documents.rows][np.maximum(self.postings.rows.rows, 0)],
                [documents.key_of(name) for name in changes.added.values()],
            ]
        ).astype(np.int64)
        self.postings.extend(last, directory, rows, texts, self.words)
        self.documents.names.extend(last, directory, documents, names)
        owners = documents.rows[of_key[rows.keys]]
        self._save_rest(directory, Documents(owners, self.documents.names))
        return True

    @classmethod
    def load(cls, directory: Path) -> SparseIndex:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        postings = Postings.load(directory)
        documents = None
        if (file := directory / _DOCUMENTS_FILE).exists():
            rows = load_array(file, np.int32, rows=len(postings))
            documents = Documents(rows, DocumentNames.load(directory))
        try:
            words = _WORDS.validate_json((directory / _WORDS_FILE).read_bytes())
        except (OSError, ValueError) as error:
            raise damage_error(directory / _WORDS_FILE, f"cannot be read ({error})") from error
        return cls(postings, words, documents)

    @staticmethod
    def is_of_today(directory: Path) -> bool:
        """Whether the files are as `save` writes them, and not of an older version of Hopyard."""
        try:
            held = json.loads((directory / _WORDS_FILE).read_bytes())
        except (OSError, ValueError):
            return False
        return isinstance(held, dict) and held.items() >= _VERSION.items()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def vocabulary_size(self) -> int:
        """Different terms, without those of small changes."""
        return self.postings.vocabulary_size

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
        said = self.documents and ranking.named.get(int(self.documents.rows[row]))
        return (
            Evidence(**unit, why=f"the name or beginning of its document fits: {said}")
            if said
            else unit
        )

    def by_words(
        self, text: str, k: int, allowed: Set[str] | None = None
    ) -> list[tuple[str, float]]:
        """The k best passages by BM25 over all words of a text, whatever their documents are."""
        [terms] = self.words.terms([text])
        scores = self._added(self.postings.of(dict.fromkeys(terms, 1.0)))
        if (open_ := self._open(allowed)) is not None:
            scores *= open_
        return [(self._ids.text(row), float(scores[row])) for row in best_rows(scores, k).tolist()]

    def rank(self, question: str, allowed: Set[str] | None = None) -> Ranking:
        """How well the words of a question match all passages.

        Args:
            question: Any text.
            allowed: Ids of the passages that may be found; None where all may.
        """
        asked = self.words.asked(question)
        for limit in self.documents.names.limits(question) if self.documents else ():
            asked |= dict.fromkeys(limit.named, ASKING)  # "before 2021" is not about 2021
        asked |= dict.fromkeys(pages_named(question), 1.0)
        found = self.postings.of(asked)
        scores = self._added(found)
        open_ = self._open(allowed)
        exact = self._exact(question, open_)
        if open_ is not None:
            scores *= open_
        if self.documents is None:
            alone = np.zeros(len(scores), dtype=np.int32)
            return Ranking(scores, exact, alone, np.ones(1), np.ones(1), {})
        rows, names = self.documents
        called, sure, said = names.named(question)
        matched = by_document(scores, rows, len(names))
        likely = shares_of(sure * shares_of(called) + shares_of(matched))
        chosen = highest(likely, _CHOSEN)
        inside = np.zeros(len(names), dtype=np.bool_)
        inside[chosen] = True
        inside = inside[rows]
        if open_ is not None:
            inside &= open_
        local = self._added(found, inside)
        if asks_for_amount(question):
            local[self.postings.of({TABLE: 1.0}).rows] *= _OF_TABLE
        if open_ is not None:
            local *= open_
        held, long, fair = self._lengths
        named = {
            number: ", ".join(word for word, documents in said if number in documents)
            for number in chosen.tolist()
            if held[number] > 1
        }
        weights = by_likelihood(sure, likely, long)
        scores = local * (weights * fair)[rows]
        return Ranking(scores, exact, rows, (1 - (1 - weights) * long) * fair, long, named)

    @cached_property
    def _lengths(self) -> tuple[NDArray[np.int64], Scores, Scores]:
        """Of each document: its passages, how long it is, and the factor `by_chance`."""
        rows, names = self.documents or ((), ())
        held = np.bincount(rows, minlength=len(names))
        return held, held / (held + SHORT_DOCUMENT), by_chance(held)

    def _open(self, allowed: Set[str] | None) -> NDArray[np.bool_] | None:
        """The rows that may be found; None for all."""
        return None if allowed is None else mask_of(allowed, self._ids)

    def _added(self, found: Found, within: NDArray[np.bool_] | None = None) -> Scores:
        """The scores of all rows.

        Args:
            found: The passages of each term.
            within: The rows whose terms decide how rare a term is; the whole corpus counts as a few
                more. None for the whole corpus alone.
        """
        total = len(self._ids)
        if within is None:
            return found.added(idf(found.held, total), total)
        held = found.held_in(within) + _WHOLE_CORPUS * found.held / total
        return found.added(idf(held, int(np.count_nonzero(within)) + _WHOLE_CORPUS), total)

    def _exact(self, question: str, open_: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """The open rows with an identifier or page of the question, unless too many have it."""
        exact = np.zeros(len(self._ids), dtype=np.bool_)
        certain = {found.term for found in identifiers_in(question) if found.certain}
        found = self.postings.of(dict.fromkeys(certain.union(pages_named(question)), 1.0))
        held = found.held if open_ is None else found.held_in(open_)
        exact[found.rows[np.repeat(held <= _FEW, found.held)]] = True
        return exact if open_ is None else exact & open_

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
        words = set(self.words.of([query])[0])
        known = self._known(words)
        if not len(known.rows):
            return 0.0, 0.0
        total = len(self._ids)
        weight = float(idf(known.held, total).sum())
        unknown = (len(words) - len(known.held)) * float(idf(1, total))
        best = float(self._added(known).max())
        return min(1.0, best / weight), weight / (weight + unknown)

    def _known(self, words: Iterable[str]) -> Found:
        """The passages of those words that a passage has."""
        return self.postings.of(dict.fromkeys(sorted(words), 1.0))
