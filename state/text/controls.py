"""Text without control characters: a terminal would obey them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("without_controls",)

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""All of them but tab and line ends; the same that `prompts.prompt.Output` takes out."""


def without_controls(text: str) -> str:
    """The text without them."""
    return _CONTROL.sub("", text)
