"""Split a question into two WH-questions (ToR-RAG, section III.2), or leave a simple one whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from pydantic import Field

from hopyard.models.prompt import Example, Output, Prompt, Shorter


class Decomposition(Output):
    """Two sub-questions, or none where the question is simple."""

    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {"simple": (), "compound": ("first", "second")}

    kind: Literal["simple", "compound"]
    first: str = Field(default="", max_length=300)
    second: str = Field(default="", max_length=300)


class Replacement(Output):
    """A better sub-question."""

    question: str = Field(min_length=1, max_length=300)


def _example(question: str, first: str = "", second: str = "") -> Example[Decomposition]:
    kind: Literal["simple", "compound"] = "compound" if first else "simple"
    return Example(
        {"question": question, "rejected": ""}, Decomposition(kind=kind, first=first, second=second)
    )


DECOMPOSE: Final = Prompt(
    name="decompose",
    version=1,
    system=(
        "Split a compound question into two sub-questions. Each is a WH-question (who, what, "
        "where, when, which, how), can be answered with a fact, and helps to answer the "
        "question; the two do not overlap and together they are enough. Each must be "
        "understandable on its own. A question that asks for one fact is simple: leave it whole."
    ),
    template="Question: $question$rejected",
    output=Decomposition,
    max_tokens=128,
    examples=(
        _example("Who wrote the novel Moby-Dick?"),
        _example(
            "Which was built first, the Eiffel Tower or the Brooklyn Bridge?",
            "When was the Eiffel Tower built?",
            "When was the Brooklyn Bridge built?",
        ),
        _example(
            "Where was the director of the film Jaws born?",
            "Who directed the film Jaws?",
            "Where was the director of Jaws born?",
        ),
        _example(
            "Are the Seine and the Loire both in France?",
            "In which country is the Seine?",
            "In which country is the Loire?",
        ),
        _example("When was the Brooklyn Bridge built?"),
        _example(
            "Who is older, Paul McCartney or Mick Jagger?",
            "When was Paul McCartney born?",
            "When was Mick Jagger born?",
        ),
        _example(
            "Who founded the company that makes the PlayStation?",
            "Which company makes the PlayStation?",
            "Who founded Sony?",
        ),
        _example(
            "Were Mozart and Haydn born in the same city?",
            "In which city was Mozart born?",
            "In which city was Haydn born?",
        ),
        _example(
            "In which year did the inventor of the telephone die?",
            "Who invented the telephone?",
            "In which year did Alexander Graham Bell die?",
        ),
        _example("What is the highest mountain in Peru?"),
        _example(
            "Which river is longer, the Nile or the Amazon?",
            "How long is the Nile?",
            "How long is the Amazon?",
        ),
        _example(
            "What is the capital of the country where the tango was born?",
            "In which country was the tango born?",
            "What is the capital of Argentina?",
        ),
        _example(
            "Did Argentina and Brazil both win the World Cup?",
            "When did Argentina win the World Cup?",
            "When did Brazil win the World Cup?",
        ),
    ),
    typographic_quotes=True,
    capable=Shorter(examples=5, max_tokens=512),
)

REPLACE: Final = Prompt(
    name="replace-sub-question",
    version=1,
    system=(
        "A question was split into two sub-questions, and one of them does not help. Write a "
        "better WH-question in its place: answerable with a fact, different from the one that is "
        "kept, and useful for the question."
    ),
    template=(
        "Question: $question\nKept: $kept\nAnswer to it: $answer\nDoes not help: $weak\n"
        "A better sub-question:"
    ),
    output=Replacement,
    max_tokens=64,
    examples=(
        Example(
            {
                "question": "Where was the director of the film Jaws born?",
                "kept": "Who directed the film Jaws?",
                "answer": "Steven Spielberg",
                "weak": "Where was the film Jaws made?",
            },
            Replacement(question="Where was Steven Spielberg born?"),
        ),
        Example(
            {
                "question": "Are the Seine and the Loire both in France?",
                "kept": "In which country is the Seine?",
                "answer": "France",
                "weak": "Are both in France?",
            },
            Replacement(question="In which country is the Loire?"),
        ),
    ),
    typographic_quotes=True,
    capable=Shorter(examples=1, max_tokens=256),
)
