"""Dense + query decomposition, a baseline: search for the sub-questions, answer once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.evidence import merge_in_shares
from hopyard.nodes.run import run_of
from hopyard.nodes.tree.decompose import echoes
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.decompose import DECOMPOSE
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Context

__all__ = ("SplitState", "search_sub_questions", "split_question")


class SplitState(StrategyState):
    """The strategy's state."""

    sub_questions: list[str]
    """The search texts: two sub-questions, or the question itself."""


async def split_question(state: SplitState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask once for two sub-questions. If there are none, use the question itself."""
    run, question = await run_of(state, runtime), state["question"]
    step = Step(id="split", kind="split", title="Split the question", question=question)
    update: dict[str, Any] = {"sub_questions": [question]}
    try:
        values = {"question": one_line(question), "rejected": ""}
        split = await run.call(DECOMPOSE, values, step="split")
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
    run, asked = await run_of(state, runtime), state["sub_questions"]

    async def search(number: int, question: str) -> Step:
        step = Step(id=f"search-{number}", kind="search", question=question)
        own = replace(run, problems=[])
        step["passages"] = await own.find(question, step=step["id"])
        if own.problem:
            run.problems.extend(own.problems)
            step |= {"verdict": "fallback", "reason": own.problem}
        return step

    steps = await asyncio.gather(*map(search, range(1, len(asked) + 1), asked))
    found = [step["passages"] for step in steps]
    return {
        "evidence": merge_in_shares(found, run.settings.retrieval.k),
        "steps": [*state["steps"], *steps],
        "truncated": state["truncated"] or run.out_of_budget,
    }
