"""Read the trace of a thread: from its latest checkpoint, the ledger, and the corpus store.

A running thread is read like a finished one: what its strategy has done so far is in the state of
the unfinished subgraph.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage
from langgraph.types import StateSnapshot

from hopyard.agent.session import Session
from hopyard.graphs.registry import STRATEGIES
from hopyard.models.ledger import Use
from hopyard.state.schemas import UNCONFIRMED, Step
from hopyard.tracing.describe import gate_step, passages_of, route_step
from hopyard.tracing.model import Trace, TraceStep, cost_of, nest_steps
from hopyard.tracing.texts import trace_passages

__all__ = ("read_trace", "trace_of")

_NEW_TURN: Final = frozenset({"__start__", "receive"})
"""Before these have ended, the state still holds the last turn's decisions, steps and run."""
_BEFORE_GATE: Final = _NEW_TURN | {"revise", "gate"}
_BEFORE_ROUTE: Final = _BEFORE_GATE | {"route"}
_STRATEGY: Final = "strategy"
_OWN: Final = frozenset({"rewrite", "revise"})
"""Steps of the agent itself, at the beginning of a turn that follows on from others."""


async def read_trace(session: Session, thread_id: str) -> Trace:
    """The trace of a thread's last question.

    Raises:
        ThreadMissingError: There is no such thread.
    """
    context = await session.context(thread_id)
    snapshot = await session.snapshot(thread_id)
    waits = tuple(snapshot.next)
    run = "" if set(waits) & _NEW_TURN else snapshot.values.get("run", "")
    uses = await asyncio.to_thread(lambda: session.resources.ledger.uses(run)) if run else []
    return await asyncio.to_thread(
        trace_of,
        thread_id,
        snapshot.values,
        _inner(snapshot),
        waits,
        uses,
        context.index,
        context.model,
    )


def trace_of(
    thread_id: str,
    values: Mapping[str, Any],
    inner: Mapping[str, Any],
    waits: tuple[str, ...],
    uses: Sequence[Use],
    index: str,
    model: str = "",
) -> Trace:
    """The trace of a thread's state.

    Args:
        thread_id: The thread.
        values: The agent's state.
        inner: The state of the strategy that is under way; empty where none is.
        waits: The nodes that come next: none of a finished thread.
        uses: The run's model calls.
        index: The index directory; "" where the run had none.
        model: The chat model, as the settings name it.
    """
    source = inner or values
    evidence = source.get("evidence", []) if inner or not waits else []
    citations = values.get("citations", []) if not waits else []
    before = _conversation(values.get("messages", []), finished=not waits)
    own, steps = _recorded(values, inner, waits, follows_on=bool(before))
    passages, note = trace_passages(passages_of(steps), index, citations, evidence)
    asked = next((step["question"] for step in own), "")
    cost = cost_of(uses)
    cut_short = "The budget ended this run before it was through."
    return Trace(
        thread_id=thread_id,
        question=values.get("question", ""),
        asked=asked if asked != values.get("question") else "",
        answer="" if waits else values.get("answer", ""),
        strategy="" if set(waits) & _BEFORE_ROUTE else values.get("strategy", ""),
        waits_for=waits,
        steps=_outline(values, waits, own, steps, uses),
        passages=passages,
        cost=cost,
        model=model,
        # The run's own clock is read when it ends.
        seconds=cost.seconds if waits else float(values["usage"]["seconds"]),
        notes=tuple(
            filter(
                None,
                (_doubt(values, waits), cut_short if source.get("truncated") else "", note),
            )
        ),
        conversation=before,
    )


def _doubt(values: Mapping[str, Any], waits: Sequence[str]) -> str:
    """What the documents do not confirm of the answer."""
    unconfirmed = "" if waits else values.get("unconfirmed", "")
    return f"{UNCONFIRMED} {unconfirmed}" if unconfirmed else ""


def _inner(snapshot: StateSnapshot) -> Mapping[str, Any]:
    """The state of the strategy that is under way, if one is."""
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot) and task.state.values:
            return dict(task.state.values)
    return {}


def _recorded(
    values: Mapping[str, Any], inner: Mapping[str, Any], waits: Sequence[str], *, follows_on: bool
) -> tuple[list[Step], list[Step]]:
    """The agent's own steps, and the strategy's."""
    if set(waits) & _NEW_TURN:
        return [], []
    steps: list[Step] = list(values.get("steps", []))
    own = [step for step in steps[:2] if follows_on and step["id"] in _OWN]
    done = STRATEGIES[values["strategy"]].steps_of(inner) if inner else ()
    return own, [*steps[len(own) :], *done]


def _outline(
    values: Mapping[str, Any],
    waits: Sequence[str],
    own: Sequence[Step],
    steps: Sequence[Step],
    uses: Sequence[Use],
) -> tuple[TraceStep, ...]:
    outline = list(own)
    if "gate" in values and not set(waits) & _BEFORE_GATE:
        outline.append(gate_step(values["gate"]))
    if "route" in values and not set(waits) & _BEFORE_ROUTE:
        outline.append(route_step(values["route"]))
        outline.append(_strategy_step(values, waits))
    elif uses:
        title = f"Next: {', '.join(waits)}"
        outline.append(Step(id=_STRATEGY, kind="next", title=title, verdict="open"))
    return nest_steps([*outline, *_below(steps)], uses, rest=_STRATEGY)


def _strategy_step(values: Mapping[str, Any], waits: Sequence[str]) -> Step:
    step = Step(id=_STRATEGY, kind="strategy", title=f"Strategy {values['strategy']}")
    if waits:
        step["verdict"] = "open"
    else:
        step |= {"answer": values.get("answer", ""), "passages": values.get("evidence", [])}
    return step


def _below(steps: Sequence[Step]) -> Iterator[Step]:
    """The strategy's steps, those at the top under the strategy."""
    known = {step["id"] for step in steps}
    for step in steps:
        parent = step.get("parent", "")
        yield step | {"parent": parent if parent in known else _STRATEGY}


def _conversation(messages: Sequence[Any], *, finished: bool) -> tuple[tuple[str, str], ...]:
    """The turns before this one."""
    before = messages[: -2 if finished else -1]
    return tuple(
        ("Hopyard" if isinstance(message, AIMessage) else "You", str(message.text))
        for message in before
    )
