"""Escape text of runs and documents for the page."""

from __future__ import annotations

import html

from hopyard.state.controls import without_controls

__all__ = ("escape",)


def escape(text: str) -> str:
    """Text that can be in an element or in a quoted attribute."""
    return html.escape(without_controls(text), quote=True)
