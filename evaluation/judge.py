"""Judge the answers of an evaluation with a chat model.

Three questions, each a prompt of its own: does the answer say what the gold answer says; do the
passages that it cites support its statements; does it cover the reference answer. The last two are
for answers in sentences. The ledger keeps every call, so judging again costs nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel

from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Record
from hopyard.indexes.kind import Progress, silent
from hopyard.measures.answers import is_no_answer, is_unanswered, score_answer
from hopyard.measures.questions import Question
from hopyard.nodes.run import Run
from hopyard.prompts.judging.judge_answer import (
    JUDGE_ANSWER,
    JUDGE_COVERAGE,
    JUDGE_SUPPORT,
    Point,
    Statement,
    Verdict,
    gold_lines,
)
from hopyard.prompts.passages import heading, one_line, passage_lines
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Budget, Context
from hopyard.state.storage.lines import write_lines

JUDGEMENTS_FILE: Final = "judgements.jsonl"
LONG_REFERENCE: Final = 8
"""Words of a gold answer that is a sentence, not a name, a number or a date."""
T = TypeVar("T")


class Judgement(BaseModel, frozen=True):
    """The judgement of one answer."""

    question_id: str
    strategy: str
    verdict: Verdict | None
    """None if the judge gave no usable verdict; the answer counts as not equivalent."""
    reason: str
    by: Literal["rule", "judge"]
    statements: tuple[Statement, ...] = ()
    """Empty if the answer states nothing, or its statements were not judged."""
    points: tuple[Point, ...] = ()
    """Of the reference answer; empty if the coverage was not judged."""
    failures: tuple[str, ...] = ()
    """Calls without a usable output, each in a sentence."""

    @property
    def judged(self) -> float:
        """1 for an equivalent answer, else 0."""
        return float(self.verdict == "equivalent")

    @property
    def supported(self) -> float | None:
        """Share of the statements that the cited passages support; None without a statement."""
        return _share([statement.supported for statement in self.statements])

    @property
    def covered(self) -> float | None:
        """Share of the reference answer's points that are covered; None without a point."""
        return _share([point.covered for point in self.points])


Judgements = Mapping[tuple[str, str], Judgement]
"""By question and strategy."""


class Finding(NamedTuple):
    """A verdict about one answer."""

    verdict: Verdict
    reason: str
    by: Literal["rule", "judge"]


def judge_context(context: Context, model: str) -> Context:
    """The settings of a judge's calls: the run's, with another model and without its budget."""
    return context.model_copy(update={"model": model, "budget": Budget(), "temperature": 0.0})


def has_long_references(questions: Iterable[Question]) -> bool:
    """Whether at least half of the gold answers are sentences."""
    words = [len(answer.split()) for question in questions for answer in question.answers[:1]]
    return bool(words) and median(words) >= LONG_REFERENCE


async def judge_records(
    plan: Plan,
    info: RunInfo,
    records: Iterable[Record],
    model: str,
    *,
    progress: Progress = silent,
) -> Judgements:
    """Judge the records of a plan's questions and strategies.

    Args:
        records: The answers; a question's last record of a strategy counts.
    """
    wanted = {question.id for question in plan.questions}
    styles = {
        variant.name: variant.apply_to(plan.context).answer.style for variant in plan.variants
    }
    chosen = {
        (record.question_id, record.strategy): record
        for record in records
        if record.question_id in wanted and record.strategy in styles
    }
    run = Run(f"eval/{info.run}/judge", judge_context(plan.context, model), plan.resources)
    long = has_long_references(plan.questions)
    judging = [
        _judge_record(run, record, in_sentences=long or styles[record.strategy] in {"full", "auto"})
        for record in chosen.values()
    ]
    found = await run_side_by_side(judging, plan.parallel, partial(progress, "judgements"))
    return dict(zip(chosen, found, strict=True))


async def judge_answer(run: Run, question: str, gold: Sequence[str], answer: str) -> Finding:
    """Judge whether an answer says the same as a gold answer; the clear cases need no call.

    Args:
        gold: Gold answers, each right by itself; empty, or an empty text, if there is no answer.
    """
    if score_answer(answer, gold)["em"] == 1:
        return Finding("equivalent", "The words are those of a gold answer.", "rule")
    if is_unanswered(answer):
        return Finding("different", "It gives no answer.", "rule")
    values = {
        "question": one_line(question),
        "gold": gold_lines(gold),
        "answer": one_line(answer),
    }
    found = await run.call(JUDGE_ANSWER, values, step="judge answer")
    return Finding(found.verdict, found.reason, "judge")


def save_judgements(judgements: Judgements, folder: Path) -> None:
    """Write every judgement with its reasons, one a line."""
    write_lines(folder / JUDGEMENTS_FILE, judgements.values())


async def _judge_record(run: Run, record: Record, *, in_sentences: bool) -> Judgement:
    found: dict[str, object] = {}
    failures: list[str] = []
    try:
        if record.failed:
            finding = Finding("different", "The run failed.", "rule")
        else:
            finding = await judge_answer(run, record.question, record.gold, record.answer)
        found = finding._asdict()
    except ModelOutputError as error:
        found = {"verdict": None, "reason": str(error), "by": "judge"}
        failures.append(str(error))
    if in_sentences:
        for name, read in (("statements", _statements), ("points", _points)):
            try:
                found[name] = await read(run, record)
            except ModelOutputError as error:
                failures.append(str(error))
    return Judgement.model_validate(
        {
            "question_id": record.question_id,
            "strategy": record.strategy,
            "failures": failures,
            **found,
        }
    )


async def _statements(run: Run, record: Record) -> Sequence[Statement]:
    """The answer's statements, each with whether the passages that it cites support it."""
    if record.failed or is_unanswered(record.answer):
        return ()
    cited = list(dict.fromkeys(str(citation["passage_id"]) for citation in record.citations))
    if not cited:
        reason = "The answer cites no passage."
        return (Statement(statement=record.answer, reason=reason, supported=False),)
    passages = await run.passages(cited)
    values = {
        "passages": passage_lines(
            [(heading(each.full_title, each.about), each.text) for each in passages]
        ),
        "question": one_line(record.question),
        "answer": one_line(record.answer),
    }
    return (await run.call(JUDGE_SUPPORT, values, step="judge support")).statements


async def _points(run: Run, record: Record) -> Sequence[Point]:
    reference = record.gold[0] if record.gold else ""
    if is_no_answer(reference):
        return ()
    answer = "" if record.failed else record.answer
    return await covered_points(run, record.question, reference, answer)


async def covered_points(run: Run, question: str, reference: str, answer: str) -> Sequence[Point]:
    """The points of a reference answer, each with whether an answer covers it.

    Args:
        run: With the judge's model.
        answer: The answer to judge; it may be empty.
    """
    if is_unanswered(answer):
        return (Point(point=reference, reason="There is no answer.", covered=False),)
    values = {
        "question": one_line(question),
        "reference": one_line(reference),
        "answer": one_line(answer),
    }
    return (await run.call(JUDGE_COVERAGE, values, step="judge coverage")).points


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


async def run_side_by_side(
    tasks: Sequence[Coroutine[Any, Any, T]], limit: int, done: Callable[[int, int], None]
) -> list[T]:
    """Run tasks, a limited number at once.

    Args:
        done: Called after each task with the number of finished tasks and of all tasks.

    Returns:
        The results, in the order of the tasks.

    Raises:
        Exception: The first error of a task; the other tasks are cancelled.
    """
    places, finished = asyncio.Semaphore(limit), 0

    async def run(task: Coroutine[Any, Any, T]) -> T:
        nonlocal finished
        async with places:
            result = await task
        finished += 1
        done(finished, len(tasks))
        return result

    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(run(task)) for task in tasks]
    except BaseExceptionGroup as errors:  # the first is the cause; the others were cancelled
        raise errors.exceptions[0] from errors
    finally:
        for task in tasks:
            task.close()  # without effect on a task that has started
    return [task.result() for task in running]
