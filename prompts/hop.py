"""Judge the edge questions of one vertex, all in one call (HopRAG, section 3.3 and Fig. 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pydantic import Field, create_model

from hopyard.models.prompt import Example, Output, Prompt, Shorter
from hopyard.prompts.passages import one_line
from hopyard.state.hop import Relevance

__all__ = ("JUDGE_EDGES", "Judgements", "judge_prompt", "question_lines")


class Judgements(Output):
    """What each follow-up question is to the question, in the order shown."""

    judgements: list[Relevance]


def question_lines(questions: Sequence[str]) -> str:
    """Number edge questions, one a line."""
    return "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(questions, 1))


@lru_cache(maxsize=64)
def judge_prompt(shown: int) -> Prompt[Judgements]:
    """The prompt for so many questions, which takes so many judgements and no other number."""
    exactly = Field(min_length=shown, max_length=shown)
    output = create_model("Judgements", __base__=Judgements, judgements=(list[Relevance], exactly))
    return replace(JUDGE_EDGES, output=output)


def _example(question: str, *judged: tuple[Relevance, str]) -> Example[Judgements]:
    values = {"question": question, "follow_ups": question_lines([text for _, text in judged])}
    return Example(values, Judgements(judgements=[label for label, _ in judged]))


JUDGE_EDGES: Final = Prompt(
    name="judge-edges",
    version=1,
    system=(
        "A question needs facts from several passages. Judge each follow-up question in turn:\n"
        "necessary: without its answer the question cannot be answered.\n"
        "indirect: it is about a related matter, but its answer is not needed.\n"
        "irrelevant: it has nothing to do with the question."
    ),
    template="Question: $question\nFollow-up questions:\n$follow_ups",
    output=Judgements,
    max_tokens=256,
    examples=(
        _example(
            "Which award did the author of the novel Beloved win in 1993?",
            ("indirect", "Who published the novel Beloved?"),
            ("irrelevant", "How long is the river Nile?"),
            ("necessary", "Who wrote the novel Beloved?"),
        ),
        _example(
            "When did the inventor of the telephone die?",
            ("necessary", "When did Alexander Graham Bell die?"),
        ),
        _example(
            "In which country is the river on which the city of Lyon lies?",
            ("indirect", "What is Lyon known for?"),
            ("necessary", "On which river does Lyon lie?"),
            ("indirect", "Which bishop lived in Lyon?"),
            ("irrelevant", "Who wrote Moby-Dick?"),
        ),
        _example(
            "Who founded the company that makes the PlayStation?",
            ("irrelevant", "How deep is the Pacific Ocean?"),
            ("irrelevant", "What is the capital of Japan?"),
        ),
        _example(
            "Where was the director of the film Jaws born?",
            ("necessary", "Who directed the film Jaws?"),
            ("indirect", "When was the film Jaws released?"),
            ("irrelevant", "What do great white sharks eat?"),
        ),
    ),
    capable=Shorter(examples=1, max_tokens=512),
)
