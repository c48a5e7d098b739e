"""Questions with their gold answers, in the plain format of every converted data set.

One JSON object a line: `id`, `question`, `answers` (each one right by itself), `supporting_ids`
(documents that together hold the answer), and optionally `type`, `split` and gold sub-questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from hopyard.measures.answers import is_unanswered, score_answer
from hopyard.state.errors import UsageError

Half = Literal["first", "second"]
"""Half of a question set: choose settings on one, report on the other."""


class Question(BaseModel, frozen=True):
    """One question. Keys that are not named here are ignored."""

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answers: tuple[str, ...] = ()
    """An empty text, or an empty list, means that the question cannot be answered."""
    supporting_ids: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    """Conditions on the documents to search, as `--where` has them: the question is about these."""
    type: str = ""
    split: str = ""
    open: bool = False
    """Whether any sensible answer is right, as for "Say good night": it has no gold answer."""
    needs_documents: bool | None = None
    """Whether it needs documents, answered or not; None if nobody said. The gate learns from it."""
    steps: tuple[str, ...] = ()
    """Gold sub-questions, in the words of the data set."""
    decomposition: tuple[Any, ...] = ()
    """The same in MuSiQue's own form."""

    def score(self, answer: str) -> dict[str, float]:
        """Exact match, F1 and accuracy of an answer; to an open request any answer is right."""
        if self.open:
            return dict.fromkeys(("em", "f1", "accuracy"), float(not is_unanswered(answer)))
        return score_answer(answer, self.answers)


def half_of(question_id: str) -> Half:
    """The half of a question by a hash of its id, which never changes.

    A half has about as many questions as the other, and questions that are added or left out move
    no other question.
    """
    digest = hashlib.sha256(question_id.encode("utf-8", "surrogatepass")).digest()
    return "second" if digest[0] % 2 else "first"


def read_questions(
    path: Path, *, split: str = "", half: Half | None = None, limit: int = 0
) -> list[Question]:
    """Read questions, in the order of the file.

    Args:
        path: A `.jsonl` file.
        split: The split to read; "" for all.
        half: The half of the split to read (see `half_of`); None for both.
        limit: At most this many questions, counted within split and half; 0 for all.

    Raises:
        UsageError: The file does not exist, a line is not a question, an id occurs twice, or the
            split or half has no question.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The questions {str(path)!r} cannot be read: {error}.") from error
    questions: dict[str, Question] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question = _parse(line, f"{path}:{number}")
        if question.id in questions:
            raise UsageError(f"{path}:{number}: the id {question.id!r} occurs twice; change it.")
        questions[question.id] = question
    wanted = [
        question
        for question in questions.values()
        if split in {"", question.split} and half in {None, half_of(question.id)}
    ]
    if not wanted:
        which = f" of the split {split!r}" if split else ""
        which += f" in its {half} half" if half else ""
        raise UsageError(
            f"The file {str(path)!r} has no question{which}; check --split and --half."
        )
    return wanted[: limit or None]


def fingerprint(questions: Sequence[Question]) -> str:
    """A hash of the questions and their gold answers, sixteen hexadecimal digits."""
    digest = hashlib.sha256()
    for question in questions:
        row = question.model_dump_json(exclude={"needs_documents"})
        digest.update(row.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _parse(line: str, place: str) -> Question:
    try:
        return Question.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise UsageError(
            f"{place}: {where}: {first['msg']}; docs/evaluation.md shows the form of a line."
        ) from error
