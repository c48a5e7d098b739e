"""How an answer is to be written: the sentences that a prompt gets for `answer.style`."""

from __future__ import annotations

from typing import Final

from hopyard.state.settings.fields import AnswerSettings

GENERAL_KNOWLEDGE: Final = "From general knowledge:"
"""The beginning of a part that the model adds from its own knowledge."""

_LANGUAGE: Final = "in the question's language, or in the one that it asks for"
_STYLES: Final = {
    "short": "Write the answer with as few words as possible: a name, a number, a date, yes or no.",
    "sentence": f"Write the answer as one sentence {_LANGUAGE}.",
    "full": (
        f"Write a full answer {_LANGUAGE}, as long as the question needs: paragraphs, a list or a "
        "table."
    ),
    "auto": (
        f"Write the answer {_LANGUAGE}, as long as the question asks for: a few words for a fact, "
        "the whole list for a list, paragraphs for an explanation or a summary."
    ),
}
_SMALL_SHORT: Final = "Write the answer with as few words as possible: a name, a number or a date."
"""Without "yes or no", which small models answer to other questions too."""
_MARKERS: Final = {
    "full": (
        " Put the numbers of the passages that support a statement after it, as in [2] or [1][4]."
    ),
    "auto": (
        " In an answer of several statements, put the numbers of the passages that support a "
        "statement after it, as in [2] or [1][4]."
    ),
}
_BOTH: Final = (
    " What the passages do not say may come from your own knowledge, in place of Unknown: begin "
    f'such a part with "{GENERAL_KNOWLEDGE}".'
)


def writing(settings: AnswerSettings, *, passages: bool = True, small: bool = False) -> str:
    """The instructions for the form of an answer. The built-in model has only one form.

    Args:
        settings: The style, and whether the model may add what it knows.
        passages: Whether it answers from numbered passages, which it is then to name.
        small: Whether the model is small.
    """
    style = _SMALL_SHORT if small and settings.style == "short" else _STYLES[settings.style]
    if not passages:
        return style
    both = _BOTH if settings.knowledge == "both" else ""
    return style + _MARKERS.get(settings.style, "") + both
