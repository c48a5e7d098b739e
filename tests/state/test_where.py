"""The conditions of a filter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.state.errors import UsageError
from hopyard.state.metadata import MetadataValue
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import read_context
from hopyard.state.where import Condition, parse_condition


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("source=Wired", Condition("source", "=", ("Wired",))),
        (" source == The Verge, Wired ", Condition("source", "=", ("The Verge", "Wired"))),
        ('author!="Ash, Ann",Ben', Condition("author", "!=", ("Ash, Ann", "Ben"))),
        ("date >= 2024-01", Condition("date", ">=", ("2024-01",))),
        ("page<7", Condition("page", "<", ("7",))),
    ],
)
def test_conditions_are_read(text: str, condition: Condition) -> None:
    assert parse_condition(text) == condition


@pytest.mark.parametrize(
    "text", ["", "source", "=Wired", "source=", "source=,", "source in (A, B)", "author<Smith"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"condition|value|compares text"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("date=>2024", "write 'date>=2024'"),
        ("date =< 2024-01", "write 'date<=2024-01'"),
        ("author=!Ann", "write 'author!=Ann'"),
        ("author<>Ann,Ben", "write 'author!=Ann,Ben'"),
        ("page===3", "the operators are =, !=, <, <=, > and >="),
        ("page>=>3", "the operators are =, !=, <, <=, > and >="),
    ],
)
def test_a_mistyped_operator_is_refused_with_the_right_one(text: str, cure: str) -> None:
    with pytest.raises(ValueError, match=f"unknown operator .*{cure}, or quote"):
        parse_condition(text)


def test_a_value_that_begins_with_an_operator_is_quoted() -> None:
    assert parse_condition('title=">= 5 volts"') == Condition("title", "=", (">= 5 volts",))
    [text] = Context(where={"title": "=> next"}).where
    assert parse_condition(text) == Condition("title", "=", ("=> next",))


MOMENT = "2023-09-26T17:01:22+00:00"


@pytest.mark.parametrize(
    ("value", "text", "holds"),
    [
        ("The Verge", "f=the verge", True),
        ("The Verge", "f=Wired,The Verge", True),
        ("The Verge", "f!=Wired,The Verge", False),
        ("The Verge", "f=Verge", False),
        ("The Verge", "f=*verge", True),
        ("The Verge", "f=t*e v*", True),
        ("The Verge", "f=v*", False),
        ("a.[x]", "f=a?[x]*", False),
        ("The Verge", "f>5", False),
        (7, "f=7.0", True),
        (7, "f=seven", False),
        (7, "f>6", True),
        (7, "f>=7", True),
        (7, "f>7", False),
        (7, "f<10", True),
        ("7", "f<10", True),
        (True, "f=true", True),
        (True, "f=1", False),
        (True, "f>=1", False),
        (MOMENT, "f=2023-09-26", True),
        (MOMENT, "f=2023-09", True),
        (MOMENT, "f=2023", True),
        (MOMENT, "f=2023-10", False),
        (MOMENT, "f!=2023-10", True),
        (MOMENT, "f>=2023-09", True),
        (MOMENT, "f>2023-09", False),
        (MOMENT, "f>2023-08", True),
        (MOMENT, "f<=2023-09", True),
        (MOMENT, "f<2023-09", False),
        (MOMENT, "f<2023-09-27", True),
        (MOMENT, "f<=2023-09-26T17:01:22", True),
        (MOMENT, "f<2023-09-26T20:01:22+04:00", False),
        ("2023-12", "f<=2023", True),
        ("2024-01-01", "f<=2023", False),
        ("2024", "f>=2023-12-31", True),
        (2024, "f>2023", True),
        (2024, "f>=2024-01", False),
        ("9999-12-31", "f>=2024", False),
    ],
)
def test_what_a_condition_lets_through(value: MetadataValue, text: str, holds: bool) -> None:
    assert parse_condition(text).holds([value]) is holds


def test_of_several_values_one_is_enough_and_none_is_unlike_any() -> None:
    assert parse_condition("page=4").holds([3, 4])
    assert parse_condition("page>3").holds([3, 4])
    assert not parse_condition("page!=4").holds([3, 4])
    assert parse_condition("page!=4").holds([])
    assert not parse_condition("page=4").holds([])
    assert not parse_condition("page<4").holds([])


@given(st.text(), st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), st.text(min_size=1))
def test_a_condition_holds_or_does_not(value: str, sign: str, given_: str) -> None:
    try:
        condition = parse_condition(f"field{sign}{given_}")
    except ValueError:
        return
    assert condition.holds([value]) in {True, False}


@pytest.mark.parametrize(
    "where",
    [
        ["source=Wired,The Verge", "date>=2024"],
        {"source": ["Wired", "The Verge"], "date>=": "2024"},
        {"source": ("Wired", "The Verge"), "date>=": 2024},
    ],
)
def test_python_takes_a_list_or_a_mapping(where: object) -> None:
    context = Context.model_validate({"where": where})
    assert context.where == ("source=Wired,The Verge", "date>=2024")


def test_values_with_commas_and_quotes_survive_a_mapping() -> None:
    [text] = Context.model_validate({"where": {"title": ['Say "no", now', "Now"]}}).where
    assert parse_condition(text).values == ('Say "no", now', "Now")


@pytest.mark.parametrize("where", [{"date>": []}, {"date>=": ["2024", "2025"]}, {"source": []}])
def test_a_mapping_without_one_usable_value_is_an_error(where: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match=r"is not a condition|compares text"):
        Context.model_validate({"where": where})


def test_a_wrong_condition_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UsageError, match=r"'where' is not usable: 'source' is not a condition; write"
    ):
        read_context({"where": ["source"]})
    monkeypatch.setenv("HOPYARD_WHERE", "source=Wired, BBC")
    assert read_context({}).where == ("source=Wired, BBC",)
