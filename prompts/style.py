"""How an answer is to be written: the sentence that a prompt gets for `answer.style`."""

from __future__ import annotations

from typing import Final

from hopyard.state.settings import AnswerSettings

__all__ = ("writing",)

_STYLES: Final = {
    "short": "Write the answer with as few words as possible: a name, a number, a date, yes or no.",
    "sentence": "Write the answer as one sentence in the question's language.",
    "full": (
        "Write a full answer in the question's language, as long as the question needs: "
        "paragraphs, a list or a table. Put the numbers of the passages that support a statement "
        "after it, as in [2] or [1][4]."
    ),
    "auto": (
        "Write the answer in the question's language and as long as the question asks for: a few "
        "words for a fact, the whole list for a list, paragraphs for an explanation or a summary. "
        "In an answer of several statements, put the numbers of the passages that support a "
        "statement after it, as in [2] or [1][4]."
    ),
}
_BOTH: Final = (
    " What the passages do not say may come from your own knowledge: begin such a part with "
    '"From general knowledge:".'
)


def writing(settings: AnswerSettings) -> str:
    """What to tell a capable model about the form of its answer."""
    return _STYLES[settings.style] + (_BOTH if settings.knowledge == "both" else "")
