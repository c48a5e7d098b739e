"""The questions that edge building works on: from written texts to arrays beside each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, NamedTuple

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
class Questions:
    """All in-coming or all out-coming questions, in the order of their ids (`question_id`)."""

    texts: Sequence[str]
    owners: NDArray[np.int64]
    """[n] The row of each question's passage."""
    keywords: Sequence[AbstractSet[str]]
    """n sets of normalised keywords; a set may be empty."""
    vectors: NDArray[np.float32]
    """[n, d] Embeddings of length 1."""

    def __len__(self) -> int:
        return len(self.owners)


class Sides(NamedTuple):
    """Both sides of a matching."""

    outcoming: Questions
    incoming: Questions


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


def _side(asked: list[_Asked], rows: Mapping[str, int], vectors: Vectors) -> Questions:
    """One side, from the vector's row of each text."""
    asked.sort()
    texts = [question.text for question in asked]
    keywords = {text: extract_keywords(text) for text in set(texts)}
    return Questions(
        texts=texts,
        owners=np.array([question.owner for question in asked], np.int64),
        keywords=[keywords[text] for text in texts],
        vectors=vectors[np.array([rows[text] for text in texts], np.int64)],
    )
