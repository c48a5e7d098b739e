"""From written questions to the two sides that matching works on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from hopyard.indexes.derived import Progress
from hopyard.indexes.embedding import BATCH, check_vectors
from hopyard.indexes.kinds.passage_graph.keywords import extract_keywords
from hopyard.indexes.kinds.passage_graph.question_store import QuestionStore, Written
from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.models.embedder import Embedder

__all__ = ("QuestionSide", "Sides", "both_sides", "embed_questions", "question_id")

Kind = Literal["incoming", "outcoming"]


@dataclass(frozen=True, eq=False)
class QuestionSide:
    """All in-coming or all out-coming questions, in ascending order of id."""

    questions: Questions
    texts: Sequence[str]
    """Text of each question."""

    @property
    def keywords_by_id(self) -> dict[int, AbstractSet[str]]:
        """Keywords of each question, by its id."""
        return dict(zip(self.questions.ids.tolist(), self.questions.keywords, strict=True))


class Sides(NamedTuple):
    """What is matched with what."""

    outcoming: QuestionSide
    incoming: QuestionSide


class _Asked(NamedTuple):
    id: int
    owner: int
    text: str


def question_id(passage_id: str, kind: Kind, text: str) -> int:
    """The id of a question: 63 bits that depend on nothing but what the question is.

    So the same passages and questions give the same graph, in whatever order they came.
    """
    digest = hashlib.sha256("\0".join((passage_id, kind, text)).encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


def embed_questions(
    written: Iterable[Written], store: QuestionStore, embedder: Embedder, progress: Progress
) -> None:
    """Embed the questions that have no vector yet, and keep each batch at once.

    Raises:
        ModelOutputError: The model gave something else than a unit vector for each.
    """
    texts = {text for one in written for text in (*one.incoming, *one.outcoming)}
    missing = store.without_vector(texts, embedder.name, embedder.dimension)
    for start in range(0, len(missing), BATCH):
        progress("embed questions", start, len(missing))
        batch = missing[start : start + BATCH]
        vectors = embedder.embed_documents(batch)
        check_vectors(vectors, len(batch), embedder)
        store.put_vectors(batch, embedder.name, vectors)
    if missing:
        progress("embed questions", len(missing), len(missing))


def both_sides(
    content_hashes: Mapping[str, str],
    written: Mapping[str, Written],
    store: QuestionStore,
    embedder: Embedder,
) -> Sides:
    """The out-coming and the in-coming questions of all passages.

    Args:
        content_hashes: Content hash by passage id, in the order of the passages' rows.
        written: Questions by content hash; a passage without any is left out.
        store: Where the questions' vectors are, all of them.
        embedder: The model that made the vectors.
    """
    outcoming: list[_Asked] = []
    incoming: list[_Asked] = []
    for row, (passage_id, content_hash) in enumerate(content_hashes.items()):
        if (found := written.get(content_hash)) is not None:
            outcoming += _asked(passage_id, row, "outcoming", found.outcoming)
            incoming += _asked(passage_id, row, "incoming", found.incoming)
    return Sides(_side(outcoming, store, embedder), _side(incoming, store, embedder))


def _asked(passage_id: str, row: int, kind: Kind, texts: Iterable[str]) -> Iterator[_Asked]:
    for text in dict.fromkeys(texts):
        yield _Asked(question_id(passage_id, kind, text), row, text)


def _side(rows: Sequence[_Asked], store: QuestionStore, embedder: Embedder) -> QuestionSide:
    rows = sorted(rows)
    texts = [row.text for row in rows]
    keywords = {text: extract_keywords(text) for text in set(texts)}
    questions = Questions(
        ids=np.fromiter((row.id for row in rows), np.int64, len(rows)),
        owners=np.fromiter((row.owner for row in rows), np.int64, len(rows)),
        keywords=[keywords[text] for text in texts],
        vectors=store.vectors(texts, embedder.name, embedder.dimension),
    )
    return QuestionSide(questions, texts)
