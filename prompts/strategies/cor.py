"""The next sub-question of `cor`, asked knowing the answers so far (CoR-RAG in ToR-RAG, IV)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from pydantic import Field

from hopyard.models.prompt import Example, Output, Prompt, Shorter

NOTHING_FOUND: Final = "none"
"""The text for findings before the first finding."""


class NextQuestion(Output):
    """What to find out next, or that nothing more is needed."""

    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {"ask": ("question",), "enough": ()}

    kind: Literal["ask", "enough"]
    question: str = Field(default="", max_length=300)


def _example(question: str, *findings: str, ask: str = "") -> Example[NextQuestion]:
    values = {"question": question, "findings": "\n".join(findings) or NOTHING_FOUND}
    return Example(values, NextQuestion(kind="ask" if ask else "enough", question=ask))


NEXT_QUESTION: Final = Prompt(
    name="next-question",
    version=1,
    system=(
        "A question is answered step by step. Ask for the next fact that is missing: one "
        "WH-question (who, what, where, when, which, how) that can be answered with a fact, put "
        "with the names that were found, and not asked before. If the findings answer the "
        "question, or if it asks for one fact itself, nothing is missing: enough."
    ),
    template="Question: $question\nFindings:\n$findings",
    output=NextQuestion,
    max_tokens=96,
    examples=(
        _example("Who wrote the novel Moby-Dick?"),
        _example(
            "Where was the director of the film Jaws born?", ask="Who directed the film Jaws?"
        ),
        _example(
            "Where was the director of the film Jaws born?",
            "Who directed the film Jaws? Steven Spielberg",
            ask="Where was Steven Spielberg born?",
        ),
        _example(
            "Where was the director of the film Jaws born?",
            "Who directed the film Jaws? Steven Spielberg",
            "Where was Steven Spielberg born? Cincinnati, Ohio",
        ),
        _example(
            "Which was built first, the Eiffel Tower or the Brooklyn Bridge?",
            ask="When was the Eiffel Tower built?",
        ),
        _example(
            "Which was built first, the Eiffel Tower or the Brooklyn Bridge?",
            "When was the Eiffel Tower built? 1889",
            ask="When was the Brooklyn Bridge built?",
        ),
        _example("What is the highest mountain in Peru?"),
        _example(
            "Are the Seine and the Loire both in France?",
            "In which country is the Seine? France",
            "In which country is the Loire? France",
        ),
        _example(
            "What is the capital of the country where the tango was born?",
            "In which country was the tango born? Argentina",
            ask="What is the capital of Argentina?",
        ),
        _example(
            "How long is the river on which the birthplace of Mozart lies?",
            "Where was Mozart born? Salzburg",
            "On which river does Salzburg lie? Salzach",
            ask="How long is the Salzach?",
        ),
    ),
    typographic_quotes=True,
    capable=Shorter(examples=4, max_tokens=512),
)
