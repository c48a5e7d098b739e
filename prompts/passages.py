"""How retrieved text is put into a prompt: as data that cannot pose as anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ("one_line", "passage_lines")

_BREAKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
"""White space, line and paragraph separators, and control characters."""


def one_line(text: str) -> str:
    """The text on a single line, its control characters gone."""
    return _BREAKS.sub(" ", text).strip()


def passage_lines(passages: Sequence[tuple[str, str]]) -> str:
    """Number passages, one a line.

    The line is the delimiter: text that has no line break cannot end its own line, so a passage
    cannot open a new one, whatever it says.

    Args:
        passages: Title and text of each, the best first.
    """
    return "\n".join(
        f"[{number}] {one_line(title)}: {one_line(text)}"
        for number, (title, text) in enumerate(passages, 1)
    )
