"""The end of a run in which a call failed that the answer needs.

"Unknown" means that the documents were read and do not say. A call that failed has read nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopyard.nodes.citations import is_unknown
from hopyard.nodes.run import Run, with_endings
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import CallFailedError, HopyardError, ModelOutputError
from hopyard.state.schemas import Step

__all__ = ("answer_without", "check_reading")


def answer_without(error: HopyardError, instead: str = UNKNOWN) -> str:
    """The answer in place of a call that was to give it.

    Args:
        error: Why the call failed.
        instead: What other calls found, if that can be the answer.

    Returns:
        `instead`. If the budget left no call, Unknown: the result says that it is truncated.

    Raises:
        ModelOutputError: Nothing can be the answer.
    """
    if is_unknown(instead) and isinstance(error, ModelOutputError):
        raise error
    return instead


async def check_reading(run: Run, notes: Sequence[Step]) -> None:
    """See that one of several calls has read, where none of them found anything.

    Args:
        run: The run.
        notes: The steps of the calls. A call that has read counts its points.

    Raises:
        ModelOutputError: Calls failed, and no call has read. It is the error of the last one.
    """
    failed = [step for step in notes if step.get("verdict") == "failed"]
    if not failed or any("points" in step.get("facts", {}) for step in notes):
        return
    [last] = await with_endings(run, failed[-1:])
    ending = last.get("ending", ModelOutputError.reason)
    if ending == ModelOutputError.reason:
        raise ModelOutputError(last["reason"])
    raise CallFailedError(last["reason"], reason=ending)
