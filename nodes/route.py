"""The route: which strategy answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.nodes.approve import approve_strategy
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.route import route_prompt
from hopyard.state.agent import AgentState
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.registry import STRATEGIES
from hopyard.state.schemas import RouteDecision, RouteLabel
from hopyard.state.settings import AUTO, Context, profile_of

__all__ = ("choose_strategy", "chosen_strategy", "runnable")

_FALLBACK: Final = "single"
"""What answers where the route cannot choose: one search."""
_NO_RETRIEVAL: Final = "direct"


async def choose_strategy(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the strategy that was forced, that the gate implies, or that suits the model.

    For a capable model that is the strategy which costs one call where a question is simple. The
    built-in model chooses.

    A gate that says "retrieve" leaves only strategies that read documents to choose from.
    """
    run = await run_of(state, runtime)
    if run.settings.strategy != AUTO:
        decision = _decision(run.settings.strategy, "forced", "the caller asked for it")
    elif state["gate"]["retrieve"] is False:
        decision = _decision(_NO_RETRIEVAL, "gate", "the gate found that no document is needed")
    else:
        decision = await _default(run) or await _ask_model(run, state)
    if "route" in run.settings.approve and decision["by"] != "forced":
        decision = await _approve(run, state["question"], decision)
    return {"route": decision, "strategy": decision["strategy"]}


def chosen_strategy(state: AgentState) -> str:
    """The name of the strategy node to go to."""
    return state["strategy"]


async def _default(run: Run) -> RouteDecision | None:
    """The strategy that the model's profile takes; None where there is none, or no index."""
    profile = profile_of(run.settings)
    for strategy in runnable(await run.index_kinds()) if run.settings.index else ():
        if profile in strategy.default_for:
            return _decision(strategy.name, "default", f"the default of {profile} models")
    return None


async def _ask_model(run: Run, state: AgentState) -> RouteDecision:
    labels = _labels(await run.index_kinds(), retrieve=bool(state["gate"]["retrieve"]))
    values = {"question": one_line(state["question"])}
    try:
        chosen = await run.call(route_prompt(labels), values, step="route")
    except BudgetExceededError as error:
        return _decision(_FALLBACK, "budget", f"the route could not be chosen: {error}")
    except ModelOutputError as error:
        return _decision(_FALLBACK, "fallback", f"the route could not be chosen: {error}")
    return _decision(chosen.strategy, "model", labels[chosen.strategy].reason)


def _labels(kinds: Sequence[str], *, retrieve: bool) -> Mapping[str, RouteLabel]:
    """The strategies that the model may choose among, the cheap ones first."""
    return {
        strategy.name: strategy.route
        for strategy in runnable(kinds)
        if strategy.route is not None and (strategy.retrieves or not retrieve)
    }


def runnable(kinds: Sequence[str]) -> list[Any]:
    """The strategies that can run over an index of these kinds, the cheap ones first."""
    fitting = [part for part in STRATEGIES.parts() if set(part.needs) <= set(kinds)]
    return sorted(fitting, key=lambda strategy: (strategy.rank, strategy.name))


async def _approve(run: Run, question: str, decision: RouteDecision) -> RouteDecision:
    offered = [strategy.name for strategy in runnable(await run.index_kinds())]
    chosen = approve_strategy(question, decision, offered)
    if chosen is None:
        return decision
    return _decision(chosen, "approval", f"put in the place of {decision['strategy']}")


def _decision(strategy: str, by: Any, reason: str) -> RouteDecision:
    return RouteDecision(strategy=strategy, by=by, probability=None, reason=reason)
