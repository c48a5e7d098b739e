"""Matches that grow equal matches made at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.passage_graph.matching import Generation, match_generation
from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.state.errors import IndexMissingError

WORDS = ("alba", "bert", "cora")

one_question = st.tuples(
    st.integers(0, 40),  # id
    st.integers(0, 4),  # owner
    st.sets(st.sampled_from(WORDS), max_size=2),
    st.sampled_from([(1, 0), (0, 1), (1, 1), (-1, 1), (2, 1)]),
)
pool = st.lists(one_question, max_size=24, unique_by=lambda each: each[0])


def side(rows: list[tuple[int, int, set[str], tuple[int, int]]]) -> Questions:
    rows = sorted(rows, key=lambda row: row[0])
    vectors = np.array([row[3] for row in rows], dtype=np.float64).reshape(-1, 2)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return Questions(
        ids=np.array([row[0] for row in rows], dtype=np.int64),
        owners=np.array([row[1] for row in rows], dtype=np.int64),
        keywords=[frozenset(row[2]) for row in rows],
        vectors=(vectors / lengths).astype(np.float32),
    )


@given(st.data(), pool, pool)
def test_growing_equals_a_fresh_start(data: st.DataObject, outcoming: list, incoming: list) -> None:
    generation = None
    for _ in range(3):
        some_out = [row for row in outcoming if data.draw(st.booleans())]
        some_in = [row for row in incoming if data.draw(st.booleans())]
        generation = match_generation(side(some_out), side(some_in), generation)
        fresh = match_generation(side(some_out), side(some_in), None)
        assert generation.outcoming.tolist() == fresh.outcoming.tolist()
        assert generation.matches.incoming.tolist() == fresh.matches.incoming.tolist()
        assert generation.matches.similarity.tolist() == fresh.matches.similarity.tolist()


@given(outcoming=pool, incoming=pool)
def test_what_is_saved_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, outcoming: list, incoming: list
) -> None:
    directory = tmp_path_factory.mktemp("generation")
    saved = match_generation(side(outcoming), side(incoming), None)
    saved.save(directory)
    read = Generation.load(directory, approximate=3)
    assert read.outcoming.tolist() == saved.outcoming.tolist()
    assert read.incoming.tolist() == saved.incoming.tolist()
    assert read.matches.incoming.tolist() == saved.matches.incoming.tolist()
    assert read.matches.similarity.tolist() == saved.matches.similarity.tolist()
    assert read.matches.approximate == 3


def test_damage_is_named(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"matches\.npy"):
        Generation.load(tmp_path, approximate=0)
