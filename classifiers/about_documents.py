"""Whether a question is about the documents themselves, which no model knows without them.

The gate learns from questions about facts. "Summarise the approach in all guides" asks for none,
so a rule comes before the gate. It is English. Of 4,400 questions of Natural Questions it takes 5,
and none of HotpotQA, MuSiQue, 2WikiMultiHopQA and the everyday requests of the gate's tests.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ("is_about_documents",)

_DOCUMENTS: Final = re.compile(
    r"\b(?:the|these|those|my|our|your|all|across|whole|every|many|which|what|\d+)\s+"
    r"(?:[\w-]+\s+){0,2}?"
    r"(?:documents|articles|reports|guides|guidelines|booklets|files|papers|notes|texts|collection"
    r"|corpus|archive|pages|sources)\b(?!\.\w)"
    r"|\bthis\s+(?:[\w-]+\s+){0,2}?(?:collection|corpus|archive)\b",
    re.IGNORECASE,
)
"""A determiner, up to two words, and documents in the plural: one text may be in the request."""
_QUOTED: Final = re.compile(r"[\"“„«][^\"“”„«»]*[\"”»]")
"""Words of somebody else, or a text to work on."""


def is_about_documents(question: str) -> bool:
    """Whether a question names the documents: `these articles`, `the whole collection`."""
    return _DOCUMENTS.search(_QUOTED.sub(" ", question)) is not None
