"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from hopyard.state.text.counting import counted, plural


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 model calls"), (1, "1 model call"), (2, "2 model calls"), (1200, "1,200 model calls")],
)
def test_the_noun_follows_the_number(number: int, text: str) -> None:
    assert counted(number, "model call") == text


@pytest.mark.parametrize(
    ("noun", "many"),
    [("fact", "facts"), ("entity", "entities"), ("reply", "replies"), ("key", "keys")],
)
def test_plurals(noun: str, many: str) -> None:
    assert plural(noun) == many
