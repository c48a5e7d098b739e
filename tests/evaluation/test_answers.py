"""EM, F1 and accuracy: by hand, and against SQuAD's own way of counting."""

from __future__ import annotations

import collections
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.measures.answers import (
    contains_answer,
    exact_match,
    is_unanswered,
    normalize_answer,
    score_answer,
    token_f1,
)
from hopyard.prompts.answer import UNKNOWN

# An implementation of its own, step by step as SQuAD 2.0's evaluation script describes it.


def squad_normalize(text: str) -> str:
    def remove_articles(text: str) -> str:
        return re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", text)

    def white_space_fix(text: str) -> str:
        return " ".join(text.split())

    def remove_punc(text: str) -> str:
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punc(text.lower())))


def squad_exact(gold: str, answer: str) -> int:
    return int(squad_normalize(gold) == squad_normalize(answer))


def squad_f1(gold: str, answer: str) -> float:
    gold_tokens, answer_tokens = squad_normalize(gold).split(), squad_normalize(answer).split()
    common = collections.Counter(gold_tokens) & collections.Counter(answer_tokens)
    same = sum(common.values())
    if len(gold_tokens) == 0 or len(answer_tokens) == 0:
        return int(gold_tokens == answer_tokens)
    if same == 0:
        return 0
    precision, recall = 1.0 * same / len(answer_tokens), 1.0 * same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall)


WORDS = st.lists(
    st.sampled_from(["a", "The", "an", "Eiffel", "tower", "U.S.", "co-op", "1,781", "é", "-", "¿"]),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_em_and_f1_are_squads(answer: str, gold: str) -> None:
    assert exact_match(answer, gold) == squad_exact(gold, answer)
    assert token_f1(answer, gold) == pytest.approx(squad_f1(gold, answer))


@given(st.text(max_size=20))
def test_text_is_normalised_as_squads(text: str) -> None:
    assert normalize_answer(text) == squad_normalize(text)


@pytest.mark.parametrize(
    ("answer", "gold", "em", "f1", "accuracy"),
    [
        ("The Eiffel Tower.", "eiffel tower", 1, 1, 1),
        ("Eiffel", "Eiffel Tower", 0, 2 / 3, 0),  # precision 1, recall 1/2
        ("the tower by Eiffel", "Eiffel Tower", 0, 0.8, 0),  # precision 2/3, recall 1
        ("in Paris, France", "Paris", 0, 0.5, 1),
        ("Unknown", "no", 0, 0, 0),  # "no" stands inside of "unknown", but is no word of it
        ("Barcelona", "Barcelon", 0, 0, 0),
        ("", "", 1, 1, 1),
        ("Unknown", "", 1, 1, 1),
        ("Paris", "", 0, 0, 0),
        ("unknown.", "Insufficient information.", 1, 1, 1),
        ("Unknown", "A", 0, 0, 0),  # normalised to nothing, and still an answer
        ("A", "the", 1, 1, 1),  # as SQuAD has it
    ],
)
def test_measures_by_hand(answer: str, gold: str, em: float, f1: float, accuracy: float) -> None:
    assert exact_match(answer, gold) == em
    assert token_f1(answer, gold) == pytest.approx(f1)
    assert contains_answer(answer, gold) == accuracy


@given(WORDS, WORDS)
def test_the_measures_agree_in_their_order(answer: str, gold: str) -> None:
    """What matches exactly contains; f1 is 1 for the same words in any order."""
    em, f1 = exact_match(answer, gold), token_f1(answer, gold)
    assert em <= contains_answer(answer, gold)
    assert em <= f1 <= 1
    assert f1 == pytest.approx(token_f1(gold, answer))


def test_the_gold_answer_that_fits_best_counts() -> None:
    assert score_answer("26 March 1973", ["in spring", "March 26, 1973"]) == {
        "em": 0, "f1": 1, "accuracy": 0,
    }  # fmt: skip
    assert score_answer("Unknown", [])["em"] == 1
    assert score_answer("Paris", [])["em"] == 0


def test_what_is_no_answer() -> None:
    assert is_unanswered(UNKNOWN)
    assert is_unanswered(" Unknown. ")
    assert is_unanswered("")
    assert not is_unanswered("the unknown soldier")
