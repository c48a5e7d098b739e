"""Judge answers pair by pair: which of two conditions answers a question better, by four criteria.

Edge et al., "From Local to Global" (GraphRAG), 2024, section 4.1.2. The
ledger keeps every call, so a stopped judging continues, and a repeated one
costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.judge import judge_context, run_side_by_side
from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Record
from hopyard.indexes.kind import Progress, silent
from hopyard.nodes.run import Run
from hopyard.prompts.passages import one_line
from hopyard.state.errors import ModelOutputError
from hopyard.state.storage.lines import write_lines
from hopyard.state.text.markers import renumber
from lab.global_eval.judge_pair import CRITERIA, JUDGE_PAIR, quoted

__all__ = ("PAIRS_FILE", "PairJudgement", "judge_pairs", "pairs_of", "save_pairs", "shown_answer")

PAIRS_FILE: Final = "pairs.jsonl"
_REPEAT_TEMPERATURE: Final = 0.7
"""Of every repeat but the first: at temperature 0 each would say the same."""
_SEEDS: Final = 100
"""Distance between the seeds of repeats; a retry adds 1 to its seed."""


class PairJudgement(BaseModel):
    """One judgement of two answers to a question."""

    model_config = ConfigDict(frozen=True)

    question_id: str
    first: str
    """The condition whose answer was shown first."""
    second: str
    repeat: int = 0
    by: Literal["rule", "judge"]
    winners: dict[str, str] = {}
    """By criterion: the condition that won, or "" for a tie. Empty if the judge gave no usable
    verdict."""
    reasons: dict[str, str] = {}
    """By criterion: why, in a sentence."""
    failure: str = ""
    """Why there is no verdict."""


class _Comparison(NamedTuple):
    """Two answers to judge."""

    first: Record
    second: Record
    repeat: int


def pairs_of(names: Sequence[str], baselines: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The pairs of conditions to compare.

    Args:
        names: All conditions.
        baselines: Only pairs with one of these; empty for all pairs.
    """
    return [
        pair
        for pair in combinations(names, 2)
        if not baselines or not {*baselines}.isdisjoint(pair)
    ]


async def judge_pairs(
    plan: Plan,
    info: RunInfo,
    records: Iterable[Record],
    model: str,
    *,
    pairs: Sequence[tuple[str, str]],
    repeats: int = 1,
    progress: Progress = silent,
) -> list[PairJudgement]:
    """Judge each pair of answers, in both orders, once or several times.

    Args:
        plan: The plan of the evaluation.
        info: The settings of the records.
        records: The answers; a question's last record of a condition counts. Pairs whose answers
            are not both there are left out.
        model: The judge, by name.
        pairs: Pairs of conditions.
        repeats: How often each order is judged. The first time has temperature 0.
        progress: Called after each judgement.

    Returns:
        The judgements, question by question. Clear cases have one judgement by rule: the same
        answer is a tie, and an answer wins against none.

    Raises:
        ModelUnreachableError: The judge does not answer.
    """
    run = Run(f"eval/{info.run}/pairs", judge_context(plan.context, model), plan.resources)
    judging = [_judge(run, each) for each in _comparisons(plan, records, pairs, repeats)]
    return await run_side_by_side(judging, plan.parallel, partial(progress, "pairs"))


def save_pairs(judgements: Iterable[PairJudgement], folder: Path) -> None:
    """Write every judgement with its reasons, one a line."""
    write_lines(folder / PAIRS_FILE, judgements)


def _comparisons(
    plan: Plan, records: Iterable[Record], pairs: Sequence[tuple[str, str]], repeats: int
) -> Iterator[_Comparison]:
    """Both orders of each pair of answers; clear cases once."""
    answers = {(record.question_id, record.strategy): record for record in records}
    for question in plan.questions:
        for pair in pairs:
            one, other = (answers.get((question.id, name)) for name in pair)
            if one is None or other is None:
                continue
            yield _Comparison(one, other, 0)
            if _rule(one, other) is None:
                yield _Comparison(other, one, 0)
                for repeat in range(1, repeats):
                    yield _Comparison(one, other, repeat)
                    yield _Comparison(other, one, repeat)


async def _judge(run: Run, comparison: _Comparison) -> PairJudgement:
    first, second, repeat = comparison
    found = PairJudgement(
        question_id=first.question_id,
        first=first.strategy,
        second=second.strategy,
        repeat=repeat,
        by="judge",
    )
    if (winner := _rule(first, second)) is not None:
        return found.model_copy(update={"by": "rule", "winners": dict.fromkeys(CRITERIA, winner)})
    values = {
        "question": one_line(first.question),
        "first": quoted(shown_answer(first)),
        "second": quoted(shown_answer(second)),
    }
    if repeat:
        seed = run.settings.seed + _SEEDS * repeat
        run = run.with_settings(temperature=_REPEAT_TEMPERATURE, seed=seed)
    try:
        verdict = await run.call(JUDGE_PAIR, values, step="judge pair")
    except ModelOutputError as error:
        return found.model_copy(update={"failure": str(error)})
    choices = {name: getattr(verdict, name) for name in CRITERIA}
    names = {"1": first.strategy, "2": second.strategy, "tie": ""}
    return found.model_copy(
        update={
            "winners": {name: names[choice.winner] for name, choice in choices.items()},
            "reasons": {name: choice.reason for name, choice in choices.items()},
        }
    )


def _rule(one: Record, other: Record) -> str | None:
    """The winner that needs no judge, "" for a tie; None if the judge decides."""
    answer, compared = shown_answer(one), shown_answer(other)
    if answer == compared:
        return ""
    if not answer:
        return other.strategy
    return None if compared else one.strategy


def shown_answer(record: Record) -> str:
    """The answer without markers, which would tell how it was made; "" without an answer."""
    if record.failed or record.unanswered:
        return ""
    return renumber(record.answer, {}).strip()
