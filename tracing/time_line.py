"""When the model calls of a run were made: bars over the time that it worked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hopyard.models.ledger import Use
from hopyard.tracing.model import TraceStep

LONGEST_REST: Final = 30.0
"""Seconds without a call that are drawn; a longer pause, of a run that was resumed, is cut out."""


@dataclass(frozen=True)
class Bar:
    """One call: where it begins on the line, and how long it took, in seconds."""

    step: TraceStep
    use: Use
    begin: float


@dataclass(frozen=True)
class Pause:
    """Time that is cut out: where, and how many seconds."""

    at: float
    seconds: float


@dataclass(frozen=True)
class TimeLine:
    """The bars in the order in which they begin, and the length of the line."""

    bars: tuple[Bar, ...]
    pauses: tuple[Pause, ...]
    seconds: float


def time_line(steps: Iterable[TraceStep]) -> TimeLine:
    """The time line of the calls that a run paid for; the ledger's took no time."""
    begun = sorted(
        (
            (datetime.fromisoformat(use.at).timestamp() - use.entry.seconds, step, use)
            for step in steps
            for use in step.uses
            if use.at and not use.cached
        ),
        key=lambda call: call[0],
    )
    bars: list[Bar] = []
    pauses: list[Pause] = []
    left_out = begun[0][0] if begun else 0.0
    end = 0.0
    for begin, step, use in begun:
        if (rest := begin - left_out - end) > LONGEST_REST:
            pauses.append(Pause(end, rest))
            left_out += rest
        bars.append(Bar(step, use, begin - left_out))
        end = max(end, begin - left_out + use.entry.seconds)
    return TimeLine(tuple(bars), tuple(pauses), end)
