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
        ("fe80::e and 2001:db8:6::f/64", ["fe80::e", "2001:db8:6::f64", "2001:db8:6::f"]),
        ("10.3.0.0/24, 10.0.0.1:8080", ["10.3.0.0/24", "10.3.0.0", "10.0.0.1:8080", "10.0.0.1"]),
        ("v1.2.3", ["v1.2.3", "1.2.3"]),
        ("Table1-2, Clause4.2.1", ["table1-2", "1-2", "clause4.2.1", "4.2.1"]),
        ("PX\u2011135 and PX\u2013136", ["px135", "px136"]),
        ("M100 × 30", ["m100x30"]),
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
        ("Annex IV-B, Schedule X.C", ["annex iv-b", "schedule x.c"]),
        ("Anlage 3b", ["anlage 3b"]),
        ("Anlage 3 b", ["anlage 3", "anlage 3b"]),
        ("grade A+, or Grade A-.", ["grade a+", "grade a-"]),
    ],
)
def test_labels(text: str, terms: list[str]) -> None:
    assert certain(text) == terms


@pytest.mark.parametrize(
    "text",
    [
        "5 March 2021",
        "March 5, 2021",
        "5. März 2021",
        "于2021年3月5日",
        "2021년 3월 5일",
        "25/3/2021",
    ],
)
def test_a_date_is_the_same_in_every_form(text: str) -> None:
    day = "2021-03-25" if text.startswith("25") else "2021-03-05"
    assert Identifier(day, certain=False) in list(identifiers_in(text))


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("+49 30 1234", "49301234"),
        ("+49 (30) 12-34", "49301234"),
        ("+49301234", "49301234"),
        ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
    ],
)
def test_numbers_in_groups_are_one_term(text: str, term: str) -> None:
    assert term in certain(text)


@pytest.mark.parametrize(
    "text",
    [
        "It grew by 3.5 % to 1,577.20 in 2018.",
        "FY2018 and Q2 of 2019",
        "When I was there, a well-known sub-group met.",
        "the 3 largest of all 20",
        "Maine 2019",
        "US$5 and so on.",
        "a room of 3 x 4 m",
    ],
)
def test_quantities_years_and_words_are_no_certain_identifiers(text: str) -> None:
    assert certain(text) == []


def test_a_quantity_is_a_term_as_a_whole() -> None:
    assert Identifier("2400000", certain=False) in list(identifiers_in("a loss of 2,400,000"))
    assert Identifier("1.5", certain=False) in list(identifiers_in("a loss of 1.5"))


def test_words_of_letters_and_digits_are_cut() -> None:
    assert list(parts_of("FY2018, 3M, 2024Q2 and RX-80b")) == ["fy", "2018", "2024", "80"]


@pytest.mark.parametrize("part", ["a1-", "a::b", "1:", "1", "1x"])
def test_a_very_long_code_is_read_in_time(part: str) -> None:
    assert list(identifiers_in(f"{part * 50_000} and +{part * 50_000}x"))
