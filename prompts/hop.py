"""Choose a vertex's most useful edge question, and judge it (HopRAG, section 3.3 and Fig. 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic import Field, create_model

from hopyard.prompts.passages import one_line
from hopyard.prompts.prompt import Example, Output, Prompt
from hopyard.state.hop import Relevance

__all__ = ("CHOOSE_HOP", "NONE", "Choice", "choice_prompt", "question_lines")

NONE: Final = 0
"""The number that chooses none of the questions."""


class Choice(Output):
    """The number of the follow-up question chosen, and what it is to the question."""

    choice: int = Field(ge=NONE)
    relevance: Relevance


def question_lines(questions: Sequence[str]) -> str:
    """Number the edge questions, one a line, after the choice of none of them."""
    lines = [f"{number}. {one_line(text)}" for number, text in enumerate(questions, NONE + 1)]
    return "\n".join([f"{NONE}. none of these", *lines])


@lru_cache(maxsize=64)
def choice_prompt(shown: int) -> Prompt[Choice]:
    """The prompt for a vertex with so many questions: no other number can be answered."""
    numbers: Any = Literal.__getitem__(tuple(range(NONE, shown + 1)))
    return replace(
        CHOOSE_HOP, output=create_model("Choice", __base__=Choice, choice=(numbers, ...))
    )


def _example(
    question: str, follow_ups: Sequence[str], choice: int, relevance: Relevance
) -> Example[Choice]:
    values = {"question": question, "follow_ups": question_lines(follow_ups)}
    return Example(values, Choice(choice=choice, relevance=relevance))


CHOOSE_HOP: Final = Prompt(
    name="choose-hop",
    version=1,
    system=(
        "A question needs facts from several passages. Choose the one follow-up question whose "
        "answer helps most to answer it, or 0 if none helps. Then say what the chosen one is:\n"
        "necessary: without its answer the question cannot be answered.\n"
        "indirect: it is about a related matter, but its answer is not needed.\n"
        "irrelevant: it has nothing to do with the question."
    ),
    template="Question: $question\nFollow-up questions:\n$follow_ups",
    output=Choice,
    max_tokens=24,
    examples=(
        _example(
            "Where was the director of the film Jaws born?",
            (
                "When was the film Jaws released?",
                "Who is Steven Spielberg and where was he born?",
                "What do great white sharks eat?",
            ),
            2,
            "necessary",
        ),
        _example(
            "Who founded the company that makes the PlayStation?",
            ("What is the capital of Japan?", "How deep is the Pacific Ocean?"),
            NONE,
            "irrelevant",
        ),
        _example(
            "In which country is the river on which the city of Lyon lies?",
            (
                "Through which country does the Rhône flow?",
                "What is Lyon known for?",
                "Which bishop lived in Lyon?",
                "When was the university of Lyon founded?",
            ),
            1,
            "necessary",
        ),
        _example(
            "Which award did the author of the novel Beloved win in 1993?",
            ("Which films were made from novels?", "Who published the novel Beloved?"),
            2,
            "indirect",
        ),
    ),
)
