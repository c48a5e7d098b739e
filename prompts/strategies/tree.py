"""ToR-RAG's two judges: of a decomposition (Fig. 2) and of a branch (section III.4)."""

from __future__ import annotations

from typing import Any, Final, Literal

from hopyard.models.prompt import Example, Output, Prompt, Shorter

Point = Literal[0, 1]
Score = Literal[0, 1, 2, 3, 4, 5]

_REQUIRED: Final = frozenset({"relevant", "non_overlapping", "complete"})
"""Rubrics that a valid decomposition must meet."""
_LEAST_POINTS: Final = 4
"""Of five."""


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

    def valid(self) -> bool:
        """Whether the judge finds the decomposition good: VALID in Fig. 2 of ToR-RAG.

        The paper leaves open how many points make it valid, and asks that sub-questions cover the
        question and do not overlap (section III.2). So they must be relevant, non-overlapping and
        complete, and have four of the five points.
        """
        return self.points >= _LEAST_POINTS and _REQUIRED.isdisjoint(self.faults)


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


def branch_fault(scores: dict[str, int], theta: float) -> str:
    """Why a branch fails at θ, 0 to 1; "" if it is kept (ToR-RAG, section III.4).

    Its normalised mean must reach θ. Each 0-5 score must reach θ too, as the paper's scale has it:
    a good score cannot make up for one of 0, "not at all".
    """
    nothing = [name.replace("_", " ") for name, score in scores.items() if score < theta]
    if nothing:
        return f"{' and '.join(nothing)} got 0 of 5"
    return f"below θ={theta:g}" if round(branch_score(scores), 3) < theta else ""


_SEINE: Final = "Are the Seine and the Loire both in France?"
_JAWS: Final = "Where was the director of the film Jaws born?"
_TOWER: Final = "Which was built first, the Eiffel Tower or the Brooklyn Bridge?"
_BUILT: Final = ("When was the Eiffel Tower built?", "When was the Brooklyn Bridge built?")


def _split(question: str, parts: tuple[str, str], *points: Point) -> Example[Rubric]:
    """A decomposition, and its points in the order of the rubrics."""
    values = {"question": question, "first": parts[0], "second": parts[1]}
    return Example(values, Rubric(**dict(zip(Rubric.model_fields, points, strict=True))))


def _branch(
    question: str, parts: tuple[str, str], answers: tuple[str, str], weaker: Any, *scores: Score
) -> Example[BranchScores]:
    """A branch, and its scores in the order of the fields."""
    first, second = parts
    values = {"question": question, "first": first, "first_answer": answers[0]}
    values |= {"second": second, "second_answer": answers[1]}
    named = dict(zip(BranchScores.model_fields, scores, strict=False))
    return Example(values, BranchScores(weaker=weaker, **named))


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
        _split(_SEINE, ("In which country is the Seine?", "Where is the Seine?"), 1, 1, 1, 0, 0),
        _split(_JAWS, ("Is Jaws a good film?", "Do people like Jaws?"), 0, 0, 0, 0, 0),
        _split(_TOWER, _BUILT, 1, 1, 1, 1, 1),
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
        _branch(
            _SEINE, ("Is it true?", "What is true?"), ("Unknown", "Unknown"), "first", 0, 1, 1, 0
        ),
        _branch(
            _JAWS,
            ("Who directed the film Jaws?", "What is a shark?"),
            ("Steven Spielberg", "Unknown"),
            "second",
            *(1, 3, 2, 1),
        ),
        _branch(_TOWER, _BUILT, ("1889", "1883"), "first", 5, 5, 5, 5),
    ),
    capable=Shorter(examples=1, max_tokens=256),
)
