"""The meter: what a run has spent, and the hard stop that a budget puts on it."""

from __future__ import annotations

import pytest

from hopyard.state import usage as module
from hopyard.state.errors import BudgetExceededError
from hopyard.state.settings.fields import Budget
from hopyard.state.usage import Meter, Usage, no_usage

NO_LIMIT = Budget()


def pay(meter: Meter, budget: Budget = NO_LIMIT, *, final: bool = False, tokens: int = 0) -> None:
    meter.start_call(budget, final=final)
    meter.end_call(tokens, 0, finished=True)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


def test_a_new_run_has_spent_nothing(clock: list[float]) -> None:
    assert Meter(no_usage()).usage == no_usage()


def test_a_run_goes_on_from_what_it_spent_before(clock: list[float]) -> None:
    before = Usage(
        model_calls=2,
        cached_calls=1,
        input_tokens=50,
        output_tokens=5,
        estimated_calls=1,
        seconds=3.0,
    )
    meter = Meter(before)
    clock[0] += 1.5
    meter.start_call(NO_LIMIT, final=False)
    meter.end_call(10, 2, finished=True)
    meter.count_cached()
    assert meter.usage == {
        "model_calls": 3,
        "cached_calls": 2,
        "input_tokens": 60,
        "output_tokens": 7,
        "estimated_calls": 1,
        "seconds": 4.5,
    }


def test_a_call_that_never_finished_is_not_counted(clock: list[float]) -> None:
    meter = Meter(no_usage())
    meter.start_call(Budget(calls=1), final=True)
    meter.end_call(0, 0, finished=False)
    assert meter.usage == no_usage()
    pay(meter, Budget(calls=1), final=True)


def test_no_limit_is_no_limit() -> None:
    meter = Meter(no_usage())
    for _ in range(1000):
        pay(meter, tokens=10_000)
    assert meter.usage["model_calls"] == 1000


@pytest.mark.parametrize("calls", [1, 2, 5])
def test_the_budget_of_calls_keeps_one_for_the_closing_call(calls: int) -> None:
    meter, budget = Meter(no_usage()), Budget(calls=calls)
    for _ in range(calls - 1):
        pay(meter, budget)
    with pytest.raises(BudgetExceededError, match=f"budget of {calls} model calls?.*--max-calls"):
        meter.start_call(budget, final=False)
    pay(meter, budget, final=True)
    with pytest.raises(BudgetExceededError):
        meter.start_call(budget, final=True)
    assert meter.usage["model_calls"] == calls


def test_calls_under_way_count_towards_the_budget() -> None:
    meter, budget = Meter(no_usage()), Budget(calls=3)
    meter.start_call(budget, final=False)
    meter.start_call(budget, final=False)
    with pytest.raises(BudgetExceededError):
        meter.start_call(budget, final=False)
    meter.end_call(0, 0, finished=False)
    meter.start_call(budget, final=False)


def test_cached_calls_cost_nothing() -> None:
    meter, budget = Meter(no_usage()), Budget(calls=2)
    for _ in range(10):
        meter.count_cached()
    pay(meter, budget)


def test_tokens_in_and_out_are_limited_but_for_the_closing_call() -> None:
    meter, budget = Meter(no_usage()), Budget(tokens=100)
    meter.start_call(budget, final=False)
    meter.end_call(60, 39, finished=True)
    pay(meter, budget, tokens=1)
    with pytest.raises(BudgetExceededError, match=r"budget of 100 tokens.*--max-tokens"):
        meter.start_call(budget, final=False)
    pay(meter, budget, final=True, tokens=50)


def test_seconds_are_limited_but_for_the_closing_call(clock: list[float]) -> None:
    meter, budget = Meter(no_usage()), Budget(seconds=2.5)
    pay(meter, budget)
    clock[0] += 2.5
    with pytest.raises(BudgetExceededError, match=r"budget of 2\.5 seconds.*budget\.seconds"):
        meter.start_call(budget, final=False)
    pay(meter, budget, final=True)


def test_a_resumed_run_has_only_what_its_budget_left() -> None:
    meter = Meter(no_usage() | {"model_calls": 4})
    with pytest.raises(BudgetExceededError):
        meter.start_call(Budget(calls=5), final=False)
