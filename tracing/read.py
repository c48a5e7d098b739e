"""Read the trace of a thread: from its latest checkpoint, the ledger, and the corpus store.

A running thread is read like a finished one: what its strategy has done so far stands in the
unfinished subgraph's state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage
from langgraph.types import StateSnapshot

from hopyard.agent.session import Session
from hopyard.models.call import open_ledger
from hopyard.models.ledger import Use
from hopyard.state.settings import home
from hopyard.state.tree import in_order
from hopyard.tracing.calls import Calls
from hopyard.tracing.model import Trace, TraceStep, cost_of
from hopyard.tracing.steps import Raw, found_in, strategy_steps, trace_step
from hopyard.tracing.texts import texts_of

__all__ = ("read_trace",)

_BEFORE_GATE: Final = frozenset({"__start__", "receive", "gate"})
_BEFORE_ROUTE: Final = _BEFORE_GATE | {"route"}
_REWRITE: Final = "rewrite"


async def read_trace(session: Session, thread_id: str) -> Trace:
    """The trace of a thread's last question.

    Raises:
        ThreadMissingError: There is no such thread.
    """
    context = await session.context(thread_id)
    snapshot = await session.snapshot(thread_id)
    values, waits = snapshot.values, tuple(snapshot.next)
    inner = _inner(snapshot)
    run = values.get("run", "")
    uses = await asyncio.to_thread(_uses, run)
    raw = [*values.get("steps", []), *_live(inner)] if inner else list(values.get("steps", []))
    if set(waits) & _BEFORE_GATE and "receive" in waits:
        raw = []  # the last turn's
    steps = _outline(values, waits, raw, Calls(uses))
    source = inner or values
    evidence = source.get("evidence", []) if not waits or inner else []
    citations = values.get("citations", []) if not waits else []
    scores = {one["passage_id"]: one["score"] for one in evidence}
    texts = await asyncio.to_thread(
        texts_of, _named(steps, scores), context.index, citations, scores
    )
    cost = cost_of(uses)
    asked = next((one["question"] for one in raw if one["step"] == _REWRITE), "")
    truncated = bool(source.get("truncated"))
    notes = ("The budget ended this run before it was through.",) if truncated else ()
    return Trace(
        thread_id=thread_id,
        question=values.get("question", ""),
        asked=asked if asked != values.get("question") else "",
        answer="" if waits else values.get("answer", ""),
        strategy="" if set(waits) & _BEFORE_ROUTE else values.get("strategy", ""),
        waits_for=waits,
        steps=steps,
        passages=texts.passages,
        cost=cost,
        seconds=_seconds(values, waits, cost.seconds),
        notes=(*notes, *((texts.note,) if texts.note else ())),
        conversation=_said_before(values.get("messages", []), finished=not waits),
    )


def _uses(run: str) -> list[Use]:
    return open_ledger(home() / "ledger.sqlite").uses(run) if run else []


def _inner(snapshot: StateSnapshot) -> dict[str, Any]:
    """The state of the strategy that is under way, if one is."""
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot) and task.state.values:
            return dict(task.state.values)
    return {}


def _live(inner: Mapping[str, Any]) -> Iterable[Raw]:
    """What an unfinished strategy has done so far, as the steps that it would become."""
    if "tree" in inner:
        yield from ({"step": "tree-node", **node} for node in in_order(inner["tree"]))
    for hop in inner.get("hops", []):
        yield {"step": "hop", **hop}
    for number, link in enumerate(inner.get("links", []), 1):
        yield {"step": "link", "round": number, **link}
    if not inner.get("answer"):
        yield from inner.get("steps", [])


def _outline(
    values: Mapping[str, Any], waits: Sequence[str], raw: Sequence[Raw], calls: Calls
) -> tuple[TraceStep, ...]:
    steps = [
        trace_step(_REWRITE, one, calls, title="Understand the follow-up")
        for one in raw
        if one["step"] == _REWRITE
    ]
    if "gate" in values and not set(waits) & _BEFORE_GATE:
        steps.append(_gate(values["gate"], calls))
    if "route" in values and not set(waits) & _BEFORE_ROUTE:
        steps.append(_route(values["route"], calls))
        below = strategy_steps([one for one in raw if one["step"] != _REWRITE], calls)
        steps.append(
            TraceStep(
                id="strategy",
                kind="strategy",
                title=f"Strategy {values['strategy']}",
                answer="" if waits else values.get("answer", ""),
                verdict="open" if waits else "",
                passages=() if waits else found_in(values.get("evidence", [])),
                uses=calls.rest(),
                children=below,
            )
        )
    return tuple(steps)


def _gate(gate: Mapping[str, Any], calls: Calls) -> TraceStep:
    raw = {**gate, "step": "gate", "verdict": "retrieve" if gate["retrieve"] else "do not retrieve"}
    return trace_step("gate", raw, calls, title=f"Gate: {raw['verdict']}")


def _route(route: Mapping[str, Any], calls: Calls) -> TraceStep:
    raw = {**route, "step": "route", "verdict": route["by"]}
    return trace_step("route", raw, calls, title=f"Route: {route['strategy']}")


def _named(steps: Iterable[TraceStep], scores: Mapping[str, float]) -> list[str]:
    """The passages that the steps speak of: those of the answer first."""
    named = list(scores)
    for step in (below for one in steps for below in one.walk()):
        named += [one.passage_id for one in step.passages]
        named += [one for one in (step.tail, step.head) if one]
    return list(dict.fromkeys(named))


def _seconds(values: Mapping[str, Any], waits: Sequence[str], called: float) -> float:
    """Working time of a finished run; of a running one, that of its model calls so far."""
    return called if waits else float(values["usage"]["seconds"])


def _said_before(messages: Sequence[Any], *, finished: bool) -> tuple[tuple[str, str], ...]:
    """The turns before this one."""
    before = messages[: -2 if finished else -1]
    return tuple(
        ("Hopyard" if isinstance(one, AIMessage) else "You", str(one.text)) for one in before
    )
