"""Check an answer: one that is Unknown or unsupported is handed to a stronger strategy.

A model that does not keep to the schemas of a strategy is handed to `single`, whose schema is the
simplest, and whose prompt is the shortest. The thread remembers the model, so that its next
question goes to `single` at once.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

from langgraph.runtime import Runtime

from hopyard.models.names import point_out
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.finish import cut_short
from hopyard.nodes.index_facts import index_kinds
from hopyard.nodes.judge import judge_answer_support
from hopyard.nodes.route import FALLBACK, runnable
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.strategy import STRATEGIES

_SIMPLE: Final = frozenset({FALLBACK, "direct"})
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
    if simpler and _may_fall_back(run, state) and await _misses_schemas(run):
        return _fall_back(run, state)
    judged = await judge_answer_support(run, state)
    state = cast(AgentState, {**state, **judged})
    reason = why_insufficient(state)
    settled = _is_chosen(run, state) or state["truncated"] or cut_short(state)
    if not reason or settled or not _hands_over(run.settings, state["strategy"]):
        return {**judged, "stronger": ""}
    profile, runs = profile_of(run.settings), runnable(await index_kinds(run))
    offered = {strategy.name for strategy in runs if profile in strategy.profiles}
    ladder, tried = STRATEGIES[state["strategy"]].stronger, {*state["tried"], state["strategy"]}
    stronger = next((name for name in ladder if name in offered and name not in tried), "")
    if not stronger or not run.settings.index:
        return {**judged, "stronger": ""}
    update = _pass_to(stronger, state, f"Pass to {stronger}", reason)
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
    if attempt.retry_later or not _may_fall_back(run, state):
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


def _is_chosen(run: Run, state: AgentState) -> bool:
    """Whether the caller chose the strategy, in the settings or at an approval."""
    return run.settings.strategy != AUTO or state["route"]["by"] == "approval"


def _may_fall_back(run: Run, state: AgentState) -> bool:
    """Whether `single` may still answer: nobody chose the strategy, and it was not tried."""
    untried = FALLBACK not in state["tried"]
    return bool(run.settings.index) and untried and not _is_chosen(run, state)


async def _misses_schemas(run: Run) -> bool:
    """Whether all attempts at a call of this run, or as many, gave no output that fits."""
    caller = await run.caller()
    rates = await asyncio.to_thread(caller.ledger.parse_rates, run.id)
    return sum(rate.failed for rate in rates) > caller.retries


def _fall_back(run: Run, state: AgentState) -> dict[str, Any]:
    """Hand the question to `single`, and tell the user once."""
    strategy = state["strategy"]
    reason = f"outputs of {run.settings.model} did not fit the schemas of {strategy}"
    point_out(f"{reason}; `hopyard doctor --model {run.settings.model}` shows what it can do")
    update = _pass_to(FALLBACK, state, f"Fall back to {FALLBACK}", reason)
    return {**update, "unfit": run.settings.model, "before": {}}


def _pass_to(strategy: str, state: AgentState, title: str, reason: str) -> dict[str, Any]:
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
