"""Verdicts: how a step ended, in a word that a thread keeps and a trace shows.

They are strings, because a checkpoint holds plain values. A strategy may add its own.
"""

from __future__ import annotations

from typing import Final

FAILED: Final = "failed"
"""The model gave no usable output."""
BUDGET: Final = "budget"
"""The budget left no call."""
FALLBACK: Final = "fallback"
"""Something failed, and a simpler method was used instead."""
CUT: Final = "cut"
"""The answer reached its limit of tokens."""
OPEN: Final = "open"
"""Not finished."""
LEAF: Final = "leaf"
"""The question was not split."""
SPLIT: Final = "split"
PRUNED: Final = "pruned"
"""Judged unhelpful and removed, with everything below it."""
ENOUGH: Final = "enough"
"""The passages read so far are enough."""
NOTHING_FOUND: Final = "nothing found"
ABOUT_LAST: Final = "revise"
"""The message is about the last answer."""

GAVE_NOTHING: Final = frozenset({FAILED, BUDGET})
FELL_SHORT: Final = GAVE_NOTHING | {FALLBACK}
"""Verdicts of steps that did not do what they should."""
