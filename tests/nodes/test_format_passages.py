"""Passages in a prompt: with metadata and joined for capable models, plain otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import format_passages
from hopyard.nodes.evidence import join_adjacent
from hopyard.state.settings.fields import Context

CAPABLE = Context(model="openai:gpt-4.1-mini")


def passage(document: str, position: int, pages: str = "", **metadata: str) -> Passage:
    return Passage(
        *(
            f"{document}{position}",
            document,
            position,
            document.upper(),
            f"text {position}.",
            "",
            2,
        ),
        pages=pages,
        metadata=metadata,
    )


@pytest.mark.parametrize(
    ("places", "blocks"),
    [
        ([], []),
        (["a0"], [[0]]),
        (["a2", "b0", "a1", "a4"], [[2, 0], [1], [3]]),
        (["a1", "a3", "a2", "a0"], [[3, 0, 2, 1]]),
        (["a1", "b2"], [[0], [1]]),
    ],
)
def test_adjacent_passages_are_joined(places: list[str], blocks: list[list[int]]) -> None:
    assert join_adjacent([passage(place[0], int(place[1])) for place in places]) == blocks


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), unique=True))
def test_every_passage_is_in_one_block(places: list[tuple[str, int]]) -> None:
    blocks = join_adjacent([passage(*place) for place in places])
    assert sorted(row for block in blocks for row in block) == list(range(len(places)))
    assert [min(block) for block in blocks] == sorted(min(block) for block in blocks)


def test_a_capable_model_sees_metadata_and_blocks_with_the_numbers_kept() -> None:
    found = [
        passage("a", 2, pages="4"),
        passage("b", 0, source="Wired", date="2023-11-05T10:00"),
        passage("a", 1, pages="3"),
    ]
    assert format_passages(found, CAPABLE) == (
        "[3] A (page 3): text 1.\n"
        "[1] continues [3], page 4: text 2.\n"
        "[2] B (Wired, 2023-11-05): text 0."
    )
    assert format_passages(found[:1], CAPABLE, [7]) == "[7] A (page 4): text 2."


def test_the_builtin_model_sees_titles_and_texts_in_order() -> None:
    found = [passage("a", 2, pages="4"), passage("a", 1, source="Wired")]
    assert format_passages(found, Context()) == "[1] A: text 2.\n[2] A: text 1."
