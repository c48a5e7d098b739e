"""Texts in temporary files, and the stretches that texts are read in."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus import long_text
from hopyard.indexes.corpus.long_text import LongText, is_blank, stretches_of, text_digest, text_of

PARTS = st.lists(st.text(st.sampled_from("a ü€𝄞\n"), max_size=30))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_text, "STRETCH", 8)
    monkeypatch.setattr(long_text, "_IN_MEMORY", 20)
    monkeypatch.setattr(long_text, "_BLOCK", 3)  # within a letter of four bytes


@given(PARTS)
def test_a_text_is_the_same_in_memory_and_in_a_file(parts: list[str]) -> None:
    whole, text = "".join(parts), LongText(parts)
    assert (str(text), len(text)) == (whole, len(whole))
    assert list(stretches_of(text)) == list(stretches_of(whole))
    assert text_digest(text) == text_digest(whole) == hashlib.sha256(whole.encode()).hexdigest()
    assert is_blank(text) == is_blank(whole) == (not whole.strip())


@given(PARTS)
def test_stretches_are_short_and_lose_nothing(parts: list[str]) -> None:
    stretches = list(stretches_of("".join(parts)))
    assert "".join(stretches) == "".join(parts)
    assert all(len(stretch) <= 8 for stretch in stretches)


def test_a_stretch_ends_with_a_paragraph_else_a_line_else_a_word() -> None:
    assert list(stretches_of("a\nbc\n\ndef g\nh ijkl mnopqrstuvw")) == [
        "a\nbc\n\n",
        "def g\n",
        "h ijkl ",
        "mnopqrst",
        "uvw",
    ]


def test_only_a_long_text_goes_into_a_file() -> None:
    assert text_of(iter(["ten letter"] * 2)) == "ten letter" * 2
    text = text_of(iter(["ten letter"] * 3))
    assert isinstance(text, LongText)
    assert str(text) == "ten letter" * 3


def test_two_readers_take_turns() -> None:
    text = LongText(["abcdef"])
    one, other = text.blocks(), text.blocks()
    assert [next(one), next(other), next(one), next(other)] == ["abc", "abc", "def", "def"]
