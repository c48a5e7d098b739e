"""Retrieval measures: by hand, and against counting with sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.measures.retrieval import retrieval_measures, unique

IDS = st.lists(st.sampled_from([f"d{number}" for number in range(12)]), max_size=10)
GOLD = st.sets(st.sampled_from([f"d{number}" for number in range(12)]), min_size=1, max_size=4)


def test_by_hand() -> None:
    # three found, two of them gold, of four gold ones
    found = {"q": ["a", "x", "b"]}
    values = retrieval_measures(found, {"q": ["a", "b", "c", "d"]}, ks=(1, 5))["q"]
    assert values["precision"] == pytest.approx(2 / 3)
    assert values["recall"] == pytest.approx(1 / 2)
    assert values["f1"] == pytest.approx(4 / 7)
    assert values["recall_at_1"] == pytest.approx(1 / 4)
    assert values["recall_at_5"] == pytest.approx(1 / 2)


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(IDS, GOLD), min_size=1))
def test_against_sets(questions: dict[str, tuple[list[str], set[str]]]) -> None:
    found = {name: ids for name, (ids, _) in questions.items()}
    gold = {name: sorted(wanted) for name, (_, wanted) in questions.items()}
    values = retrieval_measures(found, gold, ks=(1, 3, 5))
    assert values.keys() == questions.keys()
    for name, (ids, wanted) in questions.items():
        hits = len(set(ids) & wanted)
        precision = hits / len(set(ids)) if ids else 0.0
        recall = hits / len(wanted)
        assert values[name]["precision"] == pytest.approx(precision)
        assert values[name]["recall"] == pytest.approx(recall)
        expected = 2 * precision * recall / (precision + recall) if hits else 0.0
        assert values[name]["f1"] == pytest.approx(expected)
        for k in (1, 3, 5):
            first = set(unique(ids)[:k])
            assert values[name][f"recall_at_{k}"] == pytest.approx(
                len(first & wanted) / len(wanted)
            )


def test_a_question_without_gold_is_left_out() -> None:
    assert retrieval_measures({"q": ["a"], "r": ["a"]}, {"q": [], "r": ["a"]}).keys() == {"r"}
    assert retrieval_measures({}, {}) == {}


def test_a_question_for_which_nothing_was_found_counts_as_nothing() -> None:
    assert retrieval_measures({}, {"q": ["a"]})["q"] == {
        "precision": 0, "recall": 0, "f1": 0, "recall_at_5": 0,
    }  # fmt: skip


def test_a_document_counts_at_its_first_passage() -> None:
    assert unique(["a", "b", "a", "c", "b"]) == ["a", "b", "c"]
