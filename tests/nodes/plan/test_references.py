"""References to the answers of earlier sub-questions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.nodes.plan.references import reference_fault, references, resolve_references

WHOLE = "Who founded the company that makes the PlayStation?"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("Who founded #1?", [1]),
        ("Is #2 older than #1, or #2 than #3?", [2, 1, 3]),
        ("When did #1's founder die?", [1]),
        ("Which company makes it?", []),
        ("What does C#1 mean, and ##1, and #one?", []),
        ("Who founded #12?", [12]),
    ],
)
def test_what_a_sub_question_refers_to(part: str, expected: list[int]) -> None:
    assert references(part, WHOLE) == expected


def test_what_the_question_says_itself_is_no_reference() -> None:
    whole = "Who sang the #1 single of 1999, and where was the singer born?"
    assert references("Who sang the #1 single of 1999?", whole) == []
    assert references("Where was the singer of #2 born?", whole) == [2]


SINGLE = "Who sang the #1 single of 1990, and where was she born?"


@pytest.mark.parametrize(
    ("part", "expected", "filled"),
    [
        ("Who sang the #1 single of 1990?", [], "Who sang the #1 single of 1990?"),
        ("Which woman had the #1 single?", [], "Which woman had the #1 single?"),
        ("Where was #1 born?", [1], "Where was Ann born?"),
        ("Was the #1 single #1's first?", [1], "Was the #1 single Ann's first?"),
        ("Where was the singer of #2 born?", [2], "Where was the singer of Bob born?"),
    ],
)
def test_a_number_of_the_question_leaves_references_to_it(
    part: str, expected: list[int], filled: str
) -> None:
    assert references(part, SINGLE) == expected
    assert resolve_references(part, {1: "Ann", 2: "Bob"}, SINGLE) == filled
    assert reference_fault(["Who sang the #1 single of 1990?", "Where was #1 born?"], SINGLE) == ""


@pytest.mark.parametrize(
    ("part", "answers", "expected"),
    [
        ("Who founded #1?", {1: "Sony"}, "Who founded Sony?"),
        ("Is #1 older than #2?", {1: "A", 2: "B"}, "Is A older than B?"),
        ("Is #1 older than #2?", {2: "B"}, "Is #1 older than B?"),
        ("Is #1 older than #2?", {1: "#2", 2: "B"}, "Is #2 older than B?"),
        ("Who founded #12?", {1: "Sony"}, "Who founded #12?"),
        (r"Who founded #1?", {1: r"\g<0> \1"}, r"Who founded \g<0> \1?"),
    ],
)
def test_answers_are_filled_in(part: str, answers: dict[int, str], expected: str) -> None:
    assert resolve_references(part, answers, WHOLE) == expected


words = st.text(st.characters(exclude_characters="#", exclude_categories=["Cs"]), max_size=8)
pieces = st.lists(st.tuples(words, st.integers(1, 5)), max_size=6)


@given(pieces=pieces, end=words)
def test_each_reference_becomes_its_answer_and_nothing_else_changes(
    pieces: list[tuple[str, int]], end: str
) -> None:
    answers = {number: f"<{number}>" for number in range(1, 6)}
    part = "".join(f"{text} #{number} " for text, number in pieces) + end
    filled = "".join(f"{text} <{number}> " for text, number in pieces) + end
    assert resolve_references(part, answers, WHOLE) == filled
    assert references(part, "") == list(dict.fromkeys(number for _, number in pieces))


@given(part=st.text(max_size=40))
def test_without_answers_nothing_is_filled_in(part: str) -> None:
    assert resolve_references(part, {}, part) == part


@pytest.mark.parametrize(
    ("parts", "place"),
    [
        (["Who makes it?", "Who founded #1?", "When was #2 born?"], None),
        (["Who founded #1?", "Who makes it?"], 1),
        (["Who makes it?", "Who founded #2?"], 2),
        (["Who makes it?", "Who founded #3?", "Who else?"], 2),
        (["Who makes it?", "Who founded #0?"], 2),
    ],
)
def test_only_earlier_ones_can_be_referred_to(parts: list[str], place: int | None) -> None:
    fault = reference_fault(parts, WHOLE)
    assert bool(fault) == (place is not None)
    if place:
        assert re.search(rf"\b{place} refers to", fault)
