"""The plain format: questions and documents."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopyard.measures.questions import Question

__all__ = ("Converted", "Row", "document_id")

Row = Mapping[str, Any]
"""An entry of a data set, as published."""

Convert = Callable[[Iterable[Row]], "Converted"]


def document_id(title: str, text: str) -> str:
    """An id from title and text, so that a passage that many questions share is one document."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]


@dataclass
class Converted:
    """A question set in the plain format.

    Attributes:
        questions: In the order of the data set.
        documents: Corpus lines (id, title, text, metadata) by id, each once.
    """

    questions: list[Question] = field(default_factory=list)
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_document(self, title: str, text: str, metadata: Row | None = None) -> str:
        """Add a document and return its id."""
        key = document_id(title, text)
        line = {"id": key, "title": title, "text": text, "metadata": dict(metadata or {})}
        self.documents.setdefault(key, line)
        return key

    def add_question(
        self,
        key: str,
        question: str,
        answers: Sequence[str],
        supporting_ids: Iterable[str] = (),
        kind: str = "",
        steps: Sequence[str] = (),
    ) -> None:
        """Add a question; `kind` is the data set's type of question."""
        self.questions.append(
            Question(
                id=key,
                question=question.strip(),
                answers=tuple(dict.fromkeys(answers)),
                supporting_ids=tuple(dict.fromkeys(supporting_ids)),
                type=kind,
                steps=tuple(steps),
            )
        )
