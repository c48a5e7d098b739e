"""A request to look inside a document."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

__all__ = ("Look",)


class Look(TypedDict):
    """Words to find in a document, pages to open, or the search that takes the place of a name."""

    kind: Literal["find", "open", "search"]
    text: str
    """As steps and prompts show it."""
    id: NotRequired[str]
    """The document to find words in, or the passage whose pages are opened."""
    words: NotRequired[str]
    reason: NotRequired[str]
    """The replacement for a name that no document has."""
