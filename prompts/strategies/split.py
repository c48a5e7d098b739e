"""Split a question into sub-questions that may refer to one another's answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from pydantic import Field

from hopyard.models.prompt import Example, Output, Prompt

__all__ = ("SPLIT", "Part", "Split")


class Part(Output):
    """A sub-question that may refer to earlier ones: "Who founded #1?"."""

    limits: ClassVar[Mapping[str, int]] = {"question": 300}

    question: str
    simple: bool
    """Whether it asks for one fact, once its references are filled in."""


class Split(Output):
    """A split that was drafted, criticised and corrected."""

    limits: ClassVar[Mapping[str, int]] = {
        "thought": 600,
        "draft": 4,
        "criticism": 600,
        "parts": 4,
    }
    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "simple": (),
        "compound": ("draft", "criticism", "parts"),
    }
    may_be_empty = frozenset({"criticism"})

    thought: str
    kind: Literal["simple", "compound"]
    draft: list[str] = Field(default_factory=list)
    criticism: str = ""
    parts: list[Part] = Field(default_factory=list)
    relevant: bool = False
    complete: bool = False
    specific: bool = False
    non_overlapping: bool = False

    @property
    def rubric(self) -> dict[str, int]:
        """1 or 0 for each rubric."""
        return {name: int(getattr(self, name)) for name in _RUBRICS}


_RUBRICS: Final = ("relevant", "complete", "specific", "non_overlapping")
"""ToR-RAG's rubrics but for the form of the words: parts may be put as suits a search."""


SPLIT: Final = Prompt(
    name="split",
    version=1,
    system=(
        "Split a question into the sub-questions that must be looked up to answer it. Each is "
        "searched for in documents and answered from the passages found; the final answer is "
        "then put together from all of them.\n"
        "thought: which facts the question needs, in one or two sentences.\n"
        "kind: simple if it asks for one fact that a single passage can state, and then nothing "
        "else is needed; otherwise compound.\n"
        "draft: two to four sub-questions, in the order in which they can be answered. One that "
        'needs the answer to an earlier one refers to it by number, as in "Who founded #1?". '
        "Never write a name that the question does not give, even if you know it. Repeat the names "
        "that it gives, so that each sub-question can be understood alone. Ask for the facts, not "
        "for their comparison.\n"
        "criticism: the faults of the draft by four rubrics. relevant: each sub-question is "
        "needed. complete: together they are enough. specific: each can be answered with a fact. "
        "non_overlapping: no two ask for the same fact. A reference to an earlier answer is no "
        "fault.\n"
        "parts: the corrected sub-questions, which repeat the draft if it has no fault; simple is "
        "true for one that asks for a single fact once its references are filled in.\n"
        "relevant, complete, specific, non_overlapping: whether the parts meet the rubric."
    ),
    template="Question: $question$rejected",
    output=Split,
    max_tokens=2000,
    small=600,
    examples=(
        Example(
            {
                "question": "Was the director of Jaws born before the director of Alien?",
                "rejected": "",
            },
            Split(
                thought="The two directors are needed first, then the birth date of each.",
                kind="compound",
                draft=[
                    "Who directed Jaws?",
                    "Who directed Alien?",
                    "Is Steven Spielberg older than Ridley Scott?",
                ],
                criticism=(
                    "The third one uses names that the question does not give, and compares "
                    "instead of asking for a fact. It is not specific."
                ),
                parts=[
                    Part(question="Who directed the film Jaws?", simple=True),
                    Part(question="Who directed the film Alien?", simple=True),
                    Part(question="When was #1 born?", simple=True),
                    Part(question="When was #2 born?", simple=True),
                ],
                relevant=True,
                complete=True,
                specific=True,
                non_overlapping=True,
            ),
        ),
        Example(
            {"question": "When was the Brooklyn Bridge built?", "rejected": ""},
            Split(thought="One date, which one passage can state.", kind="simple"),
        ),
    ),
)
