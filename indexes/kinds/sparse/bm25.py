"""The sparse index: BM25 over stemmed words, through bm25s.

Lù, "BM25S: Orders of magnitude faster lexical search via eager sparse scoring", 2024
(arXiv:2407.03618), with Lucene's variant from Kamphuis et al., "Which BM25 do you mean?", 2020.
"""

from __future__ import annotations

import json
import logging
import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import TypeAdapter

from hopyard.indexes.arrays.rows import load_rows, save_rows
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.words import Words, bm25s

__all__ = ("SparseIndex",)

K1: Final = 1.5
B: Final = 0.75
_BATCH: Final = 1000
_WORDS_FILE: Final = "words.json"
"""How texts become words; an index made by an older Hopyard has none."""
_OLD_WORDS: Final = Words("en", pairs=False)
_ENGLISH: Final = Words(marks=True)
_WORDS: Final = TypeAdapter(Words)

logging.getLogger("bm25s").setLevel(logging.WARNING)  # on import it sets itself to DEBUG


class SparseIndex:
    """BM25 over the words of passages."""

    def __init__(self, model: bm25s.BM25, ids: Sequence[str], words: Words) -> None:
        """Wrap a BM25 model whose i-th text belongs to passage `ids[i]`."""
        self._model = model
        self._ids = ids
        self._words = words

    @classmethod
    def build(
        cls, ids: Sequence[str], texts: Iterable[str], words: Words = _ENGLISH
    ) -> SparseIndex:
        """Index the texts of n passages. The same ids and texts always give the same index.

        Texts are read a thousand at a time. Four bytes a word are kept until the end.
        """
        numbers: dict[str, int] = {}
        numbered: list[array[int]] = []
        waiting = iter(texts)
        while batch := list(islice(waiting, _BATCH)):
            for text in words.of(batch):
                codes = (numbers.setdefault(word, len(numbers)) for word in text)
                numbered.append(array("i", codes))
        model = bm25s.BM25(k1=K1, b=B, method="lucene")
        if not numbers:  # bm25s fails without a single word, so texts get the empty word
            numbers, numbered = {"": 0}, [array("i", [0])] * max(len(ids), 1)
        model.index((numbered, numbers), create_empty_token=False, show_progress=False)
        model.scores["num_docs"] = len(ids)
        return cls(model, ids, words)

    def save(self, directory: Path) -> None:
        """Write the index and its ids into a folder: plain arrays (.npy) and JSON."""
        self._model.save(directory, allow_pickle=False, show_progress=False)
        save_rows(directory, self._ids)
        (directory / _WORDS_FILE).write_text(json.dumps(asdict(self._words)), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> SparseIndex:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        ids = load_rows(directory, str)
        try:
            model = bm25s.BM25.load(directory, allow_pickle=False, show_progress=False)
            file = directory / _WORDS_FILE
            words = _WORDS.validate_json(file.read_bytes()) if file.exists() else _OLD_WORDS
            fits = model.scores["num_docs"] == len(ids)
        except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise damage_error(directory, f"cannot be read ({error})") from error
        if not fits or len(model.scores["indptr"]) != len(model.vocab_dict) + 1:
            raise damage_error(directory, f"does not fit its {len(ids)} passages")
        return cls(model, ids, words)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def vocabulary_size(self) -> int:
        """Different words."""
        return len(self._model.vocab_dict)

    def search(
        self, query: str, k: int, allowed: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """Find the passages that share words with a query.

        Args:
            query: Any text.
            k: Passages at most.
            allowed: Ids of the passages that may be found; None where all may.

        Returns:
            At most k (passage id, BM25 score) pairs, the best first, equals by id; every score is
            above 0. A query of stop words or unknown words finds nothing.
        """
        tokens = self._model.get_tokens_ids(self._words.of([query])[0])
        if not tokens:
            return []
        scores = self._model.get_scores_from_ids(tokens)
        hits = np.flatnonzero(scores > 0)
        if allowed is not None:
            kept = [row for row in hits.tolist() if self._ids[row] in allowed]
            hits = np.array(kept, dtype=hits.dtype)
        # Stable, and the rows are sorted by id.
        best = hits[np.argsort(-scores[hits], kind="stable")[:k]]
        return [(self._ids[row], float(scores[row])) for row in best]

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
        known = self._model.get_tokens_ids(sorted(words))
        if not known:
            return 0.0, 0.0
        starts, texts = self._model.scores["indptr"], len(self._ids)
        held = [int(starts[number + 1] - starts[number]) for number in known]
        weight = sum(math.log(1 + (texts - n + 0.5) / (n + 0.5)) for n in held)
        unknown = (len(words) - len(known)) * math.log(1 + (texts - 0.5) / 1.5)
        best = float(self._model.get_scores_from_ids(known).max())
        return min(1.0, best / weight), weight / (weight + unknown)
