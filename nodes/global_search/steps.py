"""The steps of a global search: the selection, ratings, reports written, map calls, the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopyard.nodes.lifecycle import with_endings
from hopyard.nodes.run import Run
from hopyard.state.errors import CallFailedError, ModelOutputError
from hopyard.state.schemas import Step
from hopyard.state.verdicts import FAILED

__all__ = ("check_reading", "steps_of")


def steps_of(state: Mapping[str, Any]) -> list[Step]:
    """The steps of a search that is under way, or of the part that a task has written."""
    notes: Any = state.get("notes") or ()
    # A node that clears the notes gives an `Overwrite` of them.
    return list(state.get("steps") or getattr(notes, "value", notes))


async def check_reading(run: Run, notes: Sequence[Step]) -> None:
    """See that one of several calls has read, if none of them found anything.

    Args:
        run: The run.
        notes: The steps of the calls. A call that has read counts its points.

    Raises:
        ModelOutputError: Calls failed, and no call has read. It is the error of the last one.
    """
    failed = [step for step in notes if step.get("verdict") == FAILED]
    if not failed or any("points" in step.get("facts", {}) for step in notes):
        return
    [last] = await with_endings(run, failed[-1:])
    ending = last.get("ending", ModelOutputError.reason)
    if ending == ModelOutputError.reason:
        raise ModelOutputError(last["reason"])
    raise CallFailedError(last["reason"], reason=ending)
