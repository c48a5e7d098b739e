"""Run a plan: ask every question of every variant, in parallel, resumable, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from hopyard.evaluation.ask import ask, paid_before
from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import RecordFile
from hopyard.evaluation.variants import Variant
from hopyard.indexes.kind import Progress, silent
from hopyard.measures.questions import Question
from hopyard.state.settings.fields import Budget
from hopyard.state.usage import Usage


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes:
        asked: Records written by this run.
        stopped: The limit that ended it; "" if the run is complete.
    """

    asked: int = 0
    stopped: str = ""


async def run_plan(
    plan: Plan,
    info: RunInfo,
    records: RecordFile,
    *,
    limits: Budget,
    progress: Progress = silent,
) -> Outcome:
    """Ask every question that has no record yet.

    The variants of a question run one after another, so that identical calls are paid for once.
    Under a limit of calls or tokens the questions run one after another too, so that the run never
    exceeds it; under a limit of seconds, questions in progress still make their closing call. An
    answer that a limit cuts short is discarded; the ledger keeps its calls.

    Args:
        records: The records so far. New records are appended.
        limits: Model calls, tokens and seconds of this run; 0 is no limit.

    Raises:
        ModelUnreachableError: The model does not answer; finished records are kept.
    """
    done = records.done
    waiting = [
        (question, [each for each in plan.variants if (question.id, each.name) not in done])
        for question in plan.questions
    ]
    left = sum(len(missing) for _, missing in waiting)
    run = _Run(plan, info, records, _Allowance(limits), waiting[::-1], left, progress)
    run.report()
    workers = 1 if limits.calls or limits.tokens else max(1, min(plan.parallel, len(waiting)))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(run.work())
    except BaseExceptionGroup as errors:  # the first is the cause; the others were cancelled
        raise errors.exceptions[0] from errors
    return run.outcome


@dataclass
class _Allowance:
    """The remaining limits of the run."""

    limits: Budget
    calls: int = 0
    tokens: int = 0
    started: float = field(default_factory=monotonic)

    def budget(self, own: Budget, before: Usage) -> Budget | None:
        """The budget of the next answer; None if nothing is left.

        Args:
            before: The earlier cost of this answer, before a limit or a kill. The answer's run
                counts it, so the budget is larger by it.
        """
        seconds = monotonic() - self.started
        spent = {"calls": self.calls, "tokens": self.tokens, "seconds": seconds}
        paid = _amounts(before)
        values = own.model_dump()
        for name, limit in self.limits.model_dump(include={*spent}, exclude_none=True).items():
            if (left := limit - spent[name]) <= 0:
                return None
            allowed = left + paid[name]
            values[name] = min(allowed, values[name] or allowed)
        return Budget(**values)

    def spend(self, before: Usage, after: Usage) -> None:
        """Subtract what an answer has paid for."""
        was, now = _amounts(before), _amounts(after)
        self.calls += int(now["calls"] - was["calls"])
        self.tokens += int(now["tokens"] - was["tokens"])


@dataclass
class _Run:
    plan: Plan
    info: RunInfo
    records: RecordFile
    allowance: _Allowance
    waiting: list[tuple[Question, list[Variant]]]
    left: int
    progress: Progress
    outcome: Outcome = field(default_factory=Outcome)

    def report(self) -> None:
        """Tell how many answers there are."""
        total = len(self.plan.questions) * len(self.plan.variants)
        self.progress("answers", total - self.left, total)

    async def work(self) -> None:
        """Take questions one by one, and ask each of every variant that has not answered it."""
        while self.waiting and not self.outcome.stopped:
            question, variants = self.waiting.pop()
            for variant in variants:
                if not await self._ask(question, variant):
                    self.outcome.stopped = _limit(self.allowance.limits)
                    return

    async def _ask(self, question: Question, variant: Variant) -> bool:
        """Ask a variant; False if a limit has ended the run."""
        plan, own = self.plan, self.plan.context.budget
        run = f"eval/{self.info.run}/{variant.name}/{question.id}"
        before = await paid_before(variant, plan.context, run, plan.resources)
        budget = self.allowance.budget(own, before)
        if budget is None:
            return False
        context = plan.context.model_copy(update={"budget": budget})
        record, after = await ask(question, variant, context, run, plan.resources)
        self.allowance.spend(before, after)
        if record.truncated and _used_up(after, budget, own):
            # The run's limit cut it short, not the question's own budget: a later run asks again.
            return False
        self.records.append(record)
        self.outcome.asked += 1
        self.left -= 1
        self.report()
        return True


def _amounts(usage: Usage) -> dict[str, float]:
    """The amounts paid, under the names of a budget."""
    return {
        "calls": usage["model_calls"],
        "tokens": usage["input_tokens"] + usage["output_tokens"],
        "seconds": usage["seconds"],
    }


def _used_up(after: Usage, budget: Budget, own: Budget) -> bool:
    """Whether a limit below the question's own budget was used up."""
    spent, limits, owned = _amounts(after), budget.model_dump(), own.model_dump()
    spent["calls"] += 1  # the last call is reserved for the closing question
    return any(
        limits[name] and limits[name] != owned[name] and spent[name] >= limits[name]
        for name in spent
    )


def _limit(limits: Budget) -> str:
    named: Sequence[str] = [
        f"{value:g} {name.removesuffix('s') if value == 1 else name}"
        for name, value in limits.model_dump(exclude={"person"}).items()
        if value
    ]
    return " or ".join(named)
