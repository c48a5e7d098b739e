"""Relevant segment extraction: by hand, and against exhaustive search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.searches.segments import (
    DECAY,
    PENALTY,
    Place,
    Segment,
    best_segments,
    passage_value,
    valued,
)

ABSENT = -0.25
DOCUMENTS = ("a", "b")
POSITIONS = range(7)
VALUES = st.integers(-2, 4).map(lambda eighths: eighths / 8)  # sums of eighths are exact
QUERY = st.dictionaries(
    st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(POSITIONS)), VALUES, max_size=8
)


def extract(*queries: dict[Place, float], **limits: float) -> list[Segment]:
    given_limits = {"longest": 5, "total": 10, "least": 0.25, **limits}
    longest, total = int(given_limits["longest"]), int(given_limits["total"])
    return best_segments(
        queries, longest=longest, total=total, least=given_limits["least"], absent=ABSENT
    )


def exhaustive(
    queries: Sequence[dict[Place, float]], longest: int, total: int, least: float
) -> list[Segment]:
    """The same by looking at every run of every document, each time."""
    chosen: list[Segment] = []
    done: set[int] = set()
    turn = 0
    while len(done) < len(queries) and sum(run.length for run in chosen) < total:
        number = turn % len(queries)
        turn += 1
        if number in done:
            continue
        room = total - sum(run.length for run in chosen)
        runs = [
            Segment((document, first), length, value)
            for document in DOCUMENTS
            for first in POSITIONS
            for length in range(1, min(longest, room, len(POSITIONS) - first) + 1)
            for places in [[(document, first + step) for step in range(length)]]
            if queries[number].get(places[0], ABSENT) >= 0
            if queries[number].get(places[-1], ABSENT) >= 0
            if not any(overlap(places, run) for run in chosen)
            for value in [sum(queries[number].get(place, ABSENT) for place in places)]
        ]
        best = max(runs, key=lambda run: run.value, default=None)
        if best is None or best.value < least:
            done.add(number)
        else:
            chosen.append(best)
    return chosen


def overlap(places: list[Place], run: Segment) -> bool:
    document, first = run.first
    return not {(document, first + step) for step in range(run.length)}.isdisjoint(places)


def test_a_run_bridges_a_gap_that_costs_less_than_it_gains() -> None:
    values = {("a", 3): 0.5, ("a", 5): 0.375, ("a", 9): 0.5, ("b", 4): 0.25}
    assert extract(values) == [
        Segment(("a", 3), 3, 0.5 - 0.25 + 0.375),
        Segment(("a", 9), 1, 0.5),
        Segment(("b", 4), 1, 0.25),
    ]


def test_the_three_limits() -> None:
    values = {("a", place): 0.5 for place in range(6)}
    assert [run.length for run in extract(values, longest=4)] == [4, 2]
    assert [run.length for run in extract(values, longest=4, total=5)] == [4, 1]
    assert extract({("a", 0): 0.125}) == []
    assert [run.value for run in extract({("a", 0): 0.125}, least=0.125)] == [0.125]


def test_queries_take_turns_and_do_not_overlap() -> None:
    first = {("a", 0): 1.0, ("a", 1): 1.0, ("b", 0): 0.5}
    second = {("a", 1): 0.75, ("b", 3): 0.25}
    assert [(run.first, run.length) for run in extract(first, second)] == [
        (("a", 0), 2),
        (("b", 3), 1),
        (("b", 0), 1),
    ]


def test_documents_are_never_joined() -> None:
    assert [run.length for run in extract({("a", 6): 0.5, ("b", 0): 0.5})] == [1, 1]


@pytest.mark.parametrize("k", [1, 5, 20])
def test_the_value_falls_with_the_rank(k: int) -> None:
    assert passage_value(0, k) == pytest.approx(1 - PENALTY)
    assert passage_value(round(10 * DECAY * k), 10 * k) == pytest.approx(math.exp(-1) - PENALTY)
    assert passage_value(valued(k) - 1, k) >= 0 > passage_value(valued(k), k)


@given(
    st.lists(QUERY, min_size=1, max_size=3),
    st.integers(1, 7),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.125, 0.5]),
)
def test_it_equals_exhaustive_search(
    queries: list[dict[Place, float]], longest: int, total: int, least: float
) -> None:
    found = extract(*queries, longest=longest, total=total, least=least)
    assert found == exhaustive(queries, longest, total, least)
