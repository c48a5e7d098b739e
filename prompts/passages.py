"""How retrieved text is put into a prompt: as data that cannot pose as anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hopyard.state.text.tokens import characters_within

_CHAT_TOKENS: Final = re.compile(
    r"<(?=[|｜][^<>|｜\s]{0,40}[|｜]>|/?s>|(?:start|end)_of_turn>|(?:bos|eos|pad|unk)>|/?think>|</?SYS>)"
    r"|\[(?=/?INST\])"
)
"""Beginnings of what chat templates are written in: many servers read it in a message's text too,
and a passage that held `<|im_end|>` would end the user's turn."""
_HIDDEN: Final = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Characters that turn the direction of what follows, and the invisible copies of ASCII."""
_BREAKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
"""White space, line and paragraph separators, and control characters."""


def one_line(text: str) -> str:
    """The text on a single line, without control characters and without a chat template's marks."""
    plain = _HIDDEN.sub("", _BREAKS.sub(" ", text)).strip()
    return _CHAT_TOKENS.sub(r"\g<0> ", plain)


def plain(text: str) -> str:
    """The words of a question, to see whether two questions are the same."""
    return re.sub(r"\W+", " ", text).strip().lower()


def heading(title: str, about: str = "") -> str:
    """The text before a passage, as in `Title (The Verge, 2023-11-05, page 4)`.

    Args:
        about: Its source, date and page, as `Passage.about` gives them; "" for nothing.
    """
    return f"{title} ({about})".strip() if about else title


def source_line(heading: str) -> str:
    """The line above sentences of a passage.

    Its first word keeps a title from posing as a numbered line.
    """
    return f"From {one_line(heading)}:"


def passage_lines(passages: Sequence[tuple[str, str]], numbers: Sequence[int] | None = None) -> str:
    """Number passages, one a line.

    The line is the delimiter: text without a line break cannot end its own line, so no passage can
    pose as another.

    Args:
        passages: Title and text of each, the best first.
        numbers: The number of each; 1, 2, 3, … where they are not given.
    """
    given = range(1, len(passages) + 1) if numbers is None else numbers
    return "\n".join(
        f"[{number}] {one_line(title)}: {one_line(text)}"
        for number, (title, text) in zip(given, passages, strict=True)
    )


def passage_snippet(text: str, tokens: int) -> str:
    """The beginning of a text of so many tokens, cut at a word."""
    return snippet(text, characters_within(text, tokens))


def snippet(text: str, longest: int) -> str:
    """The beginning of a text, cut at a word."""
    if len(text) <= longest:
        return text
    words = text[:longest].rsplit(None, 1)
    return words[0] if words else ""
