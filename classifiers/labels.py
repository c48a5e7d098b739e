"""Labels in a file, one question a line, each written at once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.state.errors import UsageError

__all__ = (
    "Drop",
    "Label",
    "LabelFile",
    "Rule",
    "check_classes",
    "count_drops",
    "merge_labels",
    "read_labels",
)

Rule = Literal["given", "supported", "contribution", "outcome", ""]
"""The rule of the label: given with the question, known supporting documents, the paper's rule, the
outcome of a question that the paper drops, or no rule."""
Drop = Literal["no gold answer", "no passage", "no usable output", "unanswered", "wrong", ""]
"""Why a question is not in Q_c, the questions answered rightly from their passages."""


class Label(BaseModel):
    """A question with its label and the numbers behind it.

    Attributes:
        id: Of the question.
        question: As it was asked.
        answers: Gold answers.
        type: Of the question, as its data set names it.
        model: The labelled model.
        value: The value function.
        k: Passages asked for.
        passage_ids: Passages found.
        answer: The model's answer from question and passages.
        values: v of the coalitions none, question, passages, both; None if not computed.
        phi_question: φ_q.
        phi_passages: φ_D.
        phi_each_passage: φ of each of `passage_ids`, with one player a passage and the question
            always there; None if not computed.
        dropped: Why it is not in Q_c; "" if it is.
        direct_answer: The answer without passages, if the second rule asked for it.
        rule: The rule that gave the label.
        label: 1 retrieve, 0 do not; None if the question is dropped.
        embedding: The embedding model of the index.
        nearness: How near the index is to the question.
        seconds: An equal share of the time of its batch.
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
    phi_each_passage: tuple[float, ...] | None = None
    dropped: Drop = ""
    direct_answer: str | None = None
    rule: Rule = ""
    label: Literal[0, 1] | None = None
    embedding: str = ""
    nearness: Nearness = UNMEASURED
    seconds: float = 0.0


class LabelFile:
    """A file of labels to continue.

    Args:
        path: The file. A last line that a kill has cut in half is removed.

    Raises:
        UsageError: The file cannot be read, or a whole line is not a label.
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
        return {label.id for label in self.labels}

    def append(self, labels: Iterable[Label]) -> None:
        """Write labels; they are on disk when this returns."""
        new = list(labels)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            for label in new:
                file.write(label.model_dump_json().encode("utf-8", "surrogatepass") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.labels += new


def read_labels(path: Path) -> list[Label]:
    """Read a file of labels, without a last line that a kill has cut in half.

    Raises:
        UsageError: The file cannot be read, or a line is not a label.
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
                f"{path}:{number} is not a label ({error.errors()[0]['msg']}); make the file again "
                "with `hopyard gate label`."
            ) from error
    return labels


def merge_labels(labels: Iterable[Label]) -> list[Label]:
    """Each question once: the first of its rows that has a label, or else its first row."""
    found: dict[str, Label] = {}
    for row in labels:
        known = found.setdefault(row.id, row)
        if known.label is None and row.label is not None:
            found[row.id] = row
    return list(found.values())


def count_drops(labels: Iterable[Label]) -> dict[str, int]:
    """How many questions are not in Q_c, by reason."""
    return dict(sorted(Counter(label.dropped for label in labels if label.dropped).items()))


def check_classes(labels: Sequence[Label], least: int) -> None:
    """Refuse labels with too few questions of a class.

    Args:
        labels: Questions with a label.
        least: Questions that each class needs.

    Raises:
        UsageError: A class is empty or too small.
    """
    counts: Counter[int | None] = Counter(label.label for label in labels)
    for value, meaning in ((1, "that need retrieval"), (0, "that need no retrieval")):
        if counts[value] < least:
            raise UsageError(
                f"There are {counts[value]} labelled questions {meaning}, and training needs at "
                f"least {least}; label more questions of that kind, or keep dropped questions "
                f"with --keep-dropped."
            )
