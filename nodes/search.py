"""Search once with the question as it is."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.run import run_of
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Context

__all__ = ("search",)


async def search(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search with the method that the settings name."""
    run, question = await run_of(state, runtime), state["question"]
    evidence = await run.find(question, step="search")
    step = Step(id="search", kind="search", question=question, passages=evidence)
    if run.problem:
        step |= {"verdict": "fallback", "reason": run.problem}
    return {"evidence": evidence, "steps": [step], "truncated": run.out_of_budget}
