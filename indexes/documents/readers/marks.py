"""Raised letters and the numbers of lists in plain text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def join_runs(runs: Iterable[tuple[str, bool]]) -> str:
    """Stretches of a paragraph as one text, with `^` before raised letters: 10^6.

    The mark of a note in brackets needs none: 50[1].

    Args:
        runs: Each text, and whether it is raised.
    """
    text, was_raised = "", False
    for run, is_raised in runs:
        words = run.lstrip()
        is_first = is_raised and not was_raised and words and not words.startswith("[")
        text += f"{run[: len(run) - len(words)]}^{words}" if is_first else run
        was_raised = is_raised and bool(words)
    return text


def numeral(number: int, style: str) -> str:
    """The number of a list item or heading.

    Args:
        number: From 1; others are always written in digits.
        style: `a`, `A`, `i`, `I`; anything else means digits.
    """
    if number < 1 or style.lower() not in ("a", "i"):
        return str(number)
    if style.lower() == "a":  # after z comes aa, then bb
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    return text.upper() if style.isupper() else text
