"""The passages that a point of global search cites."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from hopyard.nodes.global_search.points import support_of

from ..indexes.kinds.communities.meetings import meetings

TEXTS = {
    "a": "Alba met Bert in Rome.",
    "b": "Bert met Cora in Rome and in Athens.",
    "c": "Cora met Bert.",
}
"""Sentences S0 to S2."""


@pytest.mark.parametrize(
    ("claim", "allowed", "passages"),
    [
        # b has four of the words (Bert, met, Cora, Athens), a adds Alba, and c adds nothing.
        ("Alba and Bert met Cora in Athens.", None, ["b", "a"]),
        ("Bert met Cora.", None, ["b"]),
        ("Bert met Cora.", {"a", "c"}, ["c"]),
        # No word is shared: one passage is still cited, as the finding names it.
        ("Nobody came.", None, ["a"]),
        ("Bert met Cora.", set(), []),
    ],
)
def test_a_passage_is_cited_if_it_adds_words_of_the_claim(
    tmp_path: Path, claim: str, allowed: Collection[str] | None, passages: list[str]
) -> None:
    elements = meetings(tmp_path, TEXTS)
    assert support_of(claim, ["S0", "S1", "S2"], elements, allowed) == passages
    assert support_of(claim, [], elements, allowed) == []
