"""Dates as people write them."""

from __future__ import annotations

import pytest

from hopyard.state.text.dates import day_in_head, iso_date
from hopyard.state.where import parse_condition


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05", "2024/03/05", "2024/3/5", "2024.03.05", "2024年3月5日", "05.03.2024",
        "5. 3. 2024", "March 5, 2024", "Mar. 5 2024", "5 March 2024", "5th of March 2024",
        "5. März 2024", "5 mars 2024", "5 de marzo de 2024", "Tuesday, 5 March 2024",
        "Tuesday, March 5, 2024", "Tue, 05 Mar 2024 10:00:00 GMT", "5-Mar-2024", "2024-Mar-05",
        "05.03.24", "05.03.2024 14:00", "5 March 2024 at 10:30 am", "Mar 5, 2024 10:30 AM",
        "2024년 3월 5일", "2024. 3. 5.",
    ],
)  # fmt: skip
def test_the_usual_forms(text: str) -> None:
    assert iso_date(text) == "2024-03-05"
    assert parse_condition("date=2024-03").holds([text])
    assert not parse_condition("date>2024").holds([text])


@pytest.mark.parametrize(
    "text", ["03/05/2024", "soon", "", "31.02.2024", "5 Brumaire 2024", "12", "5/3/24", "Room 2024"]
)
def test_what_is_no_date_or_may_be_two(text: str) -> None:
    assert iso_date(text) is None


@pytest.mark.parametrize("text", ["March 2024", "März 2024", "marzo de 2024"])
def test_a_month(text: str) -> None:
    assert iso_date(text) == "2024-03"
    assert parse_condition("date<2024-04").holds([text])


def test_a_year_of_front_matter_is_a_number() -> None:
    assert parse_condition("date=2024").holds([2024])
    assert parse_condition("date>=2023-07").holds([2024])
    assert not parse_condition("date>=2024-07").holds([2024])
    assert not parse_condition("date<2024").holds([20240305])


def test_slashes_with_only_one_reading() -> None:
    assert iso_date("25/03/2024") == iso_date("03/25/2024") == "2024-03-25"
    assert iso_date("05/05/2024") == "2024-05-05"


def test_a_moment_belongs_to_the_day_that_its_own_clock_shows() -> None:
    night = "2024-03-05T00:30:00+01:00"
    assert parse_condition("date=2024-03-05").holds([night])
    assert not parse_condition("date=2024-03-04").holds([night])


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ("# Minutes\n\nDate: 9 March 2026\n\nPresent: Ada Ito", "2026-03-09"),
        ("# Protokoll\n\n**Datum:** 17. Februar 2026\n\nOrt: Ulm", "2026-02-17"),
        ("| Invoice | 15 |\n|---|---|\n| Date | 2026-02-19 |", "2026-02-19"),
        ("| Date | 17.02.2026 | Due date | 03.03.2026 |", "2026-02-17"),
        ("| Date | 17.02.2026 | 18.02.2026 |\n|---|---|---|\n| Ulm | 5 | 7 |", None),
        ("Stand: 1. März 2026. Verantwortlich: Ada Ito", "2026-03-01"),
        ("Date: 4 May 2026, 10:00", "2026-05-04"),
        ("Ulm, den 17. Februar 2026\n\nSehr geehrte Frau Ito", "2026-02-17"),
        ("Hull, Monday, March 9, 2026", "2026-03-09"),
        ("Datum: 17. Februar 2026 · zahlbar bis 3. März 2026", "2026-02-17"),
        ("9 March 2026\n\nRain.\n\n" + "Wind. " * 200 + "\n\n10 March 2026\n\nSun.", None),
        ("| Day |\n|---|\n| 9 March 2026 |\n| 10 March 2026 |", None),
        ("Hull, 9 March 2026\n\nDear Ada\n\nHull, 9 March 2026", "2026-03-09"),
        ("Date: 9 March 2026\n\n7 March 2026\n8 March 2026", "2026-03-09"),
        ("Ada Ito, born 17 August 2005", None),
        ("Date of birth: 17 August 2005", None),
        ("Due date: 4 May 2026", None),
        ("The lease of 3 October 2023 ends.", None),
        ("Date: 03/05/2024", None),
        ("text\n" * 200 + "Date: 9 March 2026", None),
    ],
)
def test_the_date_in_the_head_of_a_document(head: str, day: str | None) -> None:
    assert day_in_head(head) == day
