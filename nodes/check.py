"""Check an answer: one that is Unknown or unsupported is handed to a stronger strategy."""

from __future__ import annotations

from typing import Any, Final, cast

from langgraph.runtime import Runtime

from hopyard.nodes.citations import is_unknown
from hopyard.nodes.fall_back import FALLBACK, fall_back, may_fall_back, misses_schemas, pass_to
from hopyard.nodes.finish import cut_short
from hopyard.nodes.index_facts import index_kinds
from hopyard.nodes.judge import judge_answer_support
from hopyard.nodes.route import runnable
from hopyard.nodes.run import run_of
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.strategy import STRATEGIES

_DONE: Final = "finish"
_EXPLAIN: Final = "explain"
_KEPT: Final = (
    "answer",
    "citations",
    "evidence",
    "ending",
    "unconfirmed",
    "read_share",
    "strategy",
)


async def check_answer(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Name the strategy that answers next, or none.

    A strategy that the caller asked for, or chose at an approval, has the last word, and so has one
    that the budget ended. Doubts about this answer do not carry over to the next one. An answer
    that no citation supported comes back if the stronger strategy ends with Unknown. If the model
    did not keep to the strategy's schemas, `single` answers, whatever the setting `check` says.
    """
    if state["before"] and is_unknown(state["answer"]):
        return _take_back(state)
    run = await run_of(state, runtime)
    simpler = is_unknown(state["answer"]) and state["strategy"] != FALLBACK
    if simpler and may_fall_back(run, state) and await misses_schemas(run):
        return fall_back(run, state)
    judged = await judge_answer_support(run, state)
    state = cast(AgentState, {**state, **judged})
    reason = why_insufficient(state)
    chosen = run.settings.strategy != AUTO or state["route"]["by"] == "approval"
    settled = chosen or state["truncated"] or cut_short(state)
    if not reason or settled or not _hands_over(run.settings, state["strategy"]):
        return {**judged, "stronger": ""}
    profile, runs = profile_of(run.settings), runnable(await index_kinds(run))
    offered = {strategy.name for strategy in runs if profile in strategy.profiles}
    ladder, tried = STRATEGIES[state["strategy"]].stronger, {*state["tried"], state["strategy"]}
    stronger = next((name for name in ladder if name in offered and name not in tried), "")
    if not stronger or not run.settings.index:
        return {**judged, "stronger": ""}
    update = pass_to(stronger, state, f"Pass to {stronger}", reason)
    update["steps"] = [*judged.get("steps", []), *update["steps"]]
    kept = {} if is_unknown(state["answer"]) else {key: state.get(key) for key in _KEPT}
    return {**update, "before": kept}


def _hands_over(settings: Context, strategy: str) -> bool:
    """Whether the setting `check` lets another strategy try after this one.

    `auto` ends with the default of capable models: what another strategy gains after it is less
    than it costs (docs/chain.md). Small models hand nothing over.
    """
    if settings.check != AUTO:
        return settings.check == "on"
    if profile_of(settings) in STRATEGIES[strategy].default_for:
        return False
    return traits_of(settings).hands_over


def _take_back(state: AgentState) -> dict[str, Any]:
    before = state["before"]
    step = Step(
        id=f"check-{len(state['tried']) + 1}",
        kind="check",
        title=f"Back to the answer of {before['strategy']}",
        answer=before["answer"],
        reason=f"{state['strategy']} found none",
    )
    return {**before, "before": {}, "stronger": "", "steps": [step]}


async def after_check(state: AgentState, runtime: Runtime[Context]) -> str:
    """The node of the stronger strategy, `explain` where the settings ask for it, or `finish`."""
    run = await run_of(state, runtime)
    return state["stronger"] or (_EXPLAIN if run.settings.answer.explain else _DONE)


def why_insufficient(state: AgentState) -> str:
    """The answer's problem, or "" if it is sufficient."""
    if is_unknown(state["answer"]):
        return "the answer is Unknown"
    citations = state["citations"]
    if citations and not any(citation.get("supported", True) for citation in citations):
        return "no citation supports the answer"
    return ""
