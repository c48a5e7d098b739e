"""Labels in a file: one question a line, written as soon as it is there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.state.errors import UsageError

__all__ = ("Drop", "Label", "LabelFile", "Rule", "check_classes", "count_drops", "read_labels")

Rule = Literal["contribution", "outcome", ""]
"""Which rule gave the label: the paper's; the second one for dropped questions; none."""
Drop = Literal["no gold answer", "no passage", "no usable output", "unanswered", "wrong", ""]
"""Why a question is not of Q_c, the questions answered rightly from their passages."""


class Label(BaseModel):
    """A question with all numbers that its label comes from.

    Attributes:
        id: Of the question.
        question: As it was asked.
        answers: Gold answers.
        type: Of the question, as its data set or list has it.
        model: Which model was labelled.
        value: The value function.
        k: Passages asked for.
        passage_ids: Passages found.
        answer: The model's answer from question and passages.
        values: v of the coalitions none, question, passages, both; None where not computed.
        phi_question: φ_q.
        phi_passages: φ_D.
        dropped: Why it is not of Q_c; "" where it is.
        direct_answer: The answer without passages, where the second rule asked for it.
        rule: The rule that gave the label.
        label: 1 retrieve, 0 do not; None where the question is dropped.
        seconds: What it took, an equal share of its batch.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    question: str
    answers: tuple[str, ...]
    type: str = ""
    model: str
    value: str
    k: int
    passage_ids: tuple[str, ...] = ()
    answer: str = ""
    values: tuple[float, float, float, float] | None = None
    phi_question: float | None = None
    phi_passages: float | None = None
    dropped: Drop = ""
    direct_answer: str | None = None
    rule: Rule = ""
    label: Literal[0, 1] | None = None
    seconds: float = 0.0

    @property
    def decisive(self) -> bool:
        """Whether retrieving and not retrieving end differently.

        What is answered wrongly with passages and without is labelled "retrieve" by the second
        rule, but no decision makes its answer better or worse.
        """
        return self.label == 0 or (self.label == 1 and self.rule != "outcome")


class LabelFile:
    """A file of labels that a labelling goes on with.

    Args:
        path: The file. The line that a kill has cut in half is cut off.

    Raises:
        UsageError: A whole line of it is no label, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if path.exists():
            data = path.read_bytes()
            whole, newline, half = data.rpartition(b"\n")
            if half:
                os.truncate(path, len(whole) + len(newline))
        self.labels = read_labels(path) if path.exists() else []

    @property
    def done(self) -> set[str]:
        """Ids of the questions that are labelled or dropped."""
        return {one.id for one in self.labels}

    def append(self, labels: Iterable[Label]) -> None:
        """Write labels; they are on disk when this returns."""
        new = list(labels)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            for one in new:
                file.write(one.model_dump_json().encode("utf-8", "surrogatepass") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.labels += new


def read_labels(path: Path) -> list[Label]:
    """The labels of a file, without the line that a kill has cut in half.

    Raises:
        UsageError: The file is not there, or a line is no label.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise UsageError(
            f"The labels {str(path)!r} cannot be read ({error.strerror}); make them with "
            "`hopyard gate label`."
        ) from error
    labels = []
    for number, line in enumerate(lines, 1):
        try:
            labels.append(Label.model_validate_json(line))
        except ValidationError as error:
            raise UsageError(
                f"{path}:{number} is no label ({error.errors()[0]['msg']}); make the file anew "
                "with `hopyard gate label`."
            ) from error
    return labels


def count_drops(labels: Iterable[Label]) -> dict[str, int]:
    """How many questions are not of Q_c, by reason."""
    return dict(sorted(Counter(one.dropped for one in labels if one.dropped).items()))


def check_classes(labels: Sequence[Label], least: int) -> None:
    """Refuse labels that nothing can be learned from.

    Args:
        labels: Those with a label.
        least: Questions that each class must have.

    Raises:
        UsageError: A class is empty or too small.
    """
    counts: Counter[int | None] = Counter(one.label for one in labels)
    for label, meaning in ((1, "that need retrieval"), (0, "that need no retrieval")):
        if counts[label] < least:
            raise UsageError(
                f"There are {counts[label]} labelled questions {meaning}, and at least {least} are "
                "needed; label more questions of that kind, or keep the dropped ones with "
                "--keep-dropped."
            )
