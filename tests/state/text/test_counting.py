"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from hopyard.state.text.counting import counted, held, plural


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 model calls"), (1, "1 model call"), (2, "2 model calls"), (1200, "1,200 model calls")],
)
def test_the_noun_follows_the_number(number: int, text: str) -> None:
    assert counted(number, "model call") == text


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("fact", "facts"),
        ("entity", "entities"),
        ("reply", "replies"),
        ("key", "keys"),
        ("word drawn twice", "words drawn twice"),
    ],
)
def test_plurals(noun: str, many: str) -> None:
    assert plural(noun) == many


def test_counts_of_records_are_read_by_people() -> None:
    assert [held(1, "tables"), held(6, "table_rows"), held(1, "entities")] == [
        "1 table",
        "6 table rows",
        "1 entity",
    ]
