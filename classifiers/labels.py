"""Labels of questions, in a file with one question a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel

from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.state.errors import UsageError
from hopyard.state.storage.lines import LineFile, read_lines

Rule = Literal["given", "supported", "contribution", "outcome", ""]
"""The rule of the label: given with the question, known supporting documents, the paper's rule, the
outcome of a question that the paper drops, or no rule."""
Drop = Literal["no gold answer", "no passage", "no usable output", "unanswered", "wrong", ""]
"""Why a question is not in Q_c, the questions answered rightly from their passages."""
Progress = Callable[[str, int, int], None]
"""Called with a stage, what is done of it, and its whole."""
_ADVICE: Final = "make it with `hopyard gate label`"


class Label(BaseModel, frozen=True):
    """A question with its label and the numbers behind it.

    Attributes:
        type: Of the question, as its data set names it.
        k: Passages asked for.
        passage_ids: Passages found.
        answer: The model's answer from question and passages.
        values: v of the coalitions none, question, passages, both; None if not computed.
        phi_question: φ_q.
        phi_passages: φ_D.
        dropped: Why it is not in Q_c; "" if it is.
        direct_answer: The answer without passages, if the second rule asked for it.
        rule: The rule that gave the label.
        label: 1 retrieve, 0 do not; None if the question is dropped.
        embedding: The embedding model of the index.
        nearness: How near the index is to the question.
        seconds: An equal share of the time of its batch.
    """

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
    embedding: str = ""
    nearness: Nearness = UNMEASURED
    seconds: float = 0.0


class LabelFile(LineFile[Label]):
    """A file of labels to continue."""

    def __init__(self, path: Path) -> None:
        """Read the file, if it exists."""
        super().__init__(path, Label, _ADVICE)


def read_labels(path: Path) -> list[Label]:
    """Read a file of labels (`read_lines`)."""
    return read_lines(path, Label, _ADVICE)


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
