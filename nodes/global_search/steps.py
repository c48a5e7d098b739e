"""The steps of a global search: the selection, ratings, reports written, map calls, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopyard.state.schemas import Step

__all__ = ("failed", "steps_of")


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a search that is under way, or of the part that a task has written."""
    notes: Any = state.get("notes") or ()
    # A node that clears the notes gives an `Overwrite` of them.
    return list(state.get("steps") or getattr(notes, "value", notes))


def failed(step: Step, error: Exception) -> Step:
    """A step whose call gave nothing."""
    return {**step, "verdict": "failed", "reason": str(error)}
