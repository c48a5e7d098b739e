"""Requests of a step besides a search: words in one document, and the pages of a passage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from pydantic import Field

from hopyard.models.prompt import Output

MOST_LOOKS: Final = 3
"""Requests of each kind that one step may make."""

INSIDE: Final = (
    "finds: words or an identifier to find inside one document, such as the label of a row; "
    "document is its name as in the passages, or the number of a passage from it.\n"
    "opens: numbers of passages whose pages you want to read, such as the rest of a table or a "
    "section.\n"
)
"""How a prompt explains the two kinds of requests."""


class FindIn(Output):
    """Words to find inside one document."""

    limits: ClassVar[Mapping[str, int]] = {"document": 200, "words": 200}

    document: str
    words: str = Field(min_length=1)


class Inside(Output):
    """The fields of an output that may ask for more of a document."""

    finds: list[FindIn] = Field(default_factory=list)
    opens: list[int] = Field(default_factory=list)
