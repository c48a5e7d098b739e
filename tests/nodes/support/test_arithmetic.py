"""Numbers that follow from others, worked by hand."""

from __future__ import annotations

import pytest

from hopyard.nodes.support.arithmetic import announced, derive
from hopyard.nodes.support.quantities import find_quantities


@pytest.mark.parametrize(
    ("wanted", "known", "operation", "operands"),
    [
        ("126,000", "41,250, 44,980, 39,770", "sum", 3),
        ("126,001", "41,250, 44,980, 39,770", "sum", 0),
        ("95,500 euros", "61,000 euros, 34,500 euros", "sum", 2),
        ("95,500 dollars", "61,000 euros, 34,500 euros", "sum", 0),
        ("7 m/s", "21 m/s, 14 m/s", "difference", 2),
        ("52", "260, 195, 13", "difference", 3),
        ("4.5 tonnes", "12 tonnes, 7.5", "difference", 2),
        ("4 years", "64,000 euros, 16,000 euros", "ratio", 2),
        ("30,500 euros", "61,000 euros", "1/2", 1),
        ("30,501 euros", "61,000 euros", "1/2", 0),
        ("172", "180, 240, 95", "average", 3),
        ("65 %", "400, 260", "percent", 2),
        ("12.5 %", "3.2 million, 3.6 million", "percent", 2),
        ("13 %", "3.2 million, 3.6 million", "percent", 2),
        ("14 %", "3.2 million, 3.6 million", "percent", 0),
        ("435 euros", "145 euros, 3", "ratio", 2),
        ("33", "30, 3", "sum", 2),
        ("4043", "2019, 2024", "sum", 0),  # years are not added
        ("5", "2019, 2024", "difference", 2),
        ("1965", "1963, 2 years", "difference", 2),
        ("50.54 euros", "48.60 euros, 4 %", "sum", 2),
        ("3,122.67 euros", "3,186.40 euros, 2 %", "difference", 2),
        ("3,122.68 euros", "3,186.40 euros, 2 %", "difference", 0),
        ("60 euros", "50 litres, 20 %", "sum", 0),
        ("7", "", "sum", 0),
    ],
)
def test_a_number_follows(wanted: str, known: str, operation: str, operands: int) -> None:
    [number] = find_quantities(wanted)[0]
    numbers = [each for part in known.split(", ") for each in find_quantities(part)[0]]
    assert len(derive(number, numbers, frozenset({operation}))) == operands


def test_an_operation_is_tried_only_if_it_is_announced() -> None:
    [number] = find_quantities("7")[0]
    known = find_quantities("21 14")[0]
    assert derive(number, known, announced("The limit of the crane is 7")) == ()
    assert derive(number, known, announced("The limit is 7 higher than before"))


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("in total", "sum"),
        ("insgesamt", "sum"),
        ("合计", "sum"),
        ("is higher than", "difference"),
        ("is 125 EUR higher in 2027 than in 2025", "difference"),
        ("is 125 EUR higher in 2027", "difference"),
        ("stieg um", "difference"),
        ("per night", "ratio"),
        ("half of", "1/2"),
        ("doppelt so viel", "2"),
        ("12 %", "percent"),
        ("im Durchschnitt", "average"),
        ("three nights", "ratio"),
    ],
)
def test_words_that_announce(text: str, operation: str) -> None:
    assert operation in announced(text)
