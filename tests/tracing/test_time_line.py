"""The time line, worked by hand."""

from __future__ import annotations

import pytest

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Step
from hopyard.tracing.drawing import Pause, time_line
from hopyard.tracing.model import TraceStep


def call(at: str, seconds: float, *, cached: bool = False) -> Use:
    return Use(Entry("answer", 1, "m", 0, "{}", "parsed", 1, 1, seconds), cached, "s", "k", at)


def step(*uses: Use) -> TraceStep:
    return TraceStep("s", Step(id="s", kind="read"), uses)


def test_calls_side_by_side_overlap_and_the_ledgers_are_left_out() -> None:
    first = call("2026-01-01T10:00:04.000Z", 4.0)  # from 0 to 4
    second = call("2026-01-01T10:00:05.000Z", 3.0)  # from 2 to 5
    cached = call("2025-01-01T10:00:05.000Z", 3.0, cached=True)
    line = time_line([step(second, cached), step(first)])
    assert [(bar.use, bar.begin) for bar in line.bars] == [(first, 0.0), (second, 2.0)]
    assert (line.seconds, line.pauses) == (5.0, ())


def test_a_long_pause_is_cut_out() -> None:
    before = call("2026-01-01T10:00:02.000Z", 2.0)
    after = call("2026-01-02T10:00:03.000Z", 1.0)  # a day later
    line = time_line([step(before, after)])
    assert [bar.begin for bar in line.bars] == pytest.approx([0.0, 2.0])
    assert line.seconds == pytest.approx(3.0)
    assert line.pauses == (Pause(2.0, 86_400.0),)


def test_without_a_call_there_is_no_line() -> None:
    assert time_line([step(), step(call("", 1.0))]).bars == ()
