"""Many documents of one title, and many without a title: memory and time grow with their number."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.entity_graph.resolve.senses import Passages, find_senses


def passages_of(titles: list[str], angles: list[int]) -> Passages:
    """One passage a document; its vector has an angle in degrees."""
    radians = np.radians(angles)
    vectors = np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)
    return Passages([str(row) for row in range(len(titles))], titles, vectors.reshape(-1, 2))


@pytest.mark.parametrize("title", ["", "Report"])
def test_four_thousand_documents_of_one_title_need_no_matrix_of_all_pairs(
    title: str,
) -> None:
    passages = passages_of([title] * 4000, [0] * 4000)
    tracemalloc.start()
    try:
        assert find_senses(passages) == {}
        assert tracemalloc.get_traced_memory()[1] < 16_000_000  # all pairs: 64 MB
    finally:
        tracemalloc.stop()


def test_documents_are_of_one_sense_through_others() -> None:
    # 0° is like 70°, and 70° like 140°; 250° is like none of them.
    senses = find_senses(passages_of(["Report"] * 4, [0, 140, 70, 250]))["report"]
    assert {sense.label: sense.passages for sense in senses} == {
        "Report [0]": {0, 1, 2},
        "Report [3]": {3},
    }


@given(st.lists(st.integers(0, 359).filter(lambda angle: angle % 5), min_size=1, max_size=8))
def test_senses_are_the_connected_groups_of_alike_documents(angles: list[int]) -> None:
    groups = [{row} for row in range(len(angles))]
    for each, other in combinations(range(len(angles)), 2):
        if np.cos(np.radians(angles[each] - angles[other])) >= 0.2:
            joined = next(group for group in groups if each in group)
            more = next(group for group in groups if other in group)
            if joined is not more:
                joined |= more
                groups.remove(more)
    found = find_senses(passages_of(["Report"] * len(angles), angles)).get("report", ())
    assert sorted(map(sorted, groups)) == (
        sorted(sorted(sense.passages) for sense in found) or [[*range(len(angles))]]
    )
