"""A trace as plain values: what `hopyard trace --json` prints, and what the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from typing import Any, TypeVar

from markupsafe import Markup

from hopyard.models.ledger import Use
from hopyard.state.schemas import quotes_of
from hopyard.state.text.unicode import valid_unicode, without_controls
from hopyard.tracing.legend import legend_of
from hopyard.tracing.model import Trace, TracedPassage, TraceStep
from hopyard.tracing.prose import prose

_Value = TypeVar("_Value")


def as_shown(trace: Trace) -> dict[str, Any]:
    """`as_plain` for the page: without control characters, with the answer as HTML."""
    text = prose(valid_unicode(trace.answer), len(trace.citations))
    return {
        **cleaned(as_plain(trace)),
        "legend": legend_of(trace),
        "html": Markup(text),  # noqa: S704  (escapes all)
    }


def cleaned(value: _Value) -> _Value:
    """A value that JSON and UTF-8 can hold, and whose texts have no control characters."""
    shown: Any = value
    if isinstance(value, str):
        shown = without_controls(valid_unicode(value))
    elif isinstance(value, float):
        shown = value if isfinite(value) else None
    elif isinstance(value, Mapping):
        shown = {cleaned(str(key)): cleaned(held) for key, held in value.items()}
    elif isinstance(value, (list, tuple)):
        shown = [*map(cleaned, value)]
    return shown  # type: ignore[no-any-return]


def as_plain(trace: Trace) -> dict[str, Any]:
    """All of a trace, with names that say what it is."""
    return {
        "thread_id": trace.thread_id,
        "question": trace.question,
        "asked": trace.asked or trace.question,
        "answer": trace.answer,
        "finished": trace.finished,
        "waits_for": list(trace.waits_for),
        "running": trace.running,
        "support": trace.support,
        "strategy": trace.strategy,
        "model": trace.model,
        "models": list(trace.models),
        "cost": asdict(trace.cost),
        "seconds": trace.seconds,
        "notes": list(trace.notes),
        "citations": [
            {
                **cited,
                "quotes": quotes_of(cited),
                "reference": trace.names[cited["passage_id"]],
            }
            for cited in trace.citations
        ],
        "steps": [_step(step, trace) for step in trace.steps],
        "passages": [
            _passage(passage, trace.names[name]) for name, passage in trace.passages.items()
        ],
        "earlier": [asdict(turn) for turn in trace.earlier],
    }


def _step(step: TraceStep, trace: Trace) -> dict[str, Any]:
    return {
        **step.record,
        "id": step.id,
        "calls": [_call(use, trace) for use in step.uses],
        "steps": [_step(child, trace) for child in step.children],
    }


def _call(use: Use, trace: Trace) -> dict[str, Any]:
    asked = trace.asked_of_model.get(use.key, ())
    messages = [{"role": who, "text": text} for who, text in asked]
    told = {"setting": trace.model, "cached": use.cached, "at": use.at, "messages": messages}
    return {**asdict(use.entry), **told}


def _passage(passage: TracedPassage, name: str) -> dict[str, Any]:
    quotes = [(passage.text or "")[span.begin : span.end] for span in passage.quotes]
    return {
        "id": passage.passage_id,
        "title": passage.title,
        "name": name,
        "source": passage.known_source,
        "text": passage.text,
        "quotes": quotes,
        "evidence": passage.unit,
    }
