"""Estimate the cost of an evaluation from a sample of its questions.

The sample is asked in earnest, and its answers are kept as records: the run does not pay again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Record, RecordFile
from hopyard.evaluation.runner import run_plan
from hopyard.indexes.kind import Progress
from hopyard.state.settings.fields import Budget

T = TypeVar("T")

__all__ = ("EvaluationEstimate", "VariantEstimate", "estimate", "spread")


class VariantEstimate(BaseModel):
    """The remaining cost of one strategy."""

    model_config = ConfigDict(frozen=True)

    questions: int
    """Questions without a record."""
    model_calls: int
    """To be paid for; what an earlier strategy will have paid is not counted again."""
    tokens: int
    seconds: float


class EvaluationEstimate(BaseModel):
    """The remaining cost in total."""

    model_config = ConfigDict(frozen=True)

    model: str
    sampled: int
    """Questions with records of every strategy that the estimate rests on."""
    strategies: dict[str, VariantEstimate]
    model_calls: int
    tokens: int
    seconds: float
    """One call after another."""


async def estimate(
    plan: Plan, info: RunInfo, records: RecordFile, *, sample: int, progress: Progress
) -> EvaluationEstimate:
    """Ask a few questions, spread evenly over the plan, and count up what the others would cost.

    Args:
        plan: The whole evaluation.
        info: The settings of the records.
        records: Those there are; the sample's are appended.
        sample: Questions to ask.
        progress: Told after each answer.

    Raises:
        ModelUnreachableError: The model does not answer.
    """
    asked = replace(plan, questions=spread(plan.questions, sample))
    await run_plan(asked, info, records, limits=Budget(), progress=progress)
    sampled = {question.id for question in asked.questions}
    seen = [record for record in records.records if record.question_id in sampled]
    done = records.done
    strategies = {}
    for variant in plan.variants:
        left = sum((question.id, variant.name) not in done for question in plan.questions)
        of_variant = [record for record in seen if record.strategy == variant.name]
        strategies[variant.name] = _estimate_rest(of_variant, left)
    every = strategies.values()
    return EvaluationEstimate(
        model=info.model,
        sampled=len(sampled),
        strategies=strategies,
        model_calls=sum(variant.model_calls for variant in every),
        tokens=sum(variant.tokens for variant in every),
        seconds=round(sum(variant.seconds for variant in every), 1),
    )


def spread(items: Sequence[T], count: int) -> list[T]:
    """So many items, each from the middle of an equal part of the list; all where it is shorter."""
    count = min(count, len(items))
    return [items[(2 * part + 1) * len(items) // (2 * count)] for part in range(count)]


def _estimate_rest(records: list[Record], questions: int) -> VariantEstimate:
    """The mean of the sample's paid calls, times the questions left."""
    calls, tokens, seconds = [], [], []
    for record in records:
        shares = [
            (prompt, 1 - prompt.cached / prompt.calls)
            for prompt in record.calls.values()
            if prompt.calls
        ]
        calls.append(sum(prompt.calls * share for prompt, share in shares))
        tokens.append(
            sum((prompt.input_tokens + prompt.output_tokens) * share for prompt, share in shares)
        )
        seconds.append(sum(prompt.seconds * share for prompt, share in shares))
    return VariantEstimate(
        questions=questions,
        model_calls=round(fmean(calls) * questions) if calls else 0,
        tokens=round(fmean(tokens) * questions) if tokens else 0,
        seconds=round(fmean(seconds) * questions, 1) if seconds else 0.0,
    )
