"""Label and evaluate a gate with the agent's own search and answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from hopyard.classifiers.contributions import coalitions
from hopyard.classifiers.evaluate import GateEvaluation, measure_gate
from hopyard.classifiers.label import FoundPassages
from hopyard.classifiers.labels import Label
from hopyard.classifiers.policies import (
    AnswerOutcome,
    AnswerPair,
    compare_documents,
    compare_policies,
)
from hopyard.classifiers.retrieval_gate import OFF, Decision, RetrievalGate
from hopyard.cli.interrupts import run_async
from hopyard.evaluation.plan import Plan, check_plan, default_folder, open_info
from hopyard.evaluation.records import Record, RecordFile
from hopyard.evaluation.runner import run_plan
from hopyard.evaluation.variants import parse_variants
from hopyard.indexes.kind import Progress
from hopyard.measures.nearness import Nearness
from hopyard.measures.questions import Question
from hopyard.nodes.answer import format_passages
from hopyard.nodes.gate import measured_for, rule
from hopyard.nodes.index_facts import nearness_of
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.errors import UsageError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import AUTO, Budget, Context

if TYPE_CHECKING:
    from hopyard.classifiers.causal import Precision
    from hopyard.classifiers.contributions import ValueFunction

__all__ = ("evaluate_gate", "finder", "predictor", "read_texts", "value_function")

_ALWAYS: Final = f"{AUTO}@gate={OFF}"
"""The policy without a gate: the strategy of the route."""
_NEVER: Final = "direct"
_PARALLEL: Final = 4


def finder(
    context: Context, *, per_passage: bool = False
) -> Callable[[str], Awaitable[FoundPassages]]:
    """The search of the strategy `single`, under the run's settings.

    Args:
        context: The run's settings.
        per_passage: Give the text of each coalition of the passages, too.

    Raises:
        UsageError: The run names no index, or more passages than can be valued one by one.
        IndexMissingError: The index is missing or damaged.
    """
    if per_passage:
        coalitions(context.retrieval.k)  # refuses too many
    run = Run(new_run_id(), context, shared_resources())
    run_async(run.index())  # before a model is loaded

    async def find(question: str) -> FoundPassages:
        ids = passage_ids(await run.find(question))
        passages = await run.passages(ids)
        text = format_passages(passages, context)
        texts = [
            format_passages([passages[place] for place in coalition], context)
            for coalition in (coalitions(len(passages)) if per_passage and passages else ())
        ]
        return FoundPassages(tuple(ids), text, await nearness_of(run, question), tuple(texts))

    return find


def index_embedding(context: Context) -> str:
    """The name of the embedding model of the run's index.

    Raises:
        IndexMissingError: The index is missing or damaged.
    """
    return run_async(Run(new_run_id(), context, shared_resources()).embedding())


def value_function(name: str, context: Context, precision: Precision) -> ValueFunction:
    """The value function of that name for the run's model.

    Raises:
        UsageError: The model gives no token probabilities, which the function needs.
        ModelUnreachableError: The model cannot be loaded.
    """
    if name == "answer-f1":
        from hopyard.classifiers.answer_f1 import AnswerF1

        caller = shared_resources().caller(context.model)
        return AnswerF1(caller, context, new_run_id())
    from hopyard.classifiers.causal import load_causal
    from hopyard.classifiers.token_probability import TokenProbability

    return TokenProbability(load_causal(context.model, precision))


def predictor(context: Context, gate: RetrievalGate) -> Callable[[str], Decision]:
    """Return a gate's decision on a question, with the run's index and the rules beside the gate.

    Raises:
        IndexMissingError: The index is missing or damaged.
    """
    run = Run(new_run_id(), context, shared_resources())

    async def measured(question: str) -> tuple[Nearness, str]:
        return await nearness_of(run, question), await rule(run, question)

    def predict(question: str) -> Decision:
        near, reason = run_async(measured(question))
        usable = measured_for(near, run_async(run.embedding()), gate.manifest.embedding)
        found = gate.decide(question, context.gating, usable)
        return replace(found, retrieve=True, reason=reason) if reason else found

    return predict


def read_texts(path: Path) -> list[str]:
    """Read the `text` of every line.

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


def evaluate_gate(
    gate: RetrievalGate,
    labels: Sequence[Label],
    questions: Sequence[Question],
    context: Context,
    answers: Path | None,
    progress: Progress,
) -> GateEvaluation:
    """Measure a gate on labels, and end to end if there are questions.

    Args:
        gate: The gate.
        labels: Of held-out questions.
        questions: Answered with retrieval and without; may be empty.
        context: Model and index of the answers.
        answers: Where answers are kept; the same folder continues a stopped evaluation.
        progress: Called after each answer.
    """
    pairs: list[AnswerPair] = []
    if questions:
        records = _answer(questions, context, answers, progress)
        pairs = _pair_answers(gate, questions, records, context)
    return GateEvaluation(
        gate_model=gate.manifest.model,
        labels_model=", ".join(sorted({label.model for label in labels})),
        answers_model=shared_resources().caller(context.model).provider.identity if pairs else "",
        labels=measure_gate(gate, labels),
        end_to_end=compare_policies(pairs) if pairs else None,
        documents=compare_documents(pairs),
        latency_ms=round(1000 * median(p.gate_seconds for p in pairs), 2) if pairs else None,
        command="hopyard " + " ".join(_without_folders(text) for text in sys.argv[1:]),
    )


def _answer(
    questions: Sequence[Question], context: Context, answers: Path | None, progress: Progress
) -> list[Record]:
    """Answer every question with retrieval and without, and keep the records."""
    plan = Plan("gate", questions, parse_variants([_NEVER, _ALWAYS]), context, _ALWAYS, _PARALLEL)
    new, folder = check_plan(plan), answers or default_folder(plan)
    with RecordFile.open(folder) as file:
        info = open_info(folder, new)
        run_async(run_plan(plan, info, file, limits=Budget(), progress=progress))
        return list(file.records)


def _pair_answers(
    gate: RetrievalGate, questions: Sequence[Question], records: Sequence[Record], context: Context
) -> list[AnswerPair]:
    """Both answers of each question, with the gate's decision and its time."""
    known = {(record.question_id, record.strategy): _outcome(record) for record in records}
    predict = predictor(context, gate)
    predict(questions[0].question)  # the first call is not timed
    pairs = []
    for question in questions:
        started = perf_counter()
        retrieve = predict(question.question).retrieve
        seconds = perf_counter() - started
        retrieved, direct = known[question.id, _ALWAYS], known[question.id, _NEVER]
        supported = bool(question.supporting_ids)
        pairs.append(AnswerPair(question.type, supported, retrieved, direct, retrieve, seconds))
    return pairs


def _outcome(record: Record) -> AnswerOutcome:
    cost = record.cost
    return AnswerOutcome(record.accuracy, cost.input_tokens + cost.output_tokens, cost.seconds)


def _without_folders(argument: str) -> str:
    """An argument without the folders of this machine."""
    path = Path(argument)
    return path.name if path.is_absolute() else argument
