"""Judge a decomposition by five rubrics and a branch by four scores (ToR-RAG, Fig. 2 and III.4)."""

from __future__ import annotations

from typing import Final, Literal

from hopyard.models.prompt import Example, Output, Prompt, Shorter

__all__ = ("JUDGE_BRANCH", "JUDGE_DECOMPOSITION", "BranchScores", "Rubric", "branch_score")

Point = Literal[0, 1]
Score = Literal[0, 1, 2, 3, 4, 5]


class Rubric(Output):
    """One point for each rubric that both sub-questions meet."""

    wh_form: Point
    specific: Point
    relevant: Point
    non_overlapping: Point
    complete: Point

    @property
    def points(self) -> int:
        """0 to 5."""
        return sum(self.model_dump().values())

    @property
    def faults(self) -> list[str]:
        """The rubrics that got no point."""
        return [name for name, point in self.model_dump().items() if not point]


class BranchScores(Output):
    """Four scores of a branch, 0 to 5 each, and the sub-question that contributes less."""

    sufficiency: Score
    non_redundancy: Score
    consistency: Score
    decomposition: Score
    weaker: Literal["first", "second"]

    @property
    def scores(self) -> dict[str, int]:
        """The four scores by name."""
        return self.model_dump(exclude={"weaker"})


def branch_score(scores: dict[str, int]) -> float:
    """The branch's score, 0 to 1 (ToR-RAG, section III.4).

    The paper compares a mean of 0-5 scores with θ=0.4, which nearly nothing fails; the mean is
    normalised to 0-1 here, so that θ=0.4 asks for two points of five on average.
    """
    return sum(scores.values()) / (5 * len(scores))


JUDGE_DECOMPOSITION: Final = Prompt(
    name="judge-decomposition",
    version=1,
    system=(
        "Judge whether two sub-questions are a good decomposition of a question. Give 1 or 0 for "
        "each rubric:\n"
        "wh_form: each is a who, what, where, when, why, how or which question.\n"
        "specific: each can be answered with a fact.\n"
        "relevant: both help to answer the question.\n"
        "non_overlapping: they ask for different things.\n"
        "complete: together they are enough."
    ),
    template="Question: $question\nFirst: $first\nSecond: $second",
    output=Rubric,
    max_tokens=64,
    examples=(
        Example(
            {
                "question": "Are the Seine and the Loire both in France?",
                "first": "In which country is the Seine?",
                "second": "Where is the Seine?",
            },
            Rubric(wh_form=1, specific=1, relevant=1, non_overlapping=0, complete=0),
        ),
        Example(
            {
                "question": "Where was the director of the film Jaws born?",
                "first": "Is Jaws a good film?",
                "second": "Do people like Jaws?",
            },
            Rubric(wh_form=0, specific=0, relevant=0, non_overlapping=0, complete=0),
        ),
        Example(
            {
                "question": "Which was built first, the Eiffel Tower or the Brooklyn Bridge?",
                "first": "When was the Eiffel Tower built?",
                "second": "When was the Brooklyn Bridge built?",
            },
            Rubric(wh_form=1, specific=1, relevant=1, non_overlapping=1, complete=1),
        ),
    ),
    capable=Shorter(examples=1, max_tokens=256),
)

JUDGE_BRANCH: Final = Prompt(
    name="judge-branch",
    version=1,
    system=(
        "Two sub-questions of a question were answered. Score from 0 (not at all) to 5 (fully):\n"
        "sufficiency: the two answers are enough to answer the question.\n"
        "non_redundancy: the sub-questions ask for different things.\n"
        "consistency: nothing contradicts the question or the other answer.\n"
        "decomposition: the question was split well.\n"
        "weaker: the sub-question that contributes less, first or second. An answer Unknown "
        "contributes nothing."
    ),
    template=(
        "Question: $question\nFirst: $first\nAnswer: $first_answer\n"
        "Second: $second\nAnswer: $second_answer"
    ),
    output=BranchScores,
    max_tokens=96,
    examples=(
        Example(
            {
                "question": "Are the Seine and the Loire both in France?",
                "first": "Is it true?",
                "first_answer": "Unknown",
                "second": "What is true?",
                "second_answer": "Unknown",
            },
            BranchScores(
                sufficiency=0, non_redundancy=1, consistency=1, decomposition=0, weaker="first"
            ),
        ),
        Example(
            {
                "question": "Where was the director of the film Jaws born?",
                "first": "Who directed the film Jaws?",
                "first_answer": "Steven Spielberg",
                "second": "What is a shark?",
                "second_answer": "Unknown",
            },
            BranchScores(
                sufficiency=1, non_redundancy=3, consistency=2, decomposition=1, weaker="second"
            ),
        ),
        Example(
            {
                "question": "Which was built first, the Eiffel Tower or the Brooklyn Bridge?",
                "first": "When was the Eiffel Tower built?",
                "first_answer": "1889",
                "second": "When was the Brooklyn Bridge built?",
                "second_answer": "1883",
            },
            BranchScores(
                sufficiency=5, non_redundancy=5, consistency=5, decomposition=5, weaker="first"
            ),
        ),
    ),
    capable=Shorter(examples=1, max_tokens=256),
)
