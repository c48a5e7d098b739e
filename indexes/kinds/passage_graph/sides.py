"""From written questions to the two sides that matching works on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.passage_graph.question_store import WrittenQuestions
from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.text.keywords import extract_keywords
from hopyard.indexes.written.store import Written
from hopyard.models.embedder import Vectors

__all__ = ("QuestionSide", "Sides", "both_sides", "question_id")

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


async def both_sides(
    content_hashes: Mapping[str, str],
    written: Mapping[str, Written[WrittenQuestions]],
    context: BuildContext,
) -> Sides:
    """The out-coming and the in-coming questions of all passages, embedded.

    Args:
        content_hashes: Content hash by passage id, in the order of the passages' rows.
        written: Questions by content hash; a passage without any is left out.
        context: Embeds the questions that have no vector yet.

    Raises:
        ModelOutputError: The embedding model gave something else than a unit vector for each.
    """
    outcoming: list[_Asked] = []
    incoming: list[_Asked] = []
    for row, (passage_id, content_hash) in enumerate(content_hashes.items()):
        if (found := written.get(content_hash)) is not None:
            outcoming += _asked(passage_id, row, "outcoming", found.content.outcoming)
            incoming += _asked(passage_id, row, "incoming", found.content.incoming)
    rows = {text: row for row, text in enumerate({asked.text for asked in outcoming + incoming})}
    vectors = await context.embed(list(rows), namespace="questions")
    return await in_thread(
        lambda: Sides(_side(outcoming, rows, vectors), _side(incoming, rows, vectors))
    )


def _asked(passage_id: str, row: int, kind: Kind, texts: Iterable[str]) -> Iterator[_Asked]:
    for text in dict.fromkeys(texts):
        yield _Asked(question_id(passage_id, kind, text), row, text)


def _side(questions: list[_Asked], rows: Mapping[str, int], vectors: Vectors) -> QuestionSide:
    """One side, from the vector's row of each text."""
    asked = sorted(questions)
    texts = [question.text for question in asked]
    keywords = {text: extract_keywords(text) for text in set(texts)}
    arrays = Questions(
        ids=np.fromiter((question.id for question in asked), np.int64, len(asked)),
        owners=np.fromiter((question.owner for question in asked), np.int64, len(asked)),
        keywords=[keywords[text] for text in texts],
        vectors=vectors[np.fromiter((rows[text] for text in texts), np.int64, len(texts))],
    )
    return QuestionSide(arrays, texts)
