"""The questions that edge building works on: from written texts to arrays beside each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.passage_graph.writing import WrittenQuestions
from hopyard.indexes.text.keywords import extract_keywords
from hopyard.indexes.written.store import Written
from hopyard.models.embedder import Vectors

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
    """Both sides of a matching."""

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


# How far from 1 a vector's length may lie: half-precision storage stays well inside.
NORM_TOLERANCE: Final = 1e-3


@dataclass(frozen=True, eq=False)
class Questions:
    """Out-coming or in-coming questions of many passages; row i of each field is question i.

    Raises:
        ValueError: The fields differ in length, an id is negative or given twice, or a vector is
            not L2-normalised.
    """

    ids: NDArray[np.int64]
    """[n] Question ids, non-negative and unique, in any order. Among equals the lowest id wins, so
    ids that come from the content give the same graph whatever the order of insertion."""
    owners: NDArray[np.int64]
    """[n] The passage of each question."""
    keywords: Sequence[AbstractSet[str]]
    """n sets of normalised keywords; a set may be empty."""
    vectors: NDArray[np.float32]
    """[n, d] L2-normalised embeddings."""

    def __post_init__(self) -> None:
        """Check what every later step relies on."""
        counts = {len(self.ids), len(self.owners), len(self.keywords), len(self.vectors)}
        if len(counts) != 1 or self.vectors.ndim != 2:
            message = (
                f"{len(self.ids)} ids, {len(self.owners)} owners, {len(self.keywords)} keyword "
                f"sets and vectors of shape {self.vectors.shape} do not describe the same questions"
            )
            raise ValueError(message)
        if len(self.ids) and (self.ids.min() < 0 or len(np.unique(self.ids)) != len(self.ids)):
            raise ValueError("Question ids must be unique and not negative.")
        lengths = np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors))
        # `not all within` rather than `any outside`, so that NaN is refused too.
        if not bool(np.all(np.abs(lengths - 1.0) <= NORM_TOLERANCE)):
            worst = int(self.ids[int(np.argmax(~(np.abs(lengths - 1.0) <= NORM_TOLERANCE)))])
            message = f"The vector of question {worst} is not of length 1; normalise embeddings."
            raise ValueError(message)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[np.int64]) -> Questions:
        """The questions of some rows, in the order given."""
        return Questions(
            ids=self.ids[rows],
            owners=self.owners[rows],
            keywords=[self.keywords[row] for row in rows],
            vectors=self.vectors[rows],
        )
