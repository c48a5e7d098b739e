"""Measure a gate end to end: always, never, gate and oracle on the same two answers.

Each question is answered once with retrieval and once without; a policy chooses one of the two
answers. So all four policies are compared on the same answers, and their differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from hopyard.measures.bootstrap import Interval, difference, interval

__all__ = (
    "POLICIES",
    "AnswerOutcome",
    "AnswerPair",
    "Policy",
    "PolicyComparison",
    "PolicyResult",
    "compare_documents",
    "compare_policies",
    "retrieves",
    "verdict",
)

Policy = Literal["always", "never", "gate", "oracle"]
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)


@dataclass(frozen=True)
class AnswerOutcome:
    """An answer and its cost.

    Attributes:
        correct: 1 if the answer contains a gold answer, else 0.
        tokens: Model tokens, in and out.
        seconds: Of the model's calls.
    """

    correct: float
    tokens: float
    seconds: float


@dataclass(frozen=True)
class AnswerPair:
    """A question's two answers, and the gate's decision.

    Attributes:
        type: Of the question.
        supported: Whether documents are known to answer it.
        retrieved: With retrieval.
        direct: Without.
        gate: Whether the gate retrieves.
        gate_seconds: The time of the decision.
    """

    type: str
    supported: bool
    retrieved: AnswerOutcome
    direct: AnswerOutcome
    gate: bool
    gate_seconds: float

    @property
    def needs_retrieval(self) -> bool:
        """Whether only the answer with retrieval is right."""
        return self.retrieved.correct > self.direct.correct


class PolicyResult(BaseModel):
    """Means of a policy with 95 % intervals, and its differences to always retrieving.

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


class PolicyComparison(BaseModel):
    """All policies on the same questions.

    Attributes:
        questions: How many.
        policies: By name.
        by_type: By question type: count, retrieval rate of the gate, and accuracy of each policy.
        missed: Questions that needed retrieval and that the gate did not retrieve for.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    policies: dict[Policy, PolicyResult]
    by_type: dict[str, dict[str, float]]
    missed: int


def retrieves(policy: Policy, pair: AnswerPair) -> bool:
    """Whether a policy retrieves. The oracle retrieves if only that makes the answer right."""
    choices = {"always": True, "never": False, "gate": pair.gate, "oracle": pair.needs_retrieval}
    return choices[policy]


def compare_policies(pairs: Sequence[AnswerPair]) -> PolicyComparison:
    """Accuracy and cost of each policy.

    Args:
        pairs: At least one.
    """
    always = _values("always", pairs)
    types = sorted({pair.type for pair in pairs})
    return PolicyComparison(
        questions=len(pairs),
        policies={policy: _result(policy, pairs, always) for policy in POLICIES},
        by_type={name: _by_type([pair for pair in pairs if pair.type == name]) for name in types},
        missed=sum(pair.needs_retrieval and not pair.gate for pair in pairs),
    )


def compare_documents(pairs: Sequence[AnswerPair]) -> PolicyComparison | None:
    """The same on the questions that documents are known to answer; None without any."""
    supported = [pair for pair in pairs if pair.supported]
    return compare_policies(supported) if supported else None


def verdict(found: PolicyComparison) -> tuple[bool, str]:
    """Whether the gate beats always retrieving on cost at no loss of accuracy, and why (not).

    Cost is lower if the whole interval of the tokens' difference lies below 0. Accuracy is lost
    if the whole interval of its difference does.
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


def _values(policy: Policy, pairs: Sequence[AnswerPair]) -> Mapping[str, list[float]]:
    """Accuracy, tokens and seconds under a policy, each [n]."""
    chosen = [pair.retrieved if retrieves(policy, pair) else pair.direct for pair in pairs]
    extra = [pair.gate_seconds if policy == "gate" else 0.0 for pair in pairs]
    return {
        "accuracy": [outcome.correct for outcome in chosen],
        "tokens": [outcome.tokens for outcome in chosen],
        "seconds": [outcome.seconds + more for outcome, more in zip(chosen, extra, strict=True)],
    }


def _result(
    policy: Policy, pairs: Sequence[AnswerPair], always: Mapping[str, list[float]]
) -> PolicyResult:
    values = _values(policy, pairs)
    retrieved = [pair for pair in pairs if retrieves(policy, pair)]
    return PolicyResult(
        accuracy=interval(values["accuracy"]),
        tokens=interval(values["tokens"]),
        seconds=interval(values["seconds"]),
        retrieval_rate=len(retrieved) / len(pairs),
        needless_rate=sum(pair.direct.correct > 0 for pair in retrieved) / len(pairs),
        against_always={name: difference(values[name], always[name]) for name in values},
    )


def _by_type(pairs: Sequence[AnswerPair]) -> dict[str, float]:
    return {
        "questions": len(pairs),
        "gate_retrieval_rate": fmean(pair.gate for pair in pairs),
        **{policy: fmean(_values(policy, pairs)["accuracy"]) for policy in POLICIES},
    }
