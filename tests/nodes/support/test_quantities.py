"""Numbers, units and dates in a text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.nodes.support.number_words import find_number_words, ordinal
from hopyard.nodes.support.quantities import Date, find_quantities, unit_of


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
        ("two million euros", 2_000_000, "EUR"),
        ("18万元", 180_000, "CNY"),
        ("85 square metres", 85, "m²"),
        ("90도", 90, "°"),
        ("six weeks", 6 * 7 * 86400, "s"),
        ("38 Cent", Fraction(38, 100), "EUR"),
        ("12.5 %", Fraction(25, 2), "%"),
        ("um 9.30 Uhr", 9 * 3600 + 30 * 60, "clock"),
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
        ("3.840 kg", "3,84 kg", True),  # a point may separate thousands or decimals
        ("2 hours", "120 minutes", True),
        ("58", "58 kg", True),
        ("58 kg", "58 tonnes", False),
        ("34,500 euros", "34,500 dollars", False),
        ("3.6 million", "3.6 billion", False),
        ("3", "3.0 million", False),
        ("thirty-three", "33", True),
        ("dreiunddreißig", "33", True),
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
    assert Date(0, 4, 21).moved(-12) == Date(0, 4, 9)
    assert Date(0, 4, 0).moved(1) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("two hundred and five", [205]),
        ("one thousand two hundred", [1200]),
        ("twenty-one and three", [21, 3]),
        ("one of them", []),
        ("eine von ihnen", []),
        ("zweihundertfünfzig", [250]),
        ("dreitausendzwölf", [3012]),
        ("einundzwanzig", [21]),
        ("dreiunddreissig", [33]),
        ("hundertzwei", [102]),
    ],
)
def test_numbers_in_words(text: str, values: list[int]) -> None:
    assert [value for value, _, _ in find_number_words(text)] == values


@pytest.mark.parametrize(("word", "value"), [("fourth", 4), ("fünfzehnte", 15), ("tower", None)])
def test_ordinals(word: str, value: int | None) -> None:
    assert ordinal(word) == value


def test_the_unit_of_a_column() -> None:
    unit, scale = unit_of("Cost (million EUR)")
    assert unit is not None
    assert (unit.base, scale) == ("EUR", 1_000_000)
    assert unit_of("Name") == (None, 1)


@given(st.text(max_size=60))
def test_any_text_has_quantities(text: str) -> None:
    numbers, _ = find_quantities(text)
    assert all(number.value and number.step > 0 for number in numbers)
