"""Numbers with their nouns."""

from __future__ import annotations

import re


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 model call", "1,200 model calls".

    Args:
        noun: In the singular, with a regular plural.
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def held(number: int, name: str) -> str:
    """A number with the name of what is counted, as records have it: "1 table", "6 table rows".

    Args:
        name: A regular plural, with underscores for spaces.
    """
    words = name.replace("_", " ")
    if number == 1:
        words = f"{words[:-3]}y" if words.endswith("ies") else words.removesuffix("s")
    return f"{number:,} {words}"


def plural(noun: str) -> str:
    """A regular plural: "calls", "entities", "parts beside the text"."""
    noun, *about = re.split(r"(?= (?:of|within|beside|that|drawn) )", noun, maxsplit=1)
    rest = "".join(about)
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies{rest}"
    return f"{noun}s{rest}"
