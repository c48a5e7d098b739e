"""Years that a question sets as a limit."""

from __future__ import annotations

import pytest

from hopyard.indexes.text.year_limits import year_limits


@pytest.mark.parametrize(
    ("question", "text", "first", "last"),
    [
        ("Who led the yard before 2021?", "before 2021", 1900, 2020),
        ("What changed Prior to FY2021?", "Prior to FY2021", 1900, 2020),
        ("Which ships sank until 2021?", "until 2021", 1900, 2021),
        ("Which ships sank after December 2019?", "after December 2019", 2020, 2099),
        ("Which ships sank since fiscal 2019?", "since fiscal 2019", 2019, 2099),
        ("Sales between 2018 and 2021?", "between 2018 and 2021", 2018, 2021),
        ("Sales from FY2018 to FY2020?", "from FY2018 to FY2020", 2018, 2020),
    ],
)
def test_limits(question: str, text: str, first: int, last: int) -> None:
    [limit] = year_limits(question)
    assert (limit.text, limit.years[0], limit.years[-1]) == (text, first, last)


@pytest.mark.parametrize(
    "question",
    [
        "What was sold in 2021?",
        "What came before the 2021st ship?",
        "Sales between 2020 and 2021?",
        "Sales between 2021 and 2018?",
        "The year after the war",
    ],
)
def test_no_limit(question: str) -> None:
    assert not [*year_limits(question)]
