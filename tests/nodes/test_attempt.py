"""Calls that give nothing, and the run around them."""

from __future__ import annotations

import pytest

from hopyard.nodes.attempt import Attempt, attempted
from hopyard.state.errors import (
    BudgetExceededError,
    CallFailedError,
    HopyardError,
    IndexMissingError,
    ModelOutputError,
    ModelUnreachableError,
)
from hopyard.state.schemas import Step

STEP = Step(id="read", kind="read")


async def work(error: HopyardError | None = None) -> str:
    if error is not None:
        raise error
    return "read"


async def test_an_output_has_no_reason() -> None:
    attempt = await attempted(work())
    assert attempt == Attempt("read")
    assert (attempt.reason, attempt.truncated, attempt.retry_later) == ("", False, False)
    attempt.check_needed()


@pytest.mark.parametrize(
    ("error", "verdict", "truncated", "retry_later"),
    [
        (ModelOutputError("no output fits"), "failed", False, False),
        (CallFailedError("refused"), "failed", False, True),
        (BudgetExceededError("no call is left"), "budget", True, False),
    ],
)
async def test_what_each_error_means(
    error: HopyardError, verdict: str, truncated: bool, retry_later: bool
) -> None:
    attempt = await attempted(work(error))
    assert attempt.output is None
    assert (attempt.truncated, attempt.retry_later) == (truncated, retry_later)
    assert attempt.mark(STEP) == {**STEP, "verdict": verdict, "reason": str(error)}
    assert attempt.answer_instead("Paris") == "Paris"
    if truncated:
        assert attempt.answer_instead() == "Unknown"
    else:
        with pytest.raises(type(error), match=str(error)):
            attempt.answer_instead("unknown")


async def test_without_a_server_the_run_ends() -> None:
    with pytest.raises(ModelUnreachableError):
        await attempted(work(ModelUnreachableError("no server")))


async def test_further_errors_can_be_expected() -> None:
    with pytest.raises(IndexMissingError):
        await attempted(work(IndexMissingError("no index")))
    attempt = await attempted(work(IndexMissingError("no index")), IndexMissingError)
    assert attempt.mark(STEP)["verdict"] == "failed"
