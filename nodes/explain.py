"""Explain an answer: how much of it rests on each passage (`classifiers.contributions`)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.classifiers.contributions import (
    coalitions,
    passage_contributions,
    shares_of_answer,
)
from hopyard.indexes.records import Passage
from hopyard.measures.answers import token_f1
from hopyard.nodes.answer import format_passages
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.passages import one_line
from hopyard.prompts.style import writing
from hopyard.state.agent import AgentState
from hopyard.state.errors import BudgetExceededError, HopyardError
from hopyard.state.markers import renumber
from hopyard.state.schemas import (
    Explanation,
    PassageShare,
    Step,
    passage_evidence,
    passage_ids,
)
from hopyard.state.settings import Context

__all__ = ("MOST_EXPLAINED", "explain_answer")

MOST_EXPLAINED: Final = 5
"""Passages at most: 31 calls."""
_STEP: Final = "explain"


async def explain_answer(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Say how much of the answer rests on each passage that it cites, or was read from.

    The answer stays as it is, whatever fails here. Finished calls are in the ledger, so a run that
    is killed here pays for none of them again.
    """
    answer = renumber(state["answer"], {})
    cited = [citation["passage_id"] for citation in state["citations"]]
    names = list(dict.fromkeys(cited)) or passage_ids(state["evidence"])
    if is_unknown(answer) or not names:
        return {}
    run = await run_of(state, runtime)
    try:
        passages = await run.passages(names[:MOST_EXPLAINED])
        values = await _values(run, state["question"], answer, passages)
    except HopyardError as error:
        verdict = "budget" if isinstance(error, BudgetExceededError) else "failed"
        reason = str(error)
        step = Step(
            id=_STEP,
            kind=_STEP,
            title="The shares of the passages are unknown",
            verdict=verdict,
            reason=reason,
        )
        return {"steps": [step]}
    contributions = await asyncio.to_thread(passage_contributions, values)
    shares, without = shares_of_answer(contributions, values[0])
    explanation = Explanation(
        passages=[
            PassageShare(passage_id=passage.id, contribution=contribution, share=share)
            for passage, contribution, share in zip(passages, contributions, shares, strict=True)
        ],
        without=without,
    )
    return {"explanation": explanation, "steps": [_told(explanation, passages)]}


async def _values(run: Run, question: str, answer: str, passages: Sequence[Passage]) -> list[float]:
    """The token F1 of the answer with the answer of each coalition of its passages.

    The answer from all of them is the answer itself.
    """
    *smaller, _ = coalitions(len(passages))
    given = await asyncio.gather(
        *(
            _answer_from(run, question, [passages[place] for place in coalition])
            for coalition in smaller
        ),
        return_exceptions=True,  # calls under way are finished before one that failed ends this
    )
    values = []
    for found in given:
        if isinstance(found, BaseException):
            raise found
        values.append(0.0 if is_unknown(found) else token_f1(found, answer))
    return [*values, 1.0]


async def _answer_from(run: Run, question: str, passages: Sequence[Passage]) -> str:
    """The answer that the product's own prompt gives with these passages alone."""
    values = {
        "passages": format_passages(passages, run.settings) or "none",
        "question": one_line(question),
        "style": writing(run.settings.answer),
    }
    output = await run.call(ANSWER, values, step=_STEP)
    return renumber(output.answer, {})


def _told(explanation: Explanation, passages: Sequence[Passage]) -> Step:
    """The step's fields: the largest share, and the shares of all passages as their scores."""
    shares, without = [each["share"] for each in explanation["passages"]], explanation["without"]
    most = passages[shares.index(max(shares))]
    title = f"This answer rests {100 * max(shares):.0f} % on {most.title or most.id}"
    if without > max(shares):
        title = f"The model says {100 * without:.0f} % of this answer without its passages"
    told = Step(
        id=_STEP,
        kind=_STEP,
        title=title,
        passages=[
            passage_evidence(passage.id, share)
            for passage, share in zip(passages, shares, strict=True)
        ],
    )
    if without > 0:
        told["facts"] = {"without them": f"{without:.2f}"}
    return told
