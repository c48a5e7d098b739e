"""Estimates of tokens, worked by hand: a Latin character is 3 twelfths, a byte of others 4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.state.text.tokens import characters_within, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("x", 1),
        ("four", 1),
        ("fives", 2),
        ("Ärger – “naïve”", 4),  # 15 Latin characters, marks and spaces
        ("항구는 열렸다.", 7),  # 6 syllables, a space and a full stop: 6.5
        ("港口开放", 4),
        ("港口 open", 4),  # 2 + 5 / 4 = 3.25
        ("みなと", 3),
        ("порт", 3),  # 4 letters of 2 bytes: 8 / 3
        ("ميناء", 4),  # 5 letters of 2 bytes: 10 / 3
        ("🚢", 2),  # 4 bytes: 4 / 3
        ("\ud800", 1),  # half a pair, 3 bytes
    ],
)
def test_tokens_by_script(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "beginning"),
    [
        ("abcdefghi", 2, "abcdefgh"),
        ("abcdefgh", 2, "abcdefgh"),
        ("abc", 2, "abc"),
        ("항구는 열렸다", 3, "항구는"),
        ("항구는 열렸다", 4, "항구는 "),  # 3.25; the next syllable would make 4.25
        ("a港口开放", 3, "a港口"),  # 2.25
        ("порт", 2, "пор"),  # 2
        ("港", 0, ""),
    ],
)
def test_the_beginning_that_fits(text: str, tokens: int, beginning: str) -> None:
    assert text[: characters_within(text, tokens)] == beginning


@given(text=st.text(), tokens=st.integers(0, 20))
def test_the_beginning_fits_and_no_longer_one_does(text: str, tokens: int) -> None:
    length = characters_within(text, tokens)
    assert tokens_of(text[:length]) <= tokens
    assert length == len(text) or tokens_of(text[: length + 1]) > tokens
