"""The policy for model calls that give nothing: this file alone decides what a run does then.

| the call | raises | attempt | if the answer needs it |
|---|---|---|---|
| gave a usable output | | `output` | |
| fitted no schema, after retries | `ModelOutputError` | "failed" | the error ends the run |
| was refused, too slow or too long | `CallFailedError` | "failed", `retry_later` | ends it |
| had no budget left | `BudgetExceededError` | "budget", `truncated` | Unknown |
| met no server | `ModelUnreachableError` | none: it ends the run | |

A run continues without a call that its answer does not need.
"Unknown" means that the documents were read and do not say. A call that failed has read nothing, so
it may not become "Unknown". A call without budget may: the result says that it is truncated.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Generic, TypeVar

from hopyard.nodes.citations import is_unknown
from hopyard.prompts.answer import UNKNOWN
from hopyard.state import verdicts
from hopyard.state.errors import (
    BudgetExceededError,
    CallFailedError,
    HopyardError,
    ModelOutputError,
)
from hopyard.state.schemas import Step

T = TypeVar("T")


@dataclass(frozen=True)
class Attempt(Generic[T]):
    """The outcome of a call, or of work that depends on a call.

    Attributes:
        error: The error in place of the output.
    """

    output: T | None
    error: HopyardError | None = None

    @property
    def reason(self) -> str:
        """Why there is no output, in a sentence, or ""."""
        return str(self.error or "")

    @property
    def truncated(self) -> bool:
        """Whether the budget left no call."""
        return isinstance(self.error, BudgetExceededError)

    @property
    def retry_later(self) -> bool:
        """Whether the model did not answer, so that a resumed run may have more luck."""
        return isinstance(self.error, CallFailedError)

    def mark(self, step: Step) -> Step:
        """The step of this attempt, which gave nothing."""
        verdict = verdicts.BUDGET if self.truncated else verdicts.FAILED
        return {**step, "verdict": verdict, "reason": self.reason}

    def check_needed(self) -> None:
        """See that a run whose answer needs this call may continue without its output.

        Raises:
            HopyardError: The call failed, and not because of the budget.
        """
        if self.error is not None and not self.truncated:
            raise self.error

    def answer_instead(self, known: str = UNKNOWN) -> str:
        """The answer if the call, which was to give it, gave nothing.

        Args:
            known: The result of other calls, if that can be the answer.

        Raises:
            HopyardError: The call failed, not because of the budget, and nothing is known.
        """
        if is_unknown(known):
            self.check_needed()
        return known


async def attempted(work: Awaitable[T], *also: type[HopyardError]) -> Attempt[T]:
    """Wait for work that depends on model calls; a call that gives nothing raises no error.

    Args:
        also: Other errors that the run survives.

    Raises:
        ModelUnreachableError: No server answers: every other call would fail too.
    """
    expected: tuple[type[HopyardError], ...] = (BudgetExceededError, ModelOutputError, *also)
    try:
        return Attempt(await work)
    except expected as error:
        return Attempt(None, error)
