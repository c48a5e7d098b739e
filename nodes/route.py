"""The route: which strategy answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.classifiers.route import MODEL
from hopyard.models.names import known_as, same_model
from hopyard.models.prompt import Prompt
from hopyard.nodes.approve import approve_strategy
from hopyard.nodes.fall_back import FALLBACK
from hopyard.nodes.index_facts import index_kinds, question_features
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.route import choice_prompt, route_prompt
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.errors import RouteUnavailableError
from hopyard.state.schemas import RouteDecision
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.strategy import Strategy, strategies

__all__ = ("choose_strategy", "chosen_strategy", "runnable")

_NO_RETRIEVAL: Final = "direct"


async def choose_strategy(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the strategy that was forced, that the gate implies, or that the route chooses.

    The route is the default of the model's profile, the model itself, or a trained classifier, as
    the setting `route` says. A gate that says "retrieve" leaves only strategies that read
    documents to choose from.

    Raises:
        RouteUnavailableError: A trained route was asked for that is not there, cannot be loaded, or
            was trained with another embedding model.
    """
    run = await run_of(state, runtime)
    if run.settings.strategy != AUTO:
        decision = _decision(run.settings.strategy, "forced", "the caller asked for it")
    elif state["gate"]["retrieve"] is False:
        decision = _decision(_NO_RETRIEVAL, "gate", "the gate found that no document is needed")
    elif state.get("unfit") == run.settings.model and run.settings.index:
        reason = "the model did not keep to the schemas of other strategies"
        decision = _decision(FALLBACK, "fallback", reason)
    else:
        decision = await _choose(run, state)
    if "route" in run.settings.approve and decision["by"] != "forced":
        decision = await _approve(run, state["question"], decision)
    return {"route": decision, "strategy": decision["strategy"]}


def chosen_strategy(state: AgentState) -> str:
    """The name of the strategy node to go to."""
    return state["strategy"]


async def _choose(run: Run, state: AgentState) -> RouteDecision:
    """The value of the setting `route`."""
    if run.settings.route == AUTO:
        return await _take_default(run, state)
    if run.settings.route == MODEL:
        return await _ask_model_about_all(run, state)
    return await _ask_classifier(run, state)


async def _take_default(run: Run, state: AgentState) -> RouteDecision:
    """The default strategy of the model's profile, without a call.

    The model chooses if the profile has no default, or the index allows a strategy for questions
    that the default cannot answer. Without an index it chooses among all.
    """
    profile = profile_of(run.settings)
    fitting = runnable(await index_kinds(run)) if run.settings.index else []
    default = next((strategy for strategy in fitting if profile in strategy.default_for), None)
    if default is None:
        return await _ask_model_about_all(run, state)
    beside = [strategy for strategy in fitting if profile in strategy.beside]
    if beside:
        return await _ask_model(run, state, [default, *beside], fallback=default.name)
    return _decision(default.name, "default", f"the default of {profile} models")


async def _ask_classifier(run: Run, state: AgentState) -> RouteDecision:
    """The choice of a trained route. Without an index there is nothing to read."""
    route = await asyncio.to_thread(run.resources.route, run.settings.route)
    if not run.settings.index:
        return _decision(_NO_RETRIEVAL, "trained", "there is no index to read")
    manifest = (await run.index()).manifest
    if manifest.embedding != route.manifest.embedding:
        raise RouteUnavailableError(
            f"The route {run.settings.route!r} was trained with the embedding model "
            f"{route.manifest.embedding!r}, and the index has {manifest.embedding!r}; train one "
            "for this index, or use --set route=auto."
        )
    offered = await _all_offered(run, state)
    features = await question_features(run, state["question"])
    choice = route.choose(features, [strategy.name for strategy in offered])
    if choice is None:
        known = ", ".join(route.manifest.strategies)
        return _decision(FALLBACK, "fallback", f"none of {known} can run over this index")
    made_for, model = known_as(route.manifest.model), (await run.caller()).provider.identity
    other = "" if same_model(known_as(model), made_for) else f"; trained for {made_for}"
    return _decision(choice.strategy, "trained", choice.reason + other, choice.probability)


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
    attempt = await run.try_call(prompt, question, step="route")
    if (chosen := attempt.output) is None:
        by = "budget" if attempt.truncated else "fallback"
        return _decision(fallback, by, f"the route could not be chosen: {attempt.reason}")
    return _decision(chosen.strategy, "model", reasons[chosen.strategy], chosen.probability)


def _prompt(run: Run, offered: Sequence[Strategy]) -> tuple[Prompt[Any], Mapping[str, str]]:
    """The prompt of the run's profile, and what it says of each strategy.

    A capable model is offered every strategy, the built-in one those that it learned to choose.
    """
    if traits_of(run.settings).chooses_freely:
        about = {strategy.name: strategy.about for strategy in offered}
        return choice_prompt(about), about
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
