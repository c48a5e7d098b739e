"""Ask one question of one strategy, and write down all that is needed to argue about the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

from hopyard.evaluation.records import Cost, Found, PromptCalls, Record
from hopyard.evaluation.variants import Variant
from hopyard.graphs import router
from hopyard.indexes.records import Passage
from hopyard.measures.answers import is_unanswered, measured, normalized
from hopyard.measures.questions import Question
from hopyard.measures.retrieval import retrieval_measures
from hopyard.models.call import model_caller, usage_of
from hopyard.models.ledger import Entry
from hopyard.nodes.resources import passages_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import ModelOutputError, UsageError
from hopyard.state.settings import Context
from hopyard.state.usage import Usage, no_usage

__all__ = ("ask", "paid_before")

_AUTO: Final = "auto"
_AGENT_KEYS: Final = (
    "run",
    "answer",
    "citations",
    "evidence",
    "steps",
    "truncated",
    "usage",
    "gate",
    "route",
)
_FAILED: Final = frozenset({"failed", "fallback"})


async def paid_before(variant: Variant, context: Context, run: str) -> Usage:
    """What was paid under a name before; nothing for the agent, which names its own runs."""
    if variant.strategy == _AUTO:
        return no_usage()
    return await asyncio.to_thread(usage_of, run, variant.applied(context))


async def ask(
    question: Question, variant: Variant, context: Context, run: str
) -> tuple[Record, Usage]:
    """Ask, and measure the answer.

    Args:
        question: With its gold answers.
        variant: Which strategy, under which settings.
        context: The evaluation's settings.
        run: Under which name the calls are counted; the same name goes on after a kill.

    Returns:
        The record, and what was paid under the name.

    Raises:
        ModelUnreachableError: The model does not answer.
        IndexMissingError: The index is not there, or lacks a part that the strategy needs.
    """
    chosen, started = variant.applied(context), perf_counter()
    try:
        output = await _run(question.question, variant, chosen, run)
    except (UsageError, ModelOutputError) as error:
        paid = await paid_before(variant, chosen, run)
        output = {"answer": "", "failure": str(error), "run": run, "usage": paid}
    seconds = perf_counter() - started
    caller = await asyncio.to_thread(model_caller, chosen.model)
    calls = await asyncio.to_thread(caller.ledger.calls_of, output["run"])
    named = _named_passages(output.get("steps", ()), output.get("evidence", ()))
    passages = {one.id: one for one in await _passages(named, chosen)}
    return _record(question, variant, output, calls, seconds, passages), output["usage"]


async def _run(question: str, variant: Variant, context: Context, run: str) -> dict[str, Any]:
    if variant.strategy == _AUTO:
        # The agent names its own run.
        given: Any = {"question": question}
        return dict(
            await router.graph.ainvoke(given, context=context, output_keys=list(_AGENT_KEYS))
        )
    graph: Any = router.STRATEGY_GRAPHS[variant.strategy]
    output = await graph.ainvoke({"question": question, "run": run}, context=context)
    return {**output, "run": run}


async def _passages(passage_ids: list[str], context: Context) -> list[Passage]:
    return await passages_of(passage_ids, context) if passage_ids else []


def _named_passages(steps: Iterable[Mapping[str, Any]], evidence: Iterable[Any]) -> list[str]:
    """Every passage that a step or the answer names, once."""
    named = [one["passage_id"] for one in evidence]
    for step in steps:
        named += [one["passage_id"] for one in step.get("passages", ())]
        named += [step[end] for end in ("tail", "head") if end in step]
    return list(dict.fromkeys(named))


def _record(
    question: Question,
    variant: Variant,
    output: Mapping[str, Any],
    calls: Sequence[tuple[Entry, bool]],
    seconds: float,
    passages: Mapping[str, Passage],
) -> Record:
    evidence = [_found(one, passages) for one in output.get("evidence", ())]
    texts = [passages[one.passage_id].embedded_text for one in evidence]
    steps = output.get("steps", ())
    by_prompt = _by_prompt(calls)
    answer = output["answer"]
    retrieval = retrieval_measures(
        {question.id: [one.document_id for one in evidence]},
        {question.id: question.supporting_ids},
    )
    return Record(
        question_id=question.id,
        strategy=variant.name,
        question=question.question,
        type=question.type,
        gold=question.answers,
        supporting_ids=question.supporting_ids,
        answer=answer,
        **measured(answer or UNKNOWN, question.answers),
        retrieval=retrieval.get(question.id),
        retrieved=bool(evidence),
        answer_in_evidence=_stands_in(question.answers, texts),
        evidence=tuple(evidence),
        citations=tuple(output.get("citations", ())),
        steps=tuple(steps),
        gate=output.get("gate"),
        route=output.get("route"),
        truncated=output.get("truncated", False),
        unanswered=is_unanswered(answer),
        failures=_failures(output, steps, by_prompt),
        cost=_cost(by_prompt, seconds),
        calls=by_prompt,
        documents={one.id: one.document_id for one in passages.values()},
    )


def _found(evidence: Mapping[str, Any], passages: Mapping[str, Passage]) -> Found:
    passage = passages[evidence["passage_id"]]
    return Found(
        passage_id=passage.id,
        document_id=passage.document_id,
        title=passage.title,
        score=evidence["score"],
    )


def _stands_in(answers: Iterable[str], texts: Iterable[str]) -> bool:
    """Whether a gold answer stands in one of the texts, whole words, normalised."""
    wanted = [f" {normalized(answer)} " for answer in answers if normalized(answer)]
    read = [f" {normalized(text)} " for text in texts]
    return any(answer in text for answer in wanted for text in read)


def _by_prompt(calls: Sequence[tuple[Entry, bool]]) -> dict[str, PromptCalls]:
    totals: dict[str, dict[str, Any]] = {}
    for entry, cached in calls:
        total = totals.setdefault(f"{entry.prompt}/{entry.version}", {})
        added = {
            "calls": 1,
            "cached": int(cached),
            entry.outcome: 1,
            "input_tokens": entry.input_tokens,
            "output_tokens": entry.output_tokens,
            "seconds": entry.seconds,
        }
        for name, value in added.items():
            total[name] = total.get(name, 0) + value
    return {name: PromptCalls(**total) for name, total in totals.items()}


def _cost(by_prompt: Mapping[str, PromptCalls], seconds: float) -> Cost:
    every = by_prompt.values()
    return Cost(
        model_calls=sum(one.calls for one in every),
        cached_calls=sum(one.cached for one in every),
        input_tokens=sum(one.input_tokens for one in every),
        output_tokens=sum(one.output_tokens for one in every),
        seconds=round(sum(one.seconds for one in every), 3),
        wall_seconds=round(seconds, 3),
    )


def _failures(
    output: Mapping[str, Any],
    steps: Iterable[Mapping[str, Any]],
    by_prompt: Mapping[str, PromptCalls],
) -> tuple[str, ...]:
    """What ended in a fallback, and outputs that fitted no schema even where a retry did."""
    told = [output["failure"]] if "failure" in output else []
    told += [str(step.get("reason", "")) for step in steps if step.get("verdict") in _FAILED]
    told += [
        f"{calls.failed} outputs of {name} fitted no schema"
        for name, calls in by_prompt.items()
        if calls.failed
    ]
    return tuple(told)
