from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from model_server import ModelServer

from hopyard.classifiers.answer_f1 import AnswerF1
from hopyard.classifiers.contributions import CoalitionValues, OwnAnswer, Reading
from hopyard.classifiers.labelling import FoundPassages, Labelling, label_all
from hopyard.classifiers.labels import (
    LabelFile,
    check_classes,
    count_drops,
    merge_labels,
    read_labels,
)
from hopyard.measures.questions import Question
from hopyard.nodes.resources import shared_resources
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context

from .conftest import separable

READ = {
    "Who did it?": "Ann did it",
    "When?": "Unknown",
    "Where?": "in Rome",
    "Which?": "the red one",
    "Why?": None,
}
DIRECT = {"When?": "1781", "Where?": "in Oslo", "Why?": None}
GOLD = {"Who did it?": "Ann", "When?": "1781", "Where?": "Paris", "Which?": "red", "Why?": "so"}
VALUES = {
    "Who did it?": CoalitionValues(0.1, 0.5, 1.1, 2.0),
    "Which?": CoalitionValues(0.0, 0.9, 0.2, 1.0),
}


class ByHand:
    """A value function whose answers and values are written down."""

    name, identity = "token-probability", "by-hand"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def answer(self, readings: Sequence[Reading]) -> list[OwnAnswer | None]:
        self.asked += [reading.question for reading in readings]
        found = [READ[reading.question] for reading in readings]
        return [
            OwnAnswer(reading, text, (1,)) if text else None
            for reading, text in zip(readings, found, strict=True)
        ]

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        return [DIRECT[question] for question in questions]

    async def values(self, answered: Sequence[OwnAnswer]) -> list[CoalitionValues | None]:
        return [VALUES[own.reading.question] for own in answered]


async def find(question: str) -> FoundPassages:
    return FoundPassages(("p1", "p2"), "[1] A: a.\n[2] B: b.")


async def find_nothing(question: str) -> FoundPassages:
    return FoundPassages((), "")


QUESTIONS = [
    Question(id=f"q{number}", question=text, answers=(gold,))
    for number, (text, gold) in enumerate(GOLD.items())
]
NO_GOLD = Question(id="none", question="Who did it?", answers=("",))


def silent(stage: str, done: int, total: int) -> None:
    pass


async def test_labels_and_drops_with_all_their_numbers(tmp_path: Path) -> None:
    file = LabelFile(tmp_path / "labels.jsonl")
    await label_all([*QUESTIONS, NO_GOLD], Labelling(ByHand(), find, 5), file, silent)
    read = {label.id: label for label in read_labels(tmp_path / "labels.jsonl")}
    assert read["q0"].label == 1
    assert (read["q0"].phi_question, read["q0"].phi_passages) == (0.65, 1.25)
    assert read["q0"].values == (0.1, 0.5, 1.1, 2.0)
    assert read["q0"].passage_ids == ("p1", "p2")
    assert (read["q0"].model, read["q0"].value, read["q0"].k) == ("by-hand", "token-probability", 5)
    assert (read["q3"].label, read["q3"].rule) == (0, "contribution")  # v(q) above v(D)
    assert {label.id: label.dropped for label in read.values() if label.dropped} == {
        "q1": "unanswered",
        "q2": "wrong",
        "q4": "no usable output",
        "none": "no gold answer",
    }
    assert all(label.label is None for label in read.values() if label.dropped)
    assert count_drops(read.values()) == {
        "no gold answer": 1, "no usable output": 1, "unanswered": 1, "wrong": 1,
    }  # fmt: skip


async def test_the_second_rule_keeps_dropped_questions(tmp_path: Path) -> None:
    file = LabelFile(tmp_path / "labels.jsonl")
    labelling = Labelling(ByHand(), find, 5, keep_dropped=True)
    await label_all([*QUESTIONS, NO_GOLD], labelling, file, silent)
    kept = {
        label.id: (label.label, label.rule, label.direct_answer)
        for label in file.rows
        if label.dropped
    }
    assert kept == {
        "q1": (0, "outcome", "1781"),  # right without
        "q2": (None, "", "in Oslo"),  # wrong with and without: no decision helps
        "q4": (None, "", None),
        "none": (None, "", None),
    }


async def test_a_question_that_the_corpus_is_known_to_answer_needs_it(tmp_path: Path) -> None:
    known = [q.model_copy(update={"supporting_ids": ("d",)}) for q in QUESTIONS]
    for first, labels in ((True, {1}), (False, {0, 1, None})):
        file = LabelFile(tmp_path / f"{first}.jsonl")
        await label_all(known, Labelling(ByHand(), find, 5, documents_first=first), file, silent)
        assert {label.label for label in file.rows} == labels
        assert any(label.values for label in file.rows) is not first  # no call is spent


async def test_a_question_may_say_itself_whether_it_needs_documents(tmp_path: Path) -> None:
    asked = [
        Question(id="none", question="Who did it?", needs_documents=False, supporting_ids=("d",)),
        Question(id="unanswerable", question="Why?", needs_documents=True),
        Question(id="by the model", question="Which?", answers=("red",)),
    ]
    by_hand, file = ByHand(), LabelFile(tmp_path / "labels.jsonl")
    await label_all(asked, Labelling(by_hand, find, 5), file, silent)
    rules = [(row.rule, row.label) for row in file.rows]
    assert rules == [("given", 0), ("given", 1), ("contribution", 0)]
    assert by_hand.asked == ["Which?"]
    file, paper = LabelFile(tmp_path / "paper.jsonl"), Labelling(ByHand(), find, 5)
    await label_all(asked[:1], replace(paper, documents_first=False), file, silent)
    assert file.rows[0].rule != "given"


async def test_any_answer_to_an_open_request_is_right(tmp_path: Path) -> None:
    asked = [
        Question(id="a", question="When?", open=True),  # answered without passages only
        Question(id="b", question="Which?", open=True),  # answered with them, too
    ]
    file = LabelFile(tmp_path / "labels.jsonl")
    await label_all(asked, Labelling(ByHand(), find, 5, keep_dropped=True), file, silent)
    assert [(row.rule, row.label) for row in file.rows] == [("outcome", 0), ("contribution", 0)]


async def test_without_a_passage_nothing_is_read(tmp_path: Path) -> None:
    file, function = LabelFile(tmp_path / "labels.jsonl"), ByHand()
    await label_all(QUESTIONS[:2], Labelling(function, find_nothing, 5), file, silent)
    assert [label.dropped for label in file.rows] == ["no passage", "no passage"]
    assert function.asked == []


async def test_a_killed_labelling_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    file = LabelFile(path)
    await label_all(QUESTIONS[:3], Labelling(ByHand(), find, 5), file, silent)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # killed in the middle of the third line
    again, function = LabelFile(path), ByHand()
    assert [label.id for label in again.rows] == ["q0", "q1"]
    told: list[tuple[int, int]] = []
    await label_all(
        QUESTIONS[:3], Labelling(function, find, 5), again, lambda _, *p: told.append(p)
    )
    assert function.asked == ["Where?"]
    assert told == [(2, 3), (3, 3)]
    ids = [label.id for label in read_labels(path)]
    assert ids == ["q0", "q1", "q2"]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": 1}\n')
    with pytest.raises(UsageError, match=r"labels.jsonl:1 is not a label.*gate label"):
        read_labels(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_labels(tmp_path / "gone.jsonl")


@pytest.mark.parametrize(("kept", "missing"), [(0, "need retrieval"), (1, "need no retrieval")])
def test_an_empty_class_is_refused(kept: int, missing: str) -> None:
    rows = [row for row in separable() if row.label == kept]
    with pytest.raises(UsageError, match=f"There are 0 labelled questions that {missing}"):
        check_classes(rows, 5)
    check_classes(separable(), 5)


async def test_answer_f1_values_by_hand(model_server: ModelServer) -> None:
    """The own answer is `Ann Lee`; alone the question gives half of it, the passages all."""

    def answer(title: str, messages: list[dict[str, str]]) -> dict[str, str]:
        turn = messages[-1]["content"]
        question, passages = "Who?" in turn, "Ann" in turn
        if question:
            return {"answer": "Ann Lee" if passages else "Ann Moe"}
        return {"answer": "Ann Lee" if passages else "nobody"}

    model_server.answer = answer
    function = AnswerF1(shared_resources().caller("scripted"), Context(model="scripted"), "run")
    [answered] = await function.answer([Reading("Who?", "[1] A: Ann Lee.")])
    assert answered is not None
    assert answered.answer == "Ann Lee"
    assert await function.values([answered]) == [CoalitionValues(0.0, 0.5, 1.0, 1.0)]
    assert function.identity == "scripted"
    assert await function.answer_directly(["Who?"]) == ["Ann Moe"]
    assert len(model_server.calls) == 4  # the answer, the question directly, passages, nothing


async def test_answer_f1_without_output_values_nothing(
    model_server: ModelServer, one_attempt: None
) -> None:
    model_server.answer = lambda title, messages: "no JSON at all"
    function = AnswerF1(shared_resources().caller("scripted"), Context(model="scripted"), "run")
    assert await function.answer([Reading("Who?", "[1] A: a.")]) == [None]
    given = OwnAnswer(Reading("Who?", "[1] A: a."), "Ann")
    assert await function.values([given]) == [None]


def test_a_question_in_several_files_takes_its_first_label() -> None:
    first, other = separable()[0], separable()[1]
    unknown = first.model_copy(update={"label": None})
    assert merge_labels([unknown, other, first]) == [first, other]
    later = first.model_copy(update={"label": 1})
    assert merge_labels([first, later]) == [first]
    assert merge_labels([unknown]) == [unknown]
