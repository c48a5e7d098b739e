"""The written questions: each fits its schema, and what is kept away is Unknown."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from hopyard.nodes.sub_questions import plain
from hopyard.prompts.answer import ANSWER, Answer
from hopyard.prompts.strategies.cor import NextQuestion
from lab.retrieval import Shelf
from lab.sources import Guard, Passage, Question, Source, read_source
from lab.steps import Half, Halves
from lab.written import (
    QUESTIONS,
    Context,
    Written,
    next_questions,
    read_contexts,
    reading_together,
)

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ROWS = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]

WROTE = Passage("p1", "Emma", "Emma is a novel by Jane Austen.")
LIVED = Passage("p2", "Jane Austen", "Jane Austen was born in Steventon.")
HALVES = Halves(
    question="Where was the author of Emma born?",
    answer="Steventon",
    first=Half("Who wrote Emma?", "Jane Austen", WROTE),
    second="Where was the person who wrote Emma born?",
    filled=Half("Where was Jane Austen born?", "Steventon", LIVED),
    is_bridge=True,
    origin="written",
)
BRIDGE = Written("bridge", HALVES.question, "Steventon", (WROTE, LIVED), HALVES)
SINGLE = Written("single", "Who wrote Emma?", "Jane Austen", (WROTE,), None)
UNSAID = Written("unknown", "When was Emma printed?", "Unknown", (), None)
CONTEXT = Context("set", (WROTE, LIVED), (BRIDGE, SINGLE, UNSAID))
SHELF = Shelf(Source("set", (), {passage.id: passage for passage in (WROTE, LIVED)}), Guard([]))


def test_the_file_is_of_one_form() -> None:
    kinds: Counter[str] = Counter()
    for row in ROWS:
        assert set(row) == {"set", "passages", "questions"}
        for question in row["questions"]:
            kinds[question["kind"]] += 1
            split = question["kind"] in {"bridge", "compare", "yesno"}
            assert split == ("first" in question) == ("second" in question)
            assert (question["kind"] == "bridge") == ("filled" in question)
            assert (question["kind"] == "unknown") == (question["answer"] == "Unknown")
            assert (question["kind"] == "yesno") <= (question["answer"] in {"yes", "no"})
            needs = question.get("needs", [])
            assert all(1 <= number <= len(row["passages"]) for number in needs)
            assert bool(needs) == (question["kind"] != "unknown")
            assert ANSWER.output.model_validate({"answer": question["answer"]})
    assert min(kinds.values()) > 200


def test_no_half_repeats_its_question() -> None:
    for row in ROWS:
        for question in row["questions"]:
            if "first" in question:
                halves = {plain(question["first"][0]), plain(question["second"][0])}
                assert len(halves) == 2
                assert plain(question["question"]) not in halves


def test_yes_and_no_come_out_even() -> None:
    answers = Counter(question["answer"] for row in ROWS for question in row["questions"])
    assert 0.85 < answers["yes"] / answers["no"] < 1.18


def test_every_written_question_reads_passages_that_training_may_read() -> None:
    if not DATA.is_dir():
        pytest.skip("the question sets are not here")
    names = ("hotpotqa", "musique", "multihoprag", "squad2", "nq_open", "2wikimultihopqa")
    sources = {name: read_source(DATA / name) for name in names}
    # 2WikiMultiHopQA had no questions when these were written; now some contexts are held out.
    guard = Guard(sources[name] for name in names if name != "2wikimultihopqa")
    shelves = {name: Shelf(sources[name], guard) for name in {row["set"] for row in ROWS}}
    contexts = read_contexts(shelves, guard)
    assert len(contexts) == len(ROWS)
    assert sum(len(context.questions) for context in contexts) == sum(
        len(r["questions"]) for r in ROWS
    )
    for context in contexts:
        for question in context.questions:
            text = " ".join(f"{p.title} {p.text}" for p in question.needs)
            if question.kind in {"bridge", "single"}:
                said = " ".join(text.split()).lower()
                assert question.answer in {"yes", "no"} or question.answer.lower() in said, question


def test_a_held_out_question_and_a_missing_passage_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = {"kind": "single", "question": "Who wrote Emma?", "answer": "Austen", "needs": [1]}
    other = {**single, "question": "Which novel did Austen write?"}
    rows = [
        {"set": "set", "passages": ["p1"], "questions": [single, other]},
        {"set": "set", "passages": ["gone"], "questions": [other]},
        {"set": "elsewhere", "passages": ["p1"], "questions": [other]},
    ]
    file = tmp_path / "written.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.setattr("lab.written.QUESTIONS", file)
    held_out = Question("q", "who wrote Emma", ("x",), (), "single", "dev")
    guard = Guard([Source("set", (held_out,), {})])
    (context,) = read_contexts({"set": SHELF}, guard)
    assert [question.question for question in context.questions] == [
        "Which novel did Austen write?"
    ]


def test_what_is_kept_away_is_unknown_and_the_rest_is_answered() -> None:
    seen: Counter[tuple[str, str, bool]] = Counter()
    for seed in range(120):
        examples = list(reading_together(CONTEXT, SHELF, random.Random(seed)))
        assert len({example.values["passages"] for example in examples}) == 1
        for example in examples:
            whole = (
                WROTE.text in example.values["passages"]
                and LIVED.text in example.values["passages"]
            )
            answer = Answer.model_validate_json(example.output).answer
            seen[example.values["question"], answer, whole] += 1
    answers = {(question, whole): answer for question, answer, whole in seen}
    assert answers[BRIDGE.question, True] == "Steventon"
    assert answers[BRIDGE.question, False] == "Unknown"
    assert answers[UNSAID.question, True] == answers[UNSAID.question, False] == "Unknown"
    assert seen[SINGLE.question, "Jane Austen", False]
    assert seen[SINGLE.question, "Unknown", False]
    assert not seen[SINGLE.question, "Unknown", True]


def test_a_chain_asks_what_is_missing_and_then_stops() -> None:
    asked = {}
    for seed in range(40):
        (made,) = next_questions(BRIDGE, random.Random(seed))
        asked[made.values["findings"]] = NextQuestion.model_validate_json(made.output)
    first, second = "Who wrote Emma? Jane Austen", "Where was Jane Austen born? Steventon"
    assert {key: (output.kind, output.question) for key, output in asked.items()} == {
        "none": ("ask", "Who wrote Emma?"),
        first: ("ask", "Where was Jane Austen born?"),
        f"{first}\n{second}": ("enough", ""),
    }
    (made,) = next_questions(SINGLE, random.Random(1))
    assert (made.values["findings"], NextQuestion.model_validate_json(made.output).kind) == (
        "none",
        "enough",
    )
