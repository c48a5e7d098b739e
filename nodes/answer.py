"""Answering: from passages, or from what the model knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.records import Passage
from hopyard.nodes.citations import cite
from hopyard.nodes.run import Run, close_run, run_of
from hopyard.prompts.answer import ANSWER, UNKNOWN
from hopyard.prompts.direct import DIRECT
from hopyard.prompts.passages import (
    CHARACTERS_A_TOKEN,
    heading,
    one_line,
    passage_lines,
    snippet,
)
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.schemas import Evidence, Step, StrategyState, add_reason, passage_ids
from hopyard.state.settings import Context, profile_of

__all__ = (
    "PassageAnswer",
    "answer_directly",
    "answer_from_evidence",
    "answer_from_passages",
    "format_passages",
    "mark_cut",
)


@dataclass(frozen=True)
class PassageAnswer:
    """What reading some passages gave.

    Attributes:
        answer: The short answer; `Unknown` where there was no passage to read.
        passages: What the model was shown.
        cut: Whether the answer reached its limit and was cut there.
    """

    answer: str
    passages: list[Passage]
    cut: bool = False


async def answer_directly(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer without a document."""
    run, question = await run_of(state, runtime), state["question"]
    update: dict[str, Any] = {"citations": [], "evidence": [], "steps": []}
    try:
        output = await run.call(DIRECT, {"question": one_line(question)}, step="read", final=True)
    except (BudgetExceededError, ModelOutputError) as error:
        update |= _fail_to_answer(question, error)
    else:
        update["answer"] = output.answer
        if output.cut:
            update["steps"] = [_read_step(question, output.answer, cut=True)]
    return update | await close_run(run)


async def answer_from_evidence(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the evidence found, and cite it."""
    run, question = await run_of(state, runtime), state["question"]
    steps = state.get("steps", [])
    update: dict[str, Any] = {"citations": []}
    try:
        reading = await answer_from_passages(
            run, question, state["evidence"], step="read", final=True
        )
    except (BudgetExceededError, ModelOutputError) as error:
        update |= _fail_to_answer(question, error)
        update["steps"] = [*steps, *update["steps"]]
    else:
        update["answer"] = reading.answer
        update["citations"] = cite(question, reading.answer, reading.passages)
        update["steps"] = [*steps, _read_step(question, reading.answer, cut=reading.cut)]
    return update | await close_run(run)


async def answer_from_passages(
    run: Run, question: str, evidence: list[Evidence], *, step: str, final: bool = False
) -> PassageAnswer:
    """Answer one question from the passages behind some evidence.

    Raises:
        BudgetExceededError: The run's budget is used up.
        ModelOutputError: The model gave no usable answer.
    """
    passages = await run.passages(passage_ids(evidence))
    if not passages:
        return PassageAnswer(UNKNOWN, [])
    values = {
        "passages": format_passages(passages, run.settings),
        "question": one_line(question),
    }
    output = await run.call(ANSWER, values, step=step, final=final)
    return PassageAnswer(output.answer, passages, output.cut)


def format_passages(passages: list[Passage], settings: Context) -> str:
    """The passages as the model sees them, each cut to a snippet."""
    longest = settings.retrieval.snippet_tokens * CHARACTERS_A_TOKEN
    profile = profile_of(settings)
    return passage_lines(
        [
            (heading(passage.title, passage.about, profile), snippet(passage.text, longest))
            for passage in passages
        ]
    )


def mark_cut(step: Step) -> Step:
    """The step of an answer that was cut."""
    reason = add_reason(step.get("reason", ""), "the answer reached its limit and ends there")
    return {**step, "verdict": "cut", "reason": reason}


def _read_step(question: str, answer: str, *, cut: bool) -> Step:
    step = Step(id="read", kind="read", title="Answer", question=question, answer=answer)
    return mark_cut(step) if cut else step


def _fail_to_answer(question: str, error: Exception) -> dict[str, Any]:
    """What is said when the closing call failed: that it failed, and why.

    Raises:
        CallFailedError: That is what the error is: a resumed run may have more luck.
    """
    if isinstance(error, CallFailedError):
        raise error
    return {
        "answer": UNKNOWN,
        "truncated": isinstance(error, BudgetExceededError),
        "steps": [
            _read_step(question, "", cut=False) | {"verdict": "failed", "reason": str(error)}
        ],
    }
