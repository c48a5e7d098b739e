"""Escape text of runs and documents for the page."""

from __future__ import annotations

import html
from collections.abc import Iterable

from hopyard.state.controls import without_controls

__all__ = ("escape", "escape_and_mark")


def escape(text: str) -> str:
    """Text that can be in an element or in a quoted attribute."""
    return html.escape(without_controls(text), quote=True)


def escape_and_mark(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Escaped text with marked parts.

    Args:
        text: The text.
        spans: Where the parts begin and end, in order, without overlap.
    """
    parts, place = [], 0
    for begin, end in spans:
        parts.append(escape(text[place:begin]))
        parts.append(f"<mark>{escape(text[begin:end])}</mark>")
        place = end
    return "".join((*parts, escape(text[place:])))
