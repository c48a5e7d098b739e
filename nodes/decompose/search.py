"""Dense + query decomposition, a baseline: search for the sub-questions, answer once."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.evidence import in_shares
from hopyard.nodes.resources import context_of
from hopyard.nodes.search import find_passages
from hopyard.nodes.tree.decompose import echoes
from hopyard.prompts.decompose import DECOMPOSE
from hopyard.prompts.passages import rewritable
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings import Context

__all__ = ("SplitState", "search_sub_questions", "split_question")


class SplitState(StrategyState):
    """The strategy's state."""

    sub_questions: list[str]
    """What is searched for: two sub-questions, or the question itself."""


async def split_question(state: SplitState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask for two sub-questions, once; the question itself where there are none."""
    context, question = context_of(runtime), state["question"]
    step = Step(step="split", question=question)
    update: dict[str, Any] = {"sub_questions": [question]}
    try:
        split = await call_model(
            DECOMPOSE,
            {"question": rewritable(question), "rejected": ""},
            context=context,
            run=state["run"],
        )
    except (ModelOutputError, BudgetExceededError) as error:
        step["reason"] = str(error)
        update["truncated"] = isinstance(error, BudgetExceededError)
    else:
        if split.kind == "simple":
            step["reason"] = "the question is simple"
        elif echo := echoes(question, split):
            step["reason"] = f"not split: {echo}"
        else:
            update["sub_questions"] = [split.first, split.second]
    return update | {"steps": [step]}


async def search_sub_questions(state: SplitState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Give each of the m sub-questions k/m of the places."""
    context, asked = context_of(runtime), state["sub_questions"]
    found = await asyncio.gather(*(find_passages(one, context) for one in asked))
    steps = [
        Step(step="search", question=one, passages=passages)
        for one, passages in zip(asked, found, strict=True)
    ]
    return {
        "evidence": in_shares(found, context.retrieval.k),
        "steps": [*state["steps"], *steps],
    }
