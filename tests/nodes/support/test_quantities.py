"""Numbers, units and dates in a text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.nodes.support.quantities import Date, find_quantities, in_column, with_digits


@pytest.mark.parametrize(
    ("text", "amount", "base"),
    [
        ("41,250 containers", 41250, ""),
        ("3,84 Tonnen", 3_840_000, "g"),
        ("3.840 Kilogramm", 3_840_000, "g"),
        ("1.84 metres", Fraction(46, 25), "m"),
        ("184 cm", Fraction(46, 25), "m"),
        ("287 Tausend Euro", 287_000, "EUR"),
        ("€3.6 million", 3_600_000, "EUR"),
        ("$5m", 5_000_000, "USD"),
        ("18万元", 180_000, "CNY"),
        ("85 m²", 85, "m²"),
        ("90도", 90, "°"),
        ("6 weeks", 6 * 7 * 86400, "s"),
        ("38 Cent", Fraction(38, 100), "EUR"),
        ("12.5 %", Fraction(25, 2), "%"),
        ("36 km/h", 10, "m/s"),
    ],
)
def test_a_number_with_its_unit(text: str, amount: Fraction, base: str) -> None:
    [number] = find_quantities(text)[0]
    assert (number.amount, number.base) == (amount, base)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3.84 t", "3,840 kilograms", True),
        ("2 hours", "120 minutes", True),
        ("58", "58 kg", True),
        ("58 kg", "58 tonnes", False),
        ("34,500 euros", "34,500 dollars", False),
        ("3.6 million", "3.6 billion", False),
        ("3", "3.0 million", False),
    ],
)
def test_the_same_number(one: str, other: str, same: bool) -> None:
    [first], [second] = find_quantities(one)[0], find_quantities(other)[0]
    assert first.equals(second) is same
    assert second.equals(first) is same


def test_both_ends_of_a_range_have_its_unit() -> None:
    first, last = find_quantities("from 2.4 to 3.0 million euros")[0]
    assert (first.amount, first.base) == (2_400_000, "EUR")
    assert last.amount == 3_000_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 14 January 2005", (2005, 1, 14)),
        ("March 13, 1781", (1781, 3, 13)),
        ("2026-12-15", (2026, 12, 15)),
        ("am 3. Juni", (0, 6, 3)),
        ("03.06.2025", (2025, 6, 3)),
        ("in May", (0, 5, 0)),
        ("自6月1日起", (0, 6, 1)),
        ("2024년 10월 9일", (2024, 10, 9)),
        ("(25 March 1942August)", (1942, 3, 25)),
    ],
)
def test_a_date(text: str, found: tuple[int, int, int]) -> None:
    date = find_quantities(text)[1][0]
    assert (date.year, date.month, date.day) == found


def test_what_is_no_date_and_no_number() -> None:
    assert find_quantities("It may rain on STS-2 and C-2024-011.") == ((), ())
    assert find_quantities("2026-13-40")[1] == ()


def test_dates_that_agree() -> None:
    day = Date(2024, 5, 3)
    assert day.agrees(Date(0, 5, 3))
    assert day.agrees(Date(2024, 5, 0))
    assert not day.agrees(Date(2023, 5, 3))
    assert not day.agrees(Date(2024, 6, 3))


@pytest.mark.parametrize(
    ("text", "language", "written"),
    [
        ("two hundred and five", "en", "205"),
        ("one thousand two hundred", "en", "1200"),
        ("twenty-one and three", "en", "21 and 3"),
        ("two million euros", "en", "2000000 euros"),
        ("one of them; the fourth", "en", "one of them; the 4th"),
        ("3.2 million, 12 thousand", "en", "3.2 million, 12 thousand"),
        ("zweihundertfünfzig", "de", "250"),
        ("dreiunddreissig und dreiunddreißig", "de", "33 und 33"),
        ("Umsatz in Tausend Euro", "de", "Umsatz in Tausend Euro"),
        ("quatre-vingt-dix ans", "fr", "90 ans"),
        ("\ud800 three", "en", "? 3"),
    ],
)
def test_number_words_become_digits(text: str, language: str, written: str) -> None:
    assert with_digits(text, language) == written


@pytest.mark.parametrize(
    ("header", "lead", "amount", "base"),
    [
        ("Cost (million EUR)", "", 3_500_000, "EUR"),
        ("2024", "Revenue in thousand euros", 3500, ""),
        ("Depth (km)", "", 3500, "m"),
        ("Name", "", Fraction(7, 2), ""),
    ],
)
def test_a_number_has_the_unit_of_its_column(
    header: str, lead: str, amount: Fraction, base: str
) -> None:
    [number] = find_quantities("3.5")[0]
    found = in_column(number, header, lead)
    assert (found.amount, found.base) == (amount, base)
    assert found.equals(number)


@given(st.text(max_size=60))
def test_any_text_has_quantities(text: str) -> None:
    numbers, _ = find_quantities(text)
    assert all(number.value >= 0 and number.step > 0 for number in numbers)
