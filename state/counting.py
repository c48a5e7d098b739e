"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ("counted",)


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 model call", "1,200 model calls".

    Args:
        number: How many.
        noun: In the singular. Its plural ends in -s.
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
