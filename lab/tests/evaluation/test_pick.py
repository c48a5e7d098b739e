"""The sample of a set keeps its share of questions without an answer."""

from __future__ import annotations

from hopyard.measures.questions import Question, half_of
from lab.evaluation.pick import pick


def test_a_sample_keeps_the_share_of_questions_without_an_answer() -> None:
    rows = [
        {
            "id": f"report-{number}",
            "question": "How many\n piers?",
            "answers": ["Not answerable" if number % 5 == 0 else "3"],
            "document": "harbour.pdf",
            "type": "Int",
        }
        for number in range(100)
    ]
    half = [row for row in rows if half_of(str(row["id"])) == "second"]
    share = sum(row["answers"] == ["Not answerable"] for row in half) / len(half)
    picked = pick(rows, 20)
    assert picked == pick(rows, 20)
    assert {half_of(row["id"]) for row in picked} == {"second"}
    assert sum(row["answers"] == [] for row in picked) == round(20 * share)
    asked = Question.model_validate(picked[0])
    assert (asked.where, asked.question) == (("source=harbour.pdf",), "How many piers?")
    assert pick(rows, 0, "Str") == []
