"""The route: which strategy answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.models.prompt import Prompt
from hopyard.models.recorded import RecordingMissingError
from hopyard.nodes.approve import approve_strategy
from hopyard.nodes.attempt import attempted
from hopyard.nodes.index_facts import index_kinds
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.route import choice_prompt, route_prompt
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.schemas import RouteDecision
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.strategy import Strategy, strategies

FALLBACK: Final = "single"
"""The strategy where no other can be chosen or used."""


async def choose_strategy(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the strategy that was forced, that the gate implies, or that the route chooses.

    The route is the default of the model's profile, or the model itself, as the setting `route`
    says. A gate that says "retrieve" leaves only strategies that read documents to choose from.
    """
    run = await run_of(state, runtime)
    if run.settings.strategy != AUTO:
        decision = _decision(run.settings.strategy, "forced", "the caller asked for it")
    elif state["gate"]["retrieve"] is False:
        decision = _decision("direct", "gate", "the gate found that no document is needed")
    elif state.get("unfit") == run.settings.model and run.settings.index:
        reason = "the model did not keep to the schemas of other strategies"
        decision = _decision(FALLBACK, "fallback", reason)
    else:
        decision = await (
            _take_default(run, state)
            if run.settings.route == AUTO
            else _ask_model_about_all(run, state)
        )
    if "route" in run.settings.approve and decision["by"] != "forced":
        decision = await _approve(run, state["question"], decision)
    return {"route": decision, "strategy": decision["strategy"]}


def chosen_strategy(state: AgentState) -> str:
    """The name of the strategy node to go to."""
    return state["strategy"]


async def _take_default(run: Run, state: AgentState) -> RouteDecision:
    """The default strategy of the model's profile, without a call.

    The model chooses if the profile has no default, or the index allows a strategy for questions
    of this form that the default cannot answer. Without an index it chooses among all.
    """
    profile = profile_of(run.settings)
    fitting = runnable(await index_kinds(run)) if run.settings.index else []
    default = next((strategy for strategy in fitting if profile in strategy.default_for), None)
    if default is None:
        return await _ask_model_about_all(run, state)
    beside = [
        strategy
        for strategy in fitting
        if profile in strategy.beside and strategy.fits(state["question"])
    ]
    if beside:
        return await _ask_model(run, state, [default, *beside], fallback=default.name)
    return _decision(default.name, "default", f"the default of {profile} models")


async def _ask_model_about_all(run: Run, state: AgentState) -> RouteDecision:
    """The model's choice among all strategies for its profile."""
    profile, offered = profile_of(run.settings), await _all_offered(run, state)
    return await _ask_model(
        run, state, [strategy for strategy in offered if profile in strategy.profiles]
    )


async def _ask_model(
    run: Run, state: AgentState, offered: Sequence[Strategy], fallback: str = FALLBACK
) -> RouteDecision:
    prompt, reasons = _prompt(run, offered)
    question = {"question": one_line(state["question"])}
    # An older recording may lack the call.
    attempt = await attempted(run.call(prompt, question, step="route"), RecordingMissingError)
    if (chosen := attempt.output) is None:
        by = "budget" if attempt.truncated else "fallback"
        return _decision(fallback, by, f"the route could not be chosen: {attempt.reason}")
    return _decision(chosen.strategy, "model", reasons[chosen.strategy], chosen.probability)


def _prompt(run: Run, offered: Sequence[Strategy]) -> tuple[Prompt[Any], Mapping[str, str]]:
    """The prompt of the run's profile, and the reason that each choice gives.

    A capable model is offered every strategy, the built-in one those that it learned to choose.
    """
    if traits_of(run.settings).chooses_freely:
        about = {strategy.name: strategy.about for strategy in offered}
        return choice_prompt(about), dict.fromkeys(about, f"chosen among {', '.join(about)}")
    labels = {strategy.name: strategy.route for strategy in offered if strategy.route is not None}
    return route_prompt(labels), {name: label.reason for name, label in labels.items()}


async def _all_offered(run: Run, state: AgentState) -> list[Strategy]:
    """The strategies that a route may choose, cheap strategies first, without baselines.

    A strategy without a description for the route runs only if a user names it, or as the default.
    """
    retrieve = state["gate"]["retrieve"]
    return [
        strategy
        for strategy in runnable(await index_kinds(run))
        if not strategy.baseline
        and (strategy.route is not None or strategy.default_for)
        and (strategy.retrieves or not retrieve)
        and strategy.fits(state["question"])
    ]


def runnable(kinds: Sequence[str]) -> list[Strategy]:
    """The strategies that can run over an index of these kinds, cheap strategies first."""
    return [strategy for strategy in strategies() if set(strategy.needs) <= set(kinds)]


async def _approve(run: Run, question: str, decision: RouteDecision) -> RouteDecision:
    offered = [strategy.name for strategy in runnable(await index_kinds(run))]
    chosen = approve_strategy(question, decision, offered)
    if chosen is None:
        return decision
    return _decision(chosen, "approval", f"replaces {decision['strategy']}")


def _decision(
    strategy: str, by: Any, reason: str, probability: float | None = None
) -> RouteDecision:
    return RouteDecision(strategy=strategy, by=by, probability=probability, reason=reason)
