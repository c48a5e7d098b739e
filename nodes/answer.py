"""Answering: from passages, or from what the model knows."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.indexes.records import Passage
from hopyard.models.call import call_model
from hopyard.nodes.citations import cite
from hopyard.nodes.finish import spent
from hopyard.nodes.resources import context_of, passages_of
from hopyard.prompts.answer import ANSWER, UNKNOWN
from hopyard.prompts.direct import DIRECT
from hopyard.prompts.passages import one_line, passage_lines
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.schemas import Evidence, StrategyState
from hopyard.state.settings import Context

__all__ = ("answer_directly", "answer_from_evidence", "read", "shown")

CHARACTERS_A_TOKEN = 4
"""English text in a language model's tokens, on average; used to cut snippets."""


async def answer_directly(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer without a document."""
    context = context_of(runtime)
    update: dict[str, Any] = {"citations": [], "evidence": [], "steps": []}
    try:
        output = await call_model(
            DIRECT,
            {"question": one_line(state["question"])},
            context=context,
            run=state["run"],
            final=True,
        )
    except (BudgetExceededError, ModelOutputError) as error:
        update |= _unanswered(state["question"], error)
    else:
        update["answer"] = output.answer
    return update | await spent(state["run"], context)


async def answer_from_evidence(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer from the passages found, and cite them."""
    context = context_of(runtime)
    steps = state.get("steps", [])
    update: dict[str, Any] = {"citations": []}
    try:
        answer, passages = await read(
            state["question"], state["evidence"], context, state["run"], final=True
        )
    except (BudgetExceededError, ModelOutputError) as error:
        update |= _unanswered(state["question"], error)
        update["steps"] = [*steps, *update["steps"]]
    else:
        update["answer"] = answer
        update["citations"] = cite(state["question"], answer, passages)
        update["steps"] = [
            *steps,
            {"step": "read", "question": state["question"], "answer": answer},
        ]
    return update | await spent(state["run"], context)


async def read(
    question: str, evidence: list[Evidence], context: Context, run: str, *, final: bool = False
) -> tuple[str, list[Passage]]:
    """Answer one question from passages.

    Returns:
        The short answer (`Unknown` where no passage was found), and the passages read.

    Raises:
        BudgetExceededError: The run's budget is used up.
        ModelOutputError: The model gave no usable answer.
    """
    passages = await passages_of([one["passage_id"] for one in evidence], context)
    if not passages:
        return UNKNOWN, []
    values = {"passages": shown(passages, context), "question": one_line(question)}
    output = await call_model(ANSWER, values, context=context, run=run, final=final)
    return output.answer, passages


def shown(passages: list[Passage], context: Context) -> str:
    """The passages as the model sees them, each cut to a snippet."""
    longest = context.retrieval.snippet_tokens * CHARACTERS_A_TOKEN
    return passage_lines([(passage.title, snippet(passage.text, longest)) for passage in passages])


def snippet(text: str, longest: int) -> str:
    """The beginning of a text, cut at a word."""
    if len(text) <= longest:
        return text
    return text[:longest].rsplit(None, 1)[0]


def _unanswered(question: str, error: Exception) -> dict[str, Any]:
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
            {"step": "read", "question": question, "verdict": "failed", "reason": str(error)}
        ],
    }
