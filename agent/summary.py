"""A thread in short, and the settings that it was run with, as its checkpoints tell them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.types import StateSnapshot

from hopyard.agent.history import CONTEXT_KEY
from hopyard.state.running import Holder
from hopyard.state.settings import Context

__all__ = ("ThreadSummary", "model_of", "summary_of")


@dataclass(frozen=True)
class ThreadSummary:
    """One thread in a list. One that waits for an answer of its user is not finished either."""

    thread_id: str
    question: str
    answer: str
    strategy: str
    finished: bool
    waiting: bool
    updated: str
    size: int
    model: str
    running: Holder | None
    """The process that works on it now."""


def summary_of(
    thread_id: str, state: StateSnapshot, size: int, running: Holder | None
) -> ThreadSummary:
    """A thread in short.

    Args:
        thread_id: The thread.
        state: LangGraph's view of it.
        size: Bytes that it takes in the store.
        running: The process that works on it now.
    """
    values = state.values
    return ThreadSummary(
        thread_id=thread_id,
        question=values.get("question", ""),
        answer=values.get("answer", ""),
        strategy=values.get("strategy", ""),
        finished=not state.tasks,
        waiting=bool(state.interrupts),
        updated=state.created_at or "",
        size=size,
        model=model_of(state),
        running=running,
    )


def model_of(state: StateSnapshot) -> str:
    """The chat model of a thread, as its settings name it."""
    kept = (state.metadata or {}).get(CONTEXT_KEY)
    settings: Mapping[str, Any] = (
        json.loads(kept) if isinstance(kept, str) else state.values.get("settings", {})
    )
    return str(settings.get("model", Context().model))
