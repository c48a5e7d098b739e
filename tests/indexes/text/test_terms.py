"""Phrases that may be terms of a domain."""

from __future__ import annotations

import pytest

from hopyard.indexes.text.terms import is_common_word, terms_in


def terms(text: str) -> list[str]:
    return [" ".join(term.words) for term in terms_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The glacier is near a mountain lake.", ["glacier", "mountain lake"]),
        ("Alpine meadows are near clean water.", ["alpine meadow", "clean water"]),
        ("They removed other swollen lymph nodes.", ["swollen lymph node"]),  # "other" is vague
        ("It helps many people at any time.", []),
        ("Glacier ice. Lake water.", ["glacier ice", "lake water"]),  # a sentence ends a phrase
        ("Ice, water and snow.", ["ice", "water", "snow"]),
        ("", []),
    ],
)
def test_runs_of_adjectives_and_nouns(text: str, found: list[str]) -> None:
    assert terms(text) == found


def test_a_term_knows_its_place_and_has_four_words_at_most() -> None:
    text = "We saw a large cold mountain lake water sample."
    [term] = terms_in(text)
    assert term.words == ("mountain", "lake", "water", "sample")
    assert text[term.start : term.end] == "mountain lake water sample"


def test_a_capital_says_little_about_a_common_word() -> None:
    assert is_common_word("Treatment")
    assert is_common_word("What")
    assert not is_common_word("Imatinib")
