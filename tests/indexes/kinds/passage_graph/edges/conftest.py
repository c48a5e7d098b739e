"""Small question sets, and the definition of a best match taken literally."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import pytest

from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.kinds.passage_graph.similarity import similarity


def _ask(
    owners: Sequence[int],
    keywords: Sequence[AbstractSet[str]],
    vectors: Sequence[Sequence[float]],
) -> Questions:
    given = np.asarray(vectors, dtype=np.float64)
    return Questions(
        texts=[f"Question {row}?" for row in range(len(owners))],
        owners=np.asarray(owners, dtype=np.int64),
        keywords=list(keywords),
        vectors=(given / np.linalg.norm(given, axis=1, keepdims=True)).astype(np.float32),
    )


def _literal(outcoming: Questions, incoming: Questions) -> tuple[list[int], list[float]]:
    best_rows, best_scores = [], []
    for row in range(len(outcoming)):
        best_row, best_score = -1, float("-inf")
        for column in range(len(incoming)):
            if outcoming.owners[row] == incoming.owners[column]:
                continue
            score = similarity(
                outcoming.keywords[row],
                incoming.keywords[column],
                outcoming.vectors[row],
                incoming.vectors[column],
            )
            if score > best_score:
                best_row, best_score = column, score
        best_rows.append(best_row)
        best_scores.append(best_score)
    return best_rows, best_scores


@pytest.fixture(scope="session")
def ask() -> Callable[..., Questions]:
    """Questions from plain lists; vectors of any length are normalised."""
    return _ask


@pytest.fixture(scope="session")
def literal() -> Callable[[Questions, Questions], tuple[list[int], list[float]]]:
    """Every pair scored, one after another, as the definition reads."""
    return _literal
