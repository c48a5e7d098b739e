"""Hopyard's own index kinds keep the contract that plug-ins inherit."""

from __future__ import annotations

from typing import Any, ClassVar

from hopyard.indexes.kind import KINDS
from hopyard.testing import IndexKindContract

from .outputs import last_turn, write_questions


class TestDense(IndexKindContract):
    kind = KINDS["dense"]


class TestSparse(IndexKindContract):
    kind = KINDS["sparse"]


def questions(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The questions of a passage."""
    assert name == "PassageQuestions"
    return dict(write_questions(last_turn(messages)))


class TestPassageGraph(IndexKindContract):
    kind = KINDS["passage-graph"]
    answers: ClassVar = questions
    volatile = ("stats.json",)
