"""The way out for a model that does not keep to the schemas of a strategy: `single`.

The schema of `single` is the simplest, and its prompt the shortest. The thread remembers the model,
so that its next question goes to `single` at once.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.models.names import point_out
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.agent import AgentState
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import AUTO, Context

FALLBACK: Final = "single"
_SIMPLE: Final = frozenset({FALLBACK, "direct"})


def with_fallback(name: str, graph: Any) -> Any:
    """The node of a strategy: its graph, and Unknown if no output of the model fitted.

    The check then hands the question to `single`. A strategy that the caller chose fails.
    """
    if name in _SIMPLE:
        return graph

    async def strategy(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
        attempt = await attempted(graph.ainvoke(state))
        if attempt.output is None:
            return await _without_answer(name, attempt, state, runtime)
        output: dict[str, Any] = attempt.output
        return output

    return strategy


async def _without_answer(
    name: str, attempt: Attempt[Any], state: AgentState, runtime: Runtime[Context]
) -> dict[str, Any]:
    """Unknown in place of a strategy's answer, for the check to hand on."""
    run = await run_of(state, runtime)
    if attempt.retry_later or not may_fall_back(run, state):
        attempt.check_needed()
    failed = attempt.mark(Step(id=name, kind="read", title=name, answer=""))
    failed["ending"] = ModelOutputError.reason
    return {
        "answer": UNKNOWN,
        "citations": [],
        "evidence": [],
        "steps": [failed],
        "truncated": attempt.truncated,
        "usage": await run.usage(),
    }


def may_fall_back(run: Run, state: AgentState) -> bool:
    """Whether `single` may still answer: nobody chose the strategy, and it was not tried."""
    chosen = run.settings.strategy != AUTO or state["route"]["by"] == "approval"
    return bool(run.settings.index) and not chosen and FALLBACK not in state["tried"]


async def misses_schemas(run: Run) -> bool:
    """Whether all attempts at a call of this run, or as many, gave no output that fits."""
    caller = await run.caller()
    rates = await asyncio.to_thread(caller.ledger.parse_rates, run.id)
    return sum(rate.failed for rate in rates) > caller.retries


def fall_back(run: Run, state: AgentState) -> dict[str, Any]:
    """Hand the question to `single`, and tell the user once."""
    strategy = state["strategy"]
    reason = f"outputs of {run.settings.model} did not fit the schemas of {strategy}"
    point_out(f"{reason}; `hopyard doctor --model {run.settings.model}` shows what it can do")
    update = pass_to(FALLBACK, state, f"Fall back to {FALLBACK}", reason)
    return {**update, "unfit": run.settings.model, "before": {}}


def pass_to(strategy: str, state: AgentState, title: str, reason: str) -> dict[str, Any]:
    """The update by which another strategy answers next. Doubts about this answer end with it."""
    tried = [*state["tried"], state["strategy"]]
    step = Step(id=f"check-{len(tried)}", kind="check", title=title)
    step |= {"answer": state["answer"], "reason": reason}
    return {
        "stronger": strategy,
        "strategy": strategy,
        "tried": tried,
        "steps": [step],
        "unconfirmed": "",
        "read_share": None,
    }
