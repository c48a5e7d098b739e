from __future__ import annotations

import pytest

from hopyard.indexes.text.identifiers import Identifier, identifiers_in, parts_of


def certain(text: str) -> list[str]:
    return [found.term for found in identifiers_in(text) if found.certain]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What does 4.2.1 require?", ["4.2.1"]),
        ("4.2.1. Pumps shall be earthed.", ["4.2.1"]),
        ("Host 10.0.3.17 is new, and so is 10.0.3.170.", ["10.0.3.17", "10.0.3.170"]),
        ("the log of 05.01.2024: dry", ["05.01.2024"]),
        ("2024-01-05 or 05/01/2024", ["2024-01-05", "05/01/2024"]),
        ("§ 12 (3) and §12(3)", ["12(3)", "12(3)"]),
        ("PPR-9087", ["ppr9087"]),
        ("ppr9087", ["ppr9087"]),
        ("model A310-22/B", ["a310-22b"]),
        ("ISO 9001:2015", ["9001:2015"]),
        ("C# and C++", ["c#", "c++"]),
        ("Form 10-K", ["10k"]),
    ],
)
def test_codes(text: str, terms: list[str]) -> None:
    assert certain(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What does Appendix C concern?", ["appendix c"]),
        ("vitamin C", ["vitamin c"]),
        ("clause 12 and clause 4.2", ["clause 12", "clause 4.2"]),
        ("Annex B2, Item 7A", ["annex b2", "item 7a"]),
        ("Note No. 12", ["note 12"]),
        ("PPR 9087", ["ppr 9087", "ppr9087"]),
    ],
)
def test_labels(text: str, terms: list[str]) -> None:
    assert certain(text) == terms


@pytest.mark.parametrize(
    "text",
    [
        "It grew by 3.5 % to 1,577.20 in 2018.",
        "FY2018 and Q2 of 2019",
        "When I was there, a well-known sub-group met.",
        "the 3 largest of all 20",
        "Maine 2019",
        "US$5 and so on.",
    ],
)
def test_quantities_years_and_words_are_no_certain_identifiers(text: str) -> None:
    assert certain(text) == []


def test_a_quantity_is_a_term_as_a_whole() -> None:
    assert Identifier("1,577", certain=False) in list(identifiers_in("a loss of 1,577"))


def test_words_of_letters_and_digits_are_cut() -> None:
    assert list(parts_of("FY2018, 3M, 2024Q2 and RX-80b")) == ["fy", "2018", "2024", "80"]
