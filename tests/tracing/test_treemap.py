"""The treemap: the paper's example by hand, and shares of the area."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.tracing.treemap import Cell, squarify

SHEET = Cell(0, 0, 6, 4)


def test_the_example_of_the_paper() -> None:
    """Figure 4: two of 6 are a column, 4 and 3 a row above 2, 2 and 1."""
    cells = squarify([6, 6, 4, 3, 2, 2, 1], SHEET)
    expected = [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 12 / 7, 7 / 3),
        (3 + 12 / 7, 0, 9 / 7, 7 / 3),
        (3, 7 / 3, 1.2, 5 / 3),
        (4.2, 7 / 3, 1.2, 5 / 3),
        (5.4, 7 / 3, 0.6, 5 / 3),
    ]
    assert [tuple(cell) for cell in cells] == [pytest.approx(one) for one in expected]


def test_no_weights_have_no_cells() -> None:
    assert squarify([], SHEET) == []
    assert squarify([3], SHEET) == [SHEET]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30))
def test_cells_share_the_area_and_do_not_overlap(weights: list[int]) -> None:
    weights.sort(reverse=True)
    cells = squarify(weights, SHEET)
    for weight, cell in zip(weights, cells, strict=True):
        assert cell.width * cell.height == pytest.approx(24 * weight / sum(weights))
        assert cell.x >= 0
        assert cell.y >= 0
        assert cell.x + cell.width <= 6 + 1e-9
        assert cell.y + cell.height <= 4 + 1e-9
    for one, other in combinations(cells, 2):
        wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
        high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
        assert min(wide, high) < 1e-6
