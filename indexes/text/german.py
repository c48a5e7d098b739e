"""German words that tell a plain noun from a name."""

from __future__ import annotations

import re
from typing import Final

from hopyard.indexes.text.english import word_set

__all__ = ("DETERMINERS", "PLAIN_NOUN")

_STEMS: Final = word_set("ein kein mein dein sein ihr unser euer dies jed jen manch welch all viel")
_ENDINGS: Final = ("", "e", "en", "em", "er", "es")
DETERMINERS: Final = frozenset(stem + ending for stem in _STEMS for ending in _ENDINGS) | word_set(
    "der die das den dem des im am zum zur vom beim ins ans einige mehrere beide zwei drei wenige"
)
"""Articles and the words in their place; `im` and its like end in an article."""
PLAIN_NOUN: Final = re.compile(
    r"\w{2,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|ismus|tät|täten|nis"
    r"|nisse|ling|linge|tum)"
)
