from __future__ import annotations

import pytest

from hopyard.indexes.known_kinds import KINDS
from hopyard.indexes.recipe import select_kinds
from hopyard.state.errors import UsageError


def test_kinds_are_found_by_name_each_once() -> None:
    kinds = select_kinds(["sparse", "dense", "sparse"], KINDS)

    assert [kind.name for kind in kinds] == ["sparse", "dense"]


def test_an_unknown_kind() -> None:
    with pytest.raises(
        UsageError, match=r"no kind of index 'spares' here: choose .* dense, sparse"
    ):
        select_kinds(["dense", "spares"], KINDS)
