"""Read the trace of a thread: from its latest checkpoint, the ledger, and the corpus store.

A running thread is read like a finished one: what its strategy has done so far is in the state of
the unfinished subgraph.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from langgraph.types import StateSnapshot

from hopyard.agent.session import Session
from hopyard.agent.threads.history import NEW_TURN, Turn
from hopyard.agent.threads.threads import thread_missing
from hopyard.models.ledger import Use
from hopyard.state.errors import UsageError
from hopyard.state.references import name_sources
from hopyard.state.schemas import UNCONFIRMED, Step, notes_of, read_note, why_truncated
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.verdicts import OPEN
from hopyard.tracing.describe import gate_step, passages_of, route_step
from hopyard.tracing.model import Earlier, Trace, TraceStep, cost_of, nest_steps
from hopyard.tracing.texts import trace_passages

_BEFORE_GATE: Final = NEW_TURN | {"revise", "gate"}
_BEFORE_ROUTE: Final = _BEFORE_GATE | {"route"}
_STRATEGY: Final = "strategy"
_A_TURN: Final = 2
"""Messages of a turn that has ended: the question and the answer."""
_OWN: Final = frozenset({"rewrite", "revise"})
"""Steps of the agent itself, at the beginning of a turn that follows on from others."""


async def read_trace(
    session: Session, thread_id: str, question: int = 0, groups: Sequence[str] | None = None
) -> Trace:
    """The trace of a question of a thread.

    Args:
        question: Which one, from 1; 0 for the last.
        groups: The groups of the reader; None for those of the thread.

    Raises:
        ThreadMissingError: There is no such thread.
        UsageError: It has no such question.
    """
    context = await session.context(thread_id)
    snapshot = await session.snapshot(thread_id)  # before the others: another question may begin
    earlier = await session.earlier(thread_id)
    if not 0 <= question <= len(earlier) + 1:
        raise UsageError(
            f"The thread {thread_id!r} has no question {question}; it has {len(earlier) + 1}."
        )
    ledger = session.resources.ledger
    values: Mapping[str, Any]
    inner: Mapping[str, Any] = {}
    waits: tuple[str, ...] = ()
    settings = context
    if 0 < question <= len(earlier):
        turn = earlier[question - 1]
        values, settings = turn.values, change_context(Context(), dict(turn.settings))
        earlier = earlier[: question - 1]
    else:
        if snapshot.created_at is None:  # it came or went meanwhile
            raise thread_missing(thread_id)
        values, inner, waits = snapshot.values, _inner(snapshot), tuple(snapshot.next)
    run = "" if set(waits) & NEW_TURN else values.get("run", "")
    uses = await asyncio.to_thread(ledger.uses, run) if run else []
    asked = await asyncio.to_thread(ledger.asked, {use.key for use in uses})
    running = await session.running(thread_id) if waits else None
    read_by = settings.groups if groups is None else groups
    trace = await asyncio.to_thread(
        trace_of, thread_id, values, inner, waits, uses, settings.index, read_by
    )
    return replace(
        trace,
        model=settings.model,
        asked_of_model=asked,
        earlier=tuple(_earlier(turn) for turn in earlier),
        running=str(running or ""),
    )


def trace_of(
    thread_id: str,
    values: Mapping[str, Any],
    inner: Mapping[str, Any],
    waits: tuple[str, ...],
    uses: Sequence[Use],
    index: str,
    groups: Sequence[str] | None = None,
) -> Trace:
    """The trace of a thread's state.

    Args:
        inner: The state of the strategy that is under way; empty where none is.
        waits: The nodes that come next: none of a finished thread.
        uses: The run's model calls.
        index: The index directory; "" where the run had none.
        groups: The groups of the reader; None for all documents.
    """
    source = inner or values
    evidence = source.get("evidence", []) if inner or not waits else []
    citations = values.get("citations", []) if not waits else []
    follows_on = len(values.get("messages", [])) > (1 if waits else _A_TURN)
    own, steps = _recorded(values, inner, waits, follows_on=follows_on)
    cited = [citation["passage_id"] for citation in citations]
    named = [*passages_of(steps), *cited]
    passages, note = trace_passages(named, index, citations, evidence, groups)
    asked = next((step["question"] for step in own), "")
    cost = cost_of(uses)
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
        # The run's own clock is read when it ends.
        seconds=cost.seconds if waits else float(values["usage"]["seconds"]),
        notes=tuple(
            filter(
                None,
                (
                    _doubt(values, waits),
                    _read(values, waits),
                    *why_truncated(source),
                    *notes_of(values),
                    note,
                ),
            )
        ),
        citations=tuple(citations),
    )


def _earlier(turn: Turn) -> Earlier:
    values, usage = turn.values, turn.values["usage"]
    citations = values.get("citations", [])
    return Earlier(
        question=values.get("question", ""),
        answer=values.get("answer", ""),
        strategy=values.get("strategy", ""),
        model=turn.settings.get("model", Context().model),
        at=turn.at,
        calls=usage["model_calls"],
        seconds=float(usage["seconds"]),
        sources=tuple(dict.fromkeys(name_sources(citations).values())),
    )


def _doubt(values: Mapping[str, Any], waits: Sequence[str]) -> str:
    """The part of the answer that the documents do not confirm."""
    unconfirmed = "" if waits else values.get("unconfirmed", "")
    return f"{UNCONFIRMED} {unconfirmed}" if unconfirmed else ""


def _read(values: Mapping[str, Any], waits: Sequence[str]) -> str:
    """The share of the documents that was read, if it was a part."""
    return "" if waits else read_note(values.get("read_share"))


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
    if set(waits) & NEW_TURN:
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
        outline.append(Step(id=_STRATEGY, kind="next", title=title, verdict=OPEN))
    return nest_steps([*outline, *_below(steps)], uses, rest=_STRATEGY)


def _strategy_step(values: Mapping[str, Any], waits: Sequence[str]) -> Step:
    step = Step(id=_STRATEGY, kind="strategy", title=f"Strategy {values['strategy']}")
    if waits:
        step["verdict"] = OPEN
    else:
        step |= {"answer": values.get("answer", ""), "passages": values.get("evidence", [])}
    return step


def _below(steps: Sequence[Step]) -> Iterator[Step]:
    """The strategy's steps, those at the top under the strategy."""
    known = {step["id"] for step in steps}
    for step in steps:
        parent = step.get("parent", "")
        yield step | {"parent": parent if parent in known else _STRATEGY}
