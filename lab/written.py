"""Questions that were written for Hopyard over passages of the question sets.

The sets hold 140 training questions over two passages, too few to learn reading from.
`written_questions.jsonl` adds several thousand: a large language model wrote them for this project
from the passages that training may read, with the split of those over two passages and the
answers in as few words as possible. Passages are named by id; their text stays in the sets.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopyard.prompts.answer import ANSWER, UNKNOWN, Answer
from hopyard.prompts.strategies.cor import NEXT_QUESTION, NOTHING_FOUND, NextQuestion
from lab.examples import TrainingExample, example
from lab.retrieval import Shelf, gold_or_near
from lab.sources import Guard, Passage
from lab.steps import Half, Halves

__all__ = ("ALONE", "Context", "Written", "next_questions", "read_contexts", "reading_together")

QUESTIONS: Final = Path(__file__).with_name("written_questions.jsonl")
ALONE: Final = 0.25
"""Share of the contexts that are read without other passages beside them."""
_WITHOUT: Final = 0.05
"""Share of the contexts in which one passage is missing."""


@dataclass(frozen=True)
class Written:
    """One written question.

    Attributes:
        kind: bridge, compare, yesno, single or unknown.
        question: The question.
        answer: In as few words as possible, of a passage's own; or yes, no, Unknown.
        needs: The passages that it takes.
        halves: Its split, of bridge, compare and yesno.
    """

    kind: str
    question: str
    answer: str
    needs: tuple[Passage, ...]
    halves: Halves | None


@dataclass(frozen=True)
class Context:
    """Passages that belong together, and the questions over them."""

    source: str
    passages: tuple[Passage, ...]
    questions: tuple[Written, ...]


def read_contexts(shelves: Mapping[str, Shelf], guard: Guard) -> list[Context]:
    """The written questions over passages that training may read.

    Contexts with a missing or held-out passage are left out, and so are held-out questions.
    """
    contexts = []
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        known = shelves[row["set"]].by_id if row["set"] in shelves else {}
        if all(passage_id in known for passage_id in row["passages"]):
            passages = tuple(known[passage_id] for passage_id in row["passages"])
            questions = tuple(
                _read_question(question, passages)
                for question in row["questions"]
                if _is_allowed(question, guard)
            )
            contexts.append(Context(row["set"], passages, questions))
    return contexts


def reading_together(
    context: Context, shelf: Shelf, rng: random.Random
) -> Iterator[TrainingExample]:
    """All questions of a context over the same passages, in the same order.

    They share their prompt up to the question, so `packing` computes it once. The answer is Unknown
    if the shown passages do not contain it.
    """
    gold = list(context.passages)
    away = [gold.pop(rng.randrange(len(gold)))] if rng.random() < _WITHOUT else []
    asked = rng.sample(context.questions, len(context.questions))
    passages = gold_or_near(
        asked[0].question, gold, shelf, rng, without=[passage.id for passage in away], alone=ALONE
    )
    for written in asked:
        answer = written.answer
        if answer not in {"yes", "no", UNKNOWN} and answer.lower() not in passages.lower():
            answer = UNKNOWN
        if any(passage in away for passage in written.needs):
            answer = UNKNOWN
        values = {"passages": passages, "question": written.question}
        yield example(ANSWER, values, Answer(answer=answer), "written")


def next_questions(written: Written, rng: random.Random) -> Iterator[TrainingExample]:
    """A step of a chain: the next question, given the findings so far."""
    steps = [written.halves.first, written.halves.filled] if written.halves else []
    done = rng.randint(0, len(steps))
    findings = "\n".join(f"{step.question} {step.answer}" for step in steps[:done])
    values = {"question": written.question, "findings": findings or NOTHING_FOUND}
    output = NextQuestion(kind="enough")
    if done < len(steps):
        output = NextQuestion(kind="ask", question=steps[done].question)
    yield example(NEXT_QUESTION, values, output, "written")


def _is_allowed(row: Mapping[str, Any], guard: Guard) -> bool:
    halves = [row[name][0] for name in ("first", "second") if name in row]
    asked = [row["question"], *halves, row.get("filled", "")]
    return all(guard.allows_question(text) for text in asked)


def _read_question(row: Mapping[str, Any], passages: Sequence[Passage]) -> Written:
    needs = tuple(passages[number - 1] for number in row.get("needs", ()))
    halves = None
    if "first" in row:
        (first, first_answer), (second, second_answer) = row["first"], row["second"]
        filled = row.get("filled", second)
        begun = _holding(first_answer, needs)
        rest = [passage for passage in needs if passage is not begun] or needs
        halves = Halves(
            question=row["question"],
            answer=row["answer"],
            first=Half(first, first_answer, begun),
            second=second,
            filled=Half(filled, second_answer, _holding(second_answer, rest)),
            is_bridge=row["kind"] == "bridge",
            origin="written",
        )
    return Written(row["kind"], row["question"], row["answer"], needs, halves)


def _holding(answer: str, passages: Sequence[Passage]) -> Passage | None:
    return next((passage for passage in passages if answer.lower() in passage.text.lower()), None)
