"""The cost of a run, and the limits of its budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.errors import BudgetExceededError
from hopyard.state.group import Amount, Frozen, Limit
from hopyard.state.text.counting import counted


class Budget(Frozen):
    """The hard stop of one run. Cached calls cost nothing."""

    calls: Limit = Field(None, description="Maximum model calls.")
    tokens: Limit = Field(None, description="Maximum input and output tokens.")
    seconds: Amount = Field(None, description="Maximum seconds of working time.")
    day_tokens: Limit = Field(
        None,
        description="Maximum tokens a day (UTC) of all runs that share the ledger; running calls "
        "may exceed it.",
    )
    person_tokens: Limit = Field(
        None, description="The same of the runs of one person, where a server knows people."
    )
    person: str = Field("", description="The person of a run: a server that knows people sets it.")
    minute_requests: Limit = Field(
        None,
        description="Maximum model calls a minute of all processes that share the ledger, for each "
        "model; calls wait.",
    )
    minute_tokens: Limit = Field(None, description="The same of input and output tokens.")

    def pause(self, tokens: int) -> float:
        """Seconds for which a call of some tokens uses up the limits of a minute."""
        requests = 60 / self.minute_requests if self.minute_requests else 0.0
        return max(requests, 60 * tokens / self.minute_tokens if self.minute_tokens else 0.0)


class Usage(TypedDict):
    """Totals of one run, a `state.answer.Usage`."""

    model_calls: int
    cached_calls: int
    input_tokens: int
    output_tokens: int
    estimated_calls: int
    seconds: float


def no_usage() -> Usage:
    """Zero of everything."""
    return Usage(
        model_calls=0,
        cached_calls=0,
        input_tokens=0,
        output_tokens=0,
        estimated_calls=0,
        seconds=0.0,
    )


def add_usage(first: Usage, second: Usage) -> Usage:
    """The sum of two runs."""
    return Usage(
        model_calls=first["model_calls"] + second["model_calls"],
        cached_calls=first["cached_calls"] + second["cached_calls"],
        input_tokens=first["input_tokens"] + second["input_tokens"],
        output_tokens=first["output_tokens"] + second["output_tokens"],
        estimated_calls=first["estimated_calls"] + second["estimated_calls"],
        seconds=first["seconds"] + second["seconds"],
    )


def about(usage: Mapping[str, Any]) -> str:
    """The word before counts of tokens: `about ` if some are estimated, else ""."""
    return "about " if usage.get("estimated_calls") else ""


class Meter:
    """Counts one run in this process, on top of what the ledger says it spent before.

    One closing call is always kept back, so that a run whose budget is used up can still answer:
    `calls` is never exceeded, `tokens` and `seconds` by the closing call at most.
    """

    def __init__(self, before: Usage, endings: Mapping[tuple[str, str], str] | None = None) -> None:
        self._endings = dict(endings or {})
        self._started = monotonic()
        self._in_flight = 0
        self._spent = before.copy()

    @property
    def usage(self) -> Usage:
        """The totals so far; seconds are working time, without the time between two processes."""
        seconds = self._spent["seconds"] + monotonic() - self._started
        return {**self._spent, "seconds": round(seconds, 3)}

    @staticmethod
    def check_day(budget: Budget, spent: Callable[[str], int]) -> None:
        """See whether all runs of the day, and those of a person, may spend more.

        Args:
            spent: Gives the tokens of a person today, and those of all for "".

        Raises:
            BudgetExceededError: They may not.
        """
        for name, limit, who in (
            ("day_tokens", budget.day_tokens, ""),
            ("person_tokens", budget.person and budget.person_tokens, budget.person),
        ):
            if limit and spent(who) >= limit:
                whose = f"of {who!r}" if who else "of all runs that share the ledger"
                raise BudgetExceededError(
                    f"The budget of {counted(limit, 'token')} for today, {whose}, is used up; "
                    f"raise budget.{name}, or wait for midnight UTC."
                )

    def start_call(self, budget: Budget, *, final: bool) -> None:
        """Take one model call out of the budget.

        Raises:
            BudgetExceededError: The call would go beyond the budget.
        """
        calls = self._spent["model_calls"] + self._in_flight
        if budget.calls and calls >= (budget.calls if final else budget.calls - 1):
            raise BudgetExceededError(
                f"The budget of {counted(budget.calls, 'model call')} is used up; "
                "raise --max-calls."
            )
        usage = self.usage
        tokens = usage["input_tokens"] + usage["output_tokens"]
        if budget.tokens and tokens >= budget.tokens and not final:
            raise BudgetExceededError(
                f"The budget of {counted(budget.tokens, 'token')} is used up; raise --max-tokens."
            )
        if budget.seconds and usage["seconds"] >= budget.seconds and not final:
            raise BudgetExceededError(
                f"The budget of {budget.seconds:g} seconds is used up; raise budget.seconds."
            )
        self._in_flight += 1

    def end_call(
        self, input_tokens: int, output_tokens: int, *, finished: bool, estimated: bool = False
    ) -> None:
        """Give the call's tokens; a call that never finished is not counted."""
        self._in_flight -= 1
        if finished:
            self._spent["model_calls"] += 1
            self._spent["input_tokens"] += input_tokens
            self._spent["output_tokens"] += output_tokens
            self._spent["estimated_calls"] += estimated

    def note_ending(self, call: tuple[str, str], ending: str) -> bool:
        """Note how a step's last call of a prompt ended; "" if it is finished.

        Returns:
            Whether that is new.
        """
        before = self._endings.get(call, "")
        self._endings[call] = ending
        return ending != before

    def endings(self) -> dict[str, str]:
        """How a call of a step ended, for those steps with one that is not finished."""
        return {step: ending for (step, _), ending in list(self._endings.items()) if ending}

    def count_cached(self) -> None:
        """Count one call that the ledger answered."""
        self._spent["cached_calls"] += 1
