"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ("counted", "plural")


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 model call", "1,200 model calls".

    Args:
        number: How many.
        noun: In the singular, with a regular plural.
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """A regular plural: "calls", "entities"."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
