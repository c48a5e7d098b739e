"""Ask one question of one strategy, and write down all that is needed to argue about the answer."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

from hopyard.evaluation.records import Found, PromptCalls, Record, RecordCost
from hopyard.evaluation.variants import Variant
from hopyard.graphs import router
from hopyard.indexes.corpus.records import Passage
from hopyard.measures.answers import is_unanswered, normalize_answer
from hopyard.measures.questions import Question
from hopyard.measures.retrieval import retrieval_measures
from hopyard.models.ledger import Entry
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import Run
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import ModelOutputError, UsageError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.usage import Usage, no_usage
from hopyard.state.verdicts import FELL_SHORT

_AGENT_KEYS: Final = (
    "run", "answer", "citations", "evidence", "steps", "truncated", "unconfirmed", "usage", "gate",
    "route",
)  # fmt: skip


async def paid_before(variant: Variant, context: Context, run: str, resources: Resources) -> Usage:
    """The earlier cost under a name; nothing for the agent, which names its own runs."""
    if variant.strategy == AUTO:
        return no_usage()
    return await Run(run, variant.apply_to(context), resources).usage()


async def ask(
    question: Question, variant: Variant, context: Context, run: str, resources: Resources
) -> tuple[Record, Usage]:
    """Ask, and measure the answer.

    Args:
        variant: Which strategy, under which settings.
        run: Under which name the calls are counted; the same name continues after a kill.

    Returns:
        The record, and what was paid under the name.
    """
    chosen, started = variant.apply_to(context), perf_counter()
    chosen = chosen.model_copy(update={"where": (*chosen.where, *question.where)})
    try:
        output = await _run(question.question, variant, chosen, run, resources)
    except (UsageError, ModelOutputError) as error:
        paid = await paid_before(variant, chosen, run, resources)
        output = {"answer": "", "failure": str(error), "run": run, "usage": paid}
    seconds = perf_counter() - started
    asked = Run(output["run"], chosen, resources)
    calls = await asyncio.to_thread(lambda: resources.ledger.calls_of(asked.id))
    named = _named_passages(output.get("steps", ()), output.get("evidence", ()))
    passages = {passage.id: passage for passage in await asked.passages(named)} if named else {}
    return _record(question, variant, output, calls, seconds, passages), output["usage"]


async def _run(
    question: str, variant: Variant, context: Context, run: str, resources: Resources
) -> dict[str, Any]:
    config = config_with(resources)
    if variant.strategy == AUTO:
        # The agent names its own run.
        given: Any = {"question": question}
        keys = list(_AGENT_KEYS)
        return dict(await router.graph.ainvoke(given, config, context=context, output_keys=keys))
    graph = STRATEGIES[variant.strategy].load_graph()
    output = await graph.ainvoke({"question": question, "run": run}, config, context=context)
    return {**output, "run": run}


def _named_passages(steps: Iterable[Mapping[str, Any]], evidence: Iterable[Any]) -> list[str]:
    """Every passage that a step or the answer names, once."""
    named = passage_ids(evidence)
    for step in steps:
        named += passage_ids(step.get("passages", ()))
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
    evidence = [
        _as_found(name, unit["score"], passages)
        for unit in output.get("evidence", ())
        for name in unit["passages"]
    ]
    texts = [passages[unit.passage_id].embedded_text for unit in evidence]
    steps = output.get("steps", ())
    by_prompt = _by_prompt(calls)
    answer = output["answer"]
    failed = _has_failed(output)
    scores = question.score(answer or UNKNOWN)
    retrieval = retrieval_measures(
        {question.id: [unit.document_id for unit in evidence]},
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
        failed=failed,
        **({"em": 0.0, "f1": 0.0, "accuracy": 0.0} if failed else scores),
        retrieval=retrieval.get(question.id),
        retrieved=bool(evidence),
        answer_in_evidence=_contains_answer(question.answers, texts),
        evidence=tuple(evidence),
        citations=tuple(output.get("citations", ())),
        steps=tuple(steps),
        gate=output.get("gate"),
        route=output.get("route"),
        truncated=output.get("truncated", False),
        unconfirmed=output.get("unconfirmed", ""),
        unanswered=is_unanswered(answer),
        failures=_failures(output, steps, by_prompt),
        cost=_cost(by_prompt, seconds),
        calls=by_prompt,
        documents={passage.id: passage.document_id for passage in passages.values()},
        run=output["run"],
    )


def _has_failed(output: Mapping[str, Any]) -> bool:
    """Whether there is no answer because the closing call failed, or the whole run.

    Its "Unknown" is no finding, and not right where the gold answer is that there is no answer.
    """
    closing = [step for step in output.get("steps", ()) if "answer" in step][-1:]
    return "failure" in output or (
        is_unanswered(output["answer"])
        and any(step.get("verdict") in FELL_SHORT for step in closing)
    )


def _as_found(passage_id: str, score: float, passages: Mapping[str, Passage]) -> Found:
    passage = passages[passage_id]
    return Found(
        passage_id=passage.id,
        document_id=passage.document_id,
        title=passage.title,
        score=score,
    )


def _contains_answer(answers: Iterable[str], texts: Iterable[str]) -> bool:
    """Whether one of the texts contains a gold answer, as whole words, normalised."""
    wanted = [f" {normalize_answer(answer)} " for answer in answers if normalize_answer(answer)]
    read = [f" {normalize_answer(text)} " for text in texts]
    return any(answer in text for answer in wanted for text in read)


def _by_prompt(calls: Sequence[tuple[Entry, bool]]) -> dict[str, PromptCalls]:
    totals: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for entry, cached in calls:
        totals[f"{entry.prompt}/{entry.version}"].update(
            {
                "calls": 1,
                "cached": int(cached),
                entry.outcome: 1,
                "input_tokens": entry.input_tokens,
                "output_tokens": entry.output_tokens,
                "estimated": int(entry.estimated),
                "seconds": entry.seconds,
            }
        )
    return {name: PromptCalls.model_validate(total) for name, total in totals.items()}


def _cost(by_prompt: Mapping[str, PromptCalls], seconds: float) -> RecordCost:
    every = by_prompt.values()
    return RecordCost(
        model_calls=sum(calls.calls for calls in every),
        cached_calls=sum(calls.cached for calls in every),
        input_tokens=sum(calls.input_tokens for calls in every),
        output_tokens=sum(calls.output_tokens for calls in every),
        estimated_calls=sum(calls.estimated for calls in every),
        seconds=round(sum(calls.seconds for calls in every), 3),
        wall_seconds=round(seconds, 3),
    )


def _failures(
    output: Mapping[str, Any],
    steps: Iterable[Mapping[str, Any]],
    by_prompt: Mapping[str, PromptCalls],
) -> tuple[str, ...]:
    """Steps that ended in a fallback, and outputs that fitted no schema, even if a retry did."""
    told = [output["failure"]] if "failure" in output else []
    told += [str(step.get("reason", "")) for step in steps if step.get("verdict") in FELL_SHORT]
    told += [
        f"{calls.failed} outputs of {name} fitted no schema"
        for name, calls in by_prompt.items()
        if calls.failed
    ]
    return tuple(told)
