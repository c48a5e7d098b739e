"""The question sets: what training may read, and what it must never see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ("Guard", "Passage", "Question", "Source", "Step", "read_source", "words_of")

_WORD: Final = re.compile(r"\w+")
_SHINGLE: Final = 12
"""Words in a row that two texts share only if one was copied from the other."""


@dataclass(frozen=True)
class Passage:
    """One passage of a corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Step:
    """One gold sub-question; `#1` in it stands for the first step's answer.

    Attributes:
        question: A question, or MuSiQue's short form `subject >> relation`.
        answer: The gold answer.
        supporting_id: The passage that holds it; "" if the set does not say.
    """

    question: str
    answer: str
    supporting_id: str


@dataclass(frozen=True)
class Question:
    """One question of a set."""

    id: str
    question: str
    answers: tuple[str, ...]
    supporting_ids: tuple[str, ...]
    type: str
    split: str
    steps: tuple[Step, ...] = ()

    @property
    def answer(self) -> str:
        """The first gold answer."""
        return self.answers[0].strip() if self.answers else ""


@dataclass(frozen=True)
class Source:
    """One question set with its corpus."""

    name: str
    questions: tuple[Question, ...]
    passages: dict[str, Passage]

    def of(self, split: str) -> list[Question]:
        """The questions of a split."""
        return [question for question in self.questions if question.split == split]


def read_source(folder: Path) -> Source:
    """Read `questions.jsonl` and `corpus.jsonl` of a folder; each may be missing."""
    passages = {
        str(row["id"]): Passage(str(row["id"]), row.get("title") or "", row["text"])
        for row in _rows(folder / "corpus.jsonl")
    }
    questions = tuple(_question(row) for row in _rows(folder / "questions.jsonl"))
    return Source(folder.name, questions, passages)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower())


class Guard:
    """Keep held-out questions and their supporting passages out of training text.

    A passage is held out when it supports a held-out question of any set, or when it shares
    twelve words in a row with such a passage: the sets were cut from the same encyclopedia.
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self._questions: set[str] = set()
        self._shingles: set[tuple[str, ...]] = set()
        self.passage_ids: set[str] = set()
        for source in sources:
            for question in source.of("dev"):
                self._questions.add(_flat(question.question))
                self._questions |= {_flat(step.question) for step in question.steps}
                for passage_id in question.supporting_ids:
                    self.passage_ids.add(passage_id)
                    if passage := source.passages.get(passage_id):
                        self._shingles.update(_shingles(passage.text))

    def allows_question(self, question: str) -> bool:
        """Whether the question is neither held out nor a step of a held-out question."""
        return _flat(question) not in self._questions

    def allows_text(self, text: str) -> bool:
        """Whether the text contains nothing of a held-out question's supporting passages."""
        return self._shingles.isdisjoint(_shingles(text))

    def allows(self, passage: Passage) -> bool:
        """Whether training may read the passage."""
        return passage.id not in self.passage_ids and self.allows_text(passage.text)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def _question(row: dict[str, Any]) -> Question:
    return Question(
        id=str(row["id"]),
        question=" ".join(row["question"].split()),
        answers=tuple(row["answers"]),
        supporting_ids=tuple(row["supporting_ids"]),
        type=row["type"],
        split=row["split"],
        steps=tuple(_steps(row)),
    )


def _steps(row: dict[str, Any]) -> Iterator[Step]:
    """MuSiQue keeps its steps in two forms: with `#1` and a passage, or filled in, without."""
    for step in row.get("decomposition", ()):
        if isinstance(step, dict):
            yield Step(step["question"].strip(), step["answer"].strip(), step["supporting_id"])
    for text in row.get("steps", ()):
        question, _, answer = text.partition(" >>>> ")
        yield Step(question.strip(), answer.strip(), "")


def _flat(text: str) -> str:
    return " ".join(words_of(text))


def _shingles(text: str) -> Sequence[tuple[str, ...]]:
    words = words_of(text)
    if len(words) < _SHINGLE:
        return [tuple(words)]
    return [tuple(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)]
