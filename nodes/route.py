"""The route: which strategy answers."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import call_model
from hopyard.nodes.approve import approved_strategy
from hopyard.nodes.hop.query import has_graph
from hopyard.nodes.resources import context_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.route import ROUTE, ROUTE_REASONS, ROUTE_WITH_HOP
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import AgentState, RouteDecision
from hopyard.state.settings import STRATEGIES, Context

__all__ = ("choose_strategy", "chosen_strategy")


async def choose_strategy(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the strategy that was forced, that the gate implies, or that the model chooses."""
    context = context_of(runtime)
    if context.strategy != "auto":
        decision = _decision(context.strategy, "forced", "the caller asked for it")
    elif not state["gate"]["retrieve"]:
        decision = _decision("direct", "gate", "the gate found that no document is needed")
    else:
        decision = await _ask_model(state, context)
    if "route" in context.approve and decision["by"] != "forced":
        decision = await _approved(state["question"], decision, context)
    return {"route": decision, "strategy": decision["strategy"]}


def chosen_strategy(state: AgentState) -> str:
    """The name of the strategy node to go to."""
    return state["strategy"]


async def _ask_model(state: AgentState, context: Context) -> RouteDecision:
    prompt = ROUTE_WITH_HOP if await has_graph(context) else ROUTE
    try:
        chosen = await call_model(
            prompt,
            {"question": one_line(state["question"])},
            context=context,
            run=state["run"],
        )
    except BudgetExceededError as error:
        return _decision("single", "budget", f"the route could not be chosen: {error}")
    except ModelOutputError as error:
        return _decision("single", "fallback", f"the route could not be chosen: {error}")
    return _decision(chosen.strategy, "model", ROUTE_REASONS[chosen.strategy])


async def _approved(question: str, decision: RouteDecision, context: Context) -> RouteDecision:
    graph = await has_graph(context)
    offered = [name for name in STRATEGIES if name != "hop" or graph]
    chosen = approved_strategy(question, decision, offered)
    if chosen is None:
        return decision
    return _decision(chosen, "approval", f"put in the place of {decision['strategy']}")


def _decision(strategy: str, by: Any, reason: str) -> RouteDecision:
    return RouteDecision(strategy=strategy, by=by, probability=None, reason=reason)
