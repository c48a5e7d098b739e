"""What a gate is worth end to end: always, never, gate and oracle on the same two answers.

Each question is answered once with retrieval and once without; a policy chooses one of the two.
So all four are compared on the same answers, and their differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from hopyard.measures.bootstrap import Interval, difference, interval

__all__ = (
    "POLICIES",
    "Answers",
    "Comparison",
    "Outcome",
    "Policy",
    "PolicyResult",
    "compare",
    "retrieves",
    "verdict",
)

Policy = Literal["always", "never", "gate", "oracle"]
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)


@dataclass(frozen=True)
class Outcome:
    """One answer and its cost.

    Attributes:
        correct: 1 where the answer contains a gold answer, else 0.
        tokens: Model tokens, in and out.
        seconds: Of the model's calls.
    """

    correct: float
    tokens: float
    seconds: float


@dataclass(frozen=True)
class Answers:
    """A question's two answers, and what the gate decided.

    Attributes:
        type: Of the question.
        retrieved: With retrieval.
        direct: Without.
        gate: Whether the gate retrieves.
        gate_seconds: What the decision took.
    """

    type: str
    retrieved: Outcome
    direct: Outcome
    gate: bool
    gate_seconds: float


class PolicyResult(BaseModel):
    """One policy: means with 95 % intervals, and the differences to always retrieving.

    Attributes:
        accuracy: Answers that contain a gold answer.
        retrieval_rate: Questions that were retrieved for.
        needless_rate: Questions that were retrieved for although the direct answer is right.
        tokens: Model tokens a question.
        seconds: Model seconds a question, with those of the gate's decision.
        against_always: The paired differences of accuracy, tokens and seconds.
    """

    model_config = ConfigDict(frozen=True)

    accuracy: Interval
    retrieval_rate: float
    needless_rate: float
    tokens: Interval
    seconds: Interval
    against_always: dict[str, Interval]


class Comparison(BaseModel):
    """All policies on the same questions.

    Attributes:
        questions: How many.
        policies: By name.
        by_type: By question type: count, retrieval rate of the gate, and accuracy of each policy.
        missed: Questions that the gate did not retrieve for, right with retrieval and wrong
            without: its costly mistakes.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    policies: dict[Policy, PolicyResult]
    by_type: dict[str, dict[str, float]]
    missed: int


def retrieves(policy: Policy, one: Answers) -> bool:
    """Whether a policy retrieves. The oracle does where only that makes the answer right."""
    if policy == "oracle":
        return one.retrieved.correct > one.direct.correct
    return {"always": True, "never": False, "gate": one.gate}[policy]


def compare(answers: Sequence[Answers]) -> Comparison:
    """Accuracy and cost of each policy.

    Args:
        answers: At least one.
    """
    chosen = {policy: _chosen(policy, answers) for policy in POLICIES}
    types = sorted({one.type for one in answers})
    return Comparison(
        questions=len(answers),
        policies={
            policy: _result(policy, answers, chosen[policy], chosen["always"])
            for policy in POLICIES
        },
        by_type={name: _of_type([one for one in answers if one.type == name]) for name in types},
        missed=sum(not one.gate and one.retrieved.correct > one.direct.correct for one in answers),
    )


def verdict(found: Comparison) -> tuple[bool, str]:
    """Whether the gate beats always retrieving on cost at no loss of accuracy, and why (not).

    Cost is lower where the whole interval of the tokens' difference lies below 0. Accuracy is lost
    where the whole interval of its difference does.
    """
    gate = found.policies["gate"]
    tokens, accuracy = gate.against_always["tokens"], gate.against_always["accuracy"]
    cheaper, lost = tokens.high < 0, accuracy.high < 0
    saved = -tokens.mean / found.policies["always"].tokens.mean if tokens.mean else 0.0
    numbers = (
        f"it retrieves for {gate.retrieval_rate:.0%} of the questions, takes {saved:.0%} fewer "
        f"tokens, and its accuracy differs by {accuracy.mean:+.3f} "
        f"[{accuracy.low:+.3f}, {accuracy.high:+.3f}]"
    )
    if cheaper and not lost:
        return True, f"The gate beats always retrieving on cost at no loss of accuracy: {numbers}."
    why = []
    if not cheaper:
        why.append("the tokens that it saves are not more than chance")
    if lost:
        why.append(
            f"{found.missed} of {found.questions} questions that it does not retrieve for are "
            "right only with passages"
        )
    return False, f"The gate does not beat always retrieving: {numbers}; {', and '.join(why)}."


def _chosen(policy: Policy, answers: Sequence[Answers]) -> list[Outcome]:
    found = []
    for one in answers:
        outcome = one.retrieved if retrieves(policy, one) else one.direct
        extra = one.gate_seconds if policy == "gate" else 0.0
        found.append(Outcome(outcome.correct, outcome.tokens, outcome.seconds + extra))
    return found


def _result(
    policy: Policy,
    answers: Sequence[Answers],
    chosen: Sequence[Outcome],
    always: Sequence[Outcome],
) -> PolicyResult:
    values, baseline = _values(chosen), _values(always)
    retrieved = [retrieves(policy, one) for one in answers]
    needless = [on and one.direct.correct > 0 for on, one in zip(retrieved, answers, strict=True)]
    return PolicyResult(
        accuracy=_interval(values["accuracy"]),
        tokens=_interval(values["tokens"]),
        seconds=_interval(values["seconds"]),
        retrieval_rate=sum(retrieved) / len(answers),
        needless_rate=sum(needless) / len(answers),
        against_always={
            name: _interval_of_difference(values[name], baseline[name]) for name in values
        },
    )


def _values(chosen: Sequence[Outcome]) -> Mapping[str, list[float]]:
    return {
        "accuracy": [one.correct for one in chosen],
        "tokens": [one.tokens for one in chosen],
        "seconds": [one.seconds for one in chosen],
    }


def _interval(values: Sequence[float]) -> Interval:
    found = interval(values)
    if found is None:
        raise ValueError("no question, no interval")
    return found


def _interval_of_difference(values: Sequence[float], baseline: Sequence[float]) -> Interval:
    found = difference(values, baseline)
    if found is None:
        raise ValueError("no question, no interval")
    return found


def _of_type(answers: Sequence[Answers]) -> dict[str, float]:
    row: dict[str, float] = {
        "questions": len(answers),
        "gate_retrieval_rate": sum(one.gate for one in answers) / len(answers),
    }
    for policy in POLICIES:
        row[policy] = sum(one.correct for one in _chosen(policy, answers)) / len(answers)
    return row
