"""From records to a strategy's numbers, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.evaluation.records import PromptCalls, RecordCost
from hopyard.evaluation.summary import (
    compare,
    needless_retrieval_rate,
    summarize,
    trivial_baselines,
)

from .conftest import question, record


def wrong(question: str, strategy: str = "single", **values: Any) -> Any:
    return record(
        question, strategy, **({"em": 0.0, "f1": 0.5, "accuracy": 0.0, "answer": "1780"} | values)
    )


def test_means_and_counts() -> None:
    records = [
        record("q1"),
        wrong("q2", truncated=True, failures=("it failed",)),
        wrong("q3", unanswered=True, retrieval=None, retrieved=False, answer="Unknown", f1=0.0),
    ]
    found = summarize(records)["single"]
    assert found.n == 3
    assert found.em == pytest.approx(1 / 3)
    assert found.f1 == pytest.approx(0.5)
    assert found.intervals["em"].mean == pytest.approx(1 / 3, abs=1e-6)
    assert found.intervals["tokens"].mean == 100
    assert (found.truncated, found.unanswered, found.failures) == (1, 1, 1)
    assert found.retrieval_n == 2
    assert found.retrieval is not None
    assert found.retrieval["precision"] == 0.5
    assert found.retrieval_rate == pytest.approx(2 / 3)
    assert found.usage["input_tokens"] == 90


def test_scores_that_are_all_the_same_have_an_exact_interval() -> None:
    found = summarize([record("q1"), record("q2")])["single"]
    assert found.intervals["em"] == pytest.approx((1, 0.025**0.5, 1), abs=1e-6)
    assert found.intervals["tokens"] == (100, 100, 100)


def test_the_same_answer_to_every_question_is_a_baseline_where_some_are_yes_or_no() -> None:
    asked = [question(id=str(n), answers=[gold]) for n, gold in enumerate(("Yes", "no", "1781"))]
    found = trivial_baselines(asked)
    assert found.keys() == {"yes", "no"}
    assert found["yes"]["em"].mean == found["no"]["judged"].mean == pytest.approx(1 / 3, abs=1e-6)
    assert trivial_baselines(asked[2:]) == {}


def test_a_questions_last_record_counts() -> None:
    assert summarize([wrong("q1"), record("q1")])["single"].em == 1


def test_parse_rates_count_every_output() -> None:
    calls = PromptCalls(calls=4, cached=1, parsed=2, repaired=1, failed=1)
    records = [record("q1", calls={"split/1": calls}), record("q2", calls={"split/1": calls})]
    found = summarize(records)["single"]
    assert found.parse_rates == {"split/1": 0.75}
    assert found.prompts["split/1"] == PromptCalls(
        calls=8, cached=2, parsed=4, repaired=2, failed=2
    )


def test_routes_are_counted() -> None:
    chosen = [record(f"q{number}", "auto", route={"strategy": strategy}) for number, strategy in
              enumerate(("single", "tree", "single"))]  # fmt: skip
    assert summarize(chosen)["auto"].routes == {"single": 2, "tree": 1}
    assert summarize([record()])["single"].routes == {}


def test_retrieval_is_needless_where_the_model_knows_the_answer() -> None:
    direct = {
        "q1": record("q1", "direct", retrieved=False),
        "q2": record("q2", "direct", retrieved=False),
        "q3": wrong("q3", "direct", retrieved=False),
        # It says that there is no answer, and there is none: nothing was known.
        "q4": record("q4", "direct", retrieved=False, unanswered=True, answer="Unknown"),
    }
    asked = [record("q1"), record("q2", retrieved=False), record("q3"), record("q4")]
    assert needless_retrieval_rate(asked, direct) == 0.5
    assert needless_retrieval_rate(asked, {}) is None
    both = summarize([*direct.values(), *asked])
    assert both["single"].needless_retrieval_rate == 0.5
    assert both["direct"].needless_retrieval_rate == 0.0


def test_a_comparison_pairs_the_questions_that_both_answered() -> None:
    cost = RecordCost(input_tokens=300, output_tokens=0)
    records = [
        record("q1"),
        wrong("q2"),
        record("q9"),
        wrong("q1", "tree", cost=cost),
        record("q2", "tree", cost=cost),
        record("q3", "tree", cost=cost),
    ]
    found = compare(records, "single")
    assert found.keys() == {"tree"}
    tree = found["tree"]
    assert (tree.baseline, tree.n) == ("single", 2)
    assert tree.differences["em"].mean == 0.0
    assert (tree.differences["em"].low, tree.differences["em"].high) == (-1.0, 1.0)
    assert tree.differences["tokens"] == (200, 200, 200)
    assert compare(records, "nobody") == {}
