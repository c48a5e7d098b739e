"""A trace as plain values: what `hopyard trace --json` prints, and what the page downloads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hopyard.models.ledger import Use
from hopyard.tracing.model import Trace, TracedPassage, TraceStep


def as_plain(trace: Trace) -> dict[str, Any]:
    """Everything that the page shows, with names that say what it is."""
    return {
        "thread_id": trace.thread_id,
        "question": trace.question,
        "asked": trace.asked or trace.question,
        "answer": trace.answer,
        "finished": trace.finished,
        "waits_for": list(trace.waits_for),
        "support": trace.support[1],
        "strategy": trace.strategy,
        "model": trace.model,
        "models": list(trace.models),
        "cost": asdict(trace.cost),
        "seconds": trace.seconds,
        "notes": list(trace.notes),
        "citations": [
            {**cited, "reference": trace.names[cited["passage_id"]]} for cited in trace.citations
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
