"""The words of a trace and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hopyard.state import verdicts
from hopyard.state.strategy import STRATEGIES
from hopyard.tracing.describe import facts_of
from hopyard.tracing.model import Trace

_COMMON: Final[Mapping[str, str]] = {
    verdicts.PRUNED: "judged unhelpful and removed, with everything below it",
    verdicts.FAILED: "the model gave no usable output",
    verdicts.FALLBACK: "something failed, and a simpler method was used instead",
    verdicts.BUDGET: "the limit of calls, tokens or seconds was reached",
    verdicts.CUT: "the answer reached its limit of tokens; its end is missing",
    verdicts.OPEN: "not finished: it is running, or continues when the thread is resumed",
    "forced": "the user, or a setting, asked for this strategy",
    "score": "the step's score, from 0 to 1",
    "probability": "the gate's or the route's confidence, from 0 to 1",
}


def legend_of(trace: Trace) -> dict[str, str]:
    """The meaning of each verdict, fact and sign that the trace shows, where it is known.

    A sign, such as θ, is listed if it occurs in a reason.
    """
    own = STRATEGIES[trace.strategy].legend if trace.strategy in STRATEGIES else {}
    words = {**_COMMON, **own}
    records = [step.record for step in trace.walk()]
    shown = {record.get("verdict", "") for record in records}
    shown |= {name for record in records for name in facts_of(record)}
    shown |= {verdicts.PRUNED for record in records if record.get("replaced")}
    reasons = " ".join(record.get("reason", "") for record in records)
    signs = {word for word in words if not word.isascii() and word in reasons}
    return {word: meaning for word, meaning in words.items() if word in shown | signs}
