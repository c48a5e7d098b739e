"""What labelling and evaluating a gate take from the agent: its search, and its answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from hopyard.classifiers.evaluate import Evaluation, measured_on
from hopyard.classifiers.label import Found
from hopyard.classifiers.labels import Label
from hopyard.classifiers.policies import Answers, Comparison, Outcome, compare
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.evaluation.plan import Plan, default_folder, open_info, prepared
from hopyard.evaluation.records import Record, RecordFile
from hopyard.evaluation.runner import run_plan
from hopyard.evaluation.variants import parse_variants
from hopyard.indexes.derived import Progress
from hopyard.measures.questions import Question
from hopyard.models.call import model_caller
from hopyard.nodes.answer import shown
from hopyard.nodes.resources import index_of, new_run, passages_of
from hopyard.nodes.search import find_passages
from hopyard.state.errors import UsageError
from hopyard.state.settings import Budget, Context

if TYPE_CHECKING:
    from hopyard.classifiers.causal import Precision
    from hopyard.classifiers.contributions import ValueFunction

__all__ = ("evaluation_of", "finder", "read_texts", "value_function")

_ALWAYS: Final = "single"
_NEVER: Final = "direct"
_PARALLEL: Final = 4


def finder(context: Context) -> Callable[[str], Awaitable[Found]]:
    """The search of the strategy `single`, under the run's settings.

    Raises:
        UsageError: The run names no index.
        IndexMissingError: The index is missing or damaged.
    """
    asyncio.run(index_of(context))  # before a model is loaded

    async def find(question: str) -> Found:
        evidence = await find_passages(question, context)
        ids = [one["passage_id"] for one in evidence]
        passages = await passages_of(ids, context)
        return Found(tuple(ids), shown(passages, context))

    return find


def value_function(name: str, context: Context, precision: Precision) -> ValueFunction:
    """The value function of that name for the run's model.

    Raises:
        UsageError: The model gives no token probabilities, and they were asked for.
        ModelUnreachableError: The model cannot be loaded.
    """
    if name == "answer-f1":
        from hopyard.classifiers.answer_f1 import AnswerF1

        return AnswerF1(context, new_run())
    from hopyard.classifiers.causal import load_causal
    from hopyard.classifiers.token_probability import TokenProbability

    return TokenProbability(load_causal(context.model, precision))


def read_texts(path: Path) -> list[str]:
    """The `text` of every line.

    Raises:
        UsageError: The file cannot be read, or a line has no text.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [str(json.loads(line)["text"]) for line in lines if line.strip()]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"The text {str(path)!r} cannot be read ({error!r}); write one JSON object a line, "
            'as in {"text": "…"}.'
        ) from error


def evaluation_of(
    gate: RetrievalGate,
    labels: Sequence[Label],
    questions: Sequence[Question],
    context: Context,
    answers: Path | None,
    progress: Progress,
) -> Evaluation:
    """Measure a gate on labels, and end to end where there are questions.

    Args:
        gate: The gate.
        labels: Of held-out questions.
        questions: Answered with retrieval and without; none for labels alone.
        context: Model and index of the answers.
        answers: Where answers are kept; a stopped evaluation goes on from there.
        progress: Told after each answer.
    """
    compared, answered_by, seconds = None, "", [0.0]
    if questions:
        records = _answered(questions, context, answers, progress)
        compared, seconds = _compared(gate, questions, records, context)
        answered_by = model_caller(context.model).provider.identity
    return Evaluation(
        gate_model=gate.manifest.model,
        labels_model=", ".join(sorted({one.model for one in labels})),
        answers_model=answered_by,
        labels=measured_on(gate, labels),
        end_to_end=compared,
        latency_ms=round(1000 * median(seconds), 2) if questions else None,
        command="hopyard " + " ".join(_shown(one) for one in sys.argv[1:]),
    )


def _answered(
    questions: Sequence[Question], context: Context, answers: Path | None, progress: Progress
) -> list[Record]:
    """Every question's answer with retrieval and without, as `hopyard eval` keeps them."""
    plan = Plan("gate", questions, parse_variants([_NEVER, _ALWAYS]), context, _ALWAYS, _PARALLEL)
    new, folder = prepared(plan), answers or default_folder(plan)
    with RecordFile.opened(folder) as file:
        info = open_info(folder, new)
        asyncio.run(run_plan(plan, info, file, limits=Budget(), progress=progress))
        return list(file.records)


def _compared(
    gate: RetrievalGate, questions: Sequence[Question], records: Sequence[Record], context: Context
) -> tuple[Comparison, list[float]]:
    """All policies on those answers, and the seconds of each decision."""
    known = {(one.question_id, one.strategy): _outcome(one) for one in records}
    gate.decide(questions[0].question, context.gating)  # the first call is not timed
    found = []
    for one in questions:
        started = perf_counter()
        retrieve = gate.decide(one.question, context.gating).retrieve
        seconds = perf_counter() - started
        retrieved, direct = known[one.id, _ALWAYS], known[one.id, _NEVER]
        found.append(Answers(one.type, retrieved, direct, retrieve, seconds))
    return compare(found), [one.gate_seconds for one in found]


def _outcome(record: Record) -> Outcome:
    cost = record.cost
    return Outcome(record.accuracy, cost.input_tokens + cost.output_tokens, cost.seconds)


def _shown(argument: str) -> str:
    """An argument without the folders of this machine."""
    path = Path(argument)
    return path.name if path.is_absolute() else argument
