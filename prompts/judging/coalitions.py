"""The four prompts whose answers Con-RAG compares: with question or without, with passages or not.

All four are the prompt that reads passages (`hopyard.prompts.answer`), same instructions, same
examples, same frame. They differ only in what they hold: what a coalition lacks is left empty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from hopyard.prompts.answer import ANSWER

Coalition = Literal["none", "question", "passages", "both"]

COALITIONS: Final[tuple[Coalition, ...]] = ("none", "question", "passages", "both")
"""∅, {q}, {D}, {q, D}: the order in which values are kept."""

COALITION: Final = replace(ANSWER, name="coalition", capable=None)
"""The same prompt under a name of its own: its outputs are no answers of the product."""


def coalition_values(coalition: Coalition, question: str, passages: str) -> dict[str, str]:
    """The values of the template.

    Args:
        question: The question, on one line.
    """
    return {
        "question": question if coalition in {"question", "both"} else "",
        "passages": passages if coalition in {"passages", "both"} else "",
    }
