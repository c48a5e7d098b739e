"""Dates as people write them."""

from __future__ import annotations

import pytest

from hopyard.state.text.dates import iso_date
from hopyard.state.where import parse_condition


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05", "2024/03/05", "2024/3/5", "2024.03.05", "2024年3月5日", "05.03.2024",
        "5. 3. 2024", "March 5, 2024", "Mar. 5 2024", "5 March 2024", "5th of March 2024",
        "5. März 2024", "5 mars 2024", "5 de marzo de 2024", "Tuesday, 5 March 2024",
        "Tuesday, March 5, 2024", "Tue, 05 Mar 2024 10:00:00 GMT",
    ],
)  # fmt: skip
def test_the_usual_forms(text: str) -> None:
    assert iso_date(text) == "2024-03-05"
    assert parse_condition("date=2024-03").holds([text])
    assert not parse_condition("date>2024").holds([text])


@pytest.mark.parametrize("text", ["03/05/2024", "soon", "", "31.02.2024", "5 Brumaire 2024", "12"])
def test_what_is_no_date_or_may_be_two(text: str) -> None:
    assert iso_date(text) is None


def test_slashes_with_only_one_reading() -> None:
    assert iso_date("25/03/2024") == iso_date("03/25/2024") == "2024-03-25"
    assert iso_date("05/05/2024") == "2024-05-05"


def test_a_moment_belongs_to_the_day_that_its_own_clock_shows() -> None:
    night = "2024-03-05T00:30:00+01:00"
    assert parse_condition("date=2024-03-05").holds([night])
    assert not parse_condition("date=2024-03-04").holds([night])
