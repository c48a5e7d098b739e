"""Search once with the question as it is."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import run_of
from hopyard.state.schemas import Step, StrategyState
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK

__all__ = ("search",)


async def search(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search with the method that the settings name."""
    run, question = await run_of(state, runtime), state["question"]
    found = await find_to_read(run, question, step="search")
    step = Step(id="search", kind="search", question=question, passages=found.evidence)
    if found.problems:
        step |= {"verdict": FALLBACK, "reason": found.reason}
    return {"evidence": found.evidence, "steps": [step], "truncated": found.truncated}
