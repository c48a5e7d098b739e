"""Answering from what the model knows."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.answer import read_step, without_answer
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import run_of
from hopyard.prompts.answer import writing
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.schemas import StrategyState
from hopyard.state.settings.fields import Context


async def answer_directly(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer without a document."""
    run, question = await run_of(state, runtime), state["question"]
    update: dict[str, Any] = {"citations": [], "evidence": [], "steps": [], "unconfirmed": ""}
    values = {"question": one_line(question), "style": writing(run.settings.answer, passages=False)}
    attempt = await run.try_call(DIRECT, values, step="read", final=True)
    output = attempt.output
    if output is None:
        update |= without_answer(question, attempt)
    else:
        update["answer"] = output.answer
        if output.cut:
            update["steps"] = [read_step(question, output.answer, cut=True)]
    return await close_run(run, update)
