"""Text that every encoder, store and terminal takes."""

from __future__ import annotations

import re
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e]")
"""Control characters except tab and line ends: terminals obey them, and Postgres refuses NUL. Two
turn the order of letters round: they make `exe.txt` of `txt.exe`."""
HYPHENS: Final = "-\u00ad\u058a\u05be\u1400\u1806\u2010\u2011\u2e17\u2e40\ufe63\uff0d\U00010ead"
"""The marks that divide a word at the end of a line, or join two words, in all scripts."""


def valid_unicode(text: str) -> str:
    """The text with U+FFFD in the place of each lone surrogate, which UTF-8 cannot encode.

    Command-line arguments and file names have them for bytes that are not UTF-8, and escapes in
    JSON may be half of an emoji. A whole pair becomes its character.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def storable_text(text: str) -> str:
    """Valid Unicode without NUL, at which SQLite and C libraries end a string."""
    return valid_unicode(text.replace("\0", ""))


def without_controls(text: str) -> str:
    """The text without control characters except tab and line ends, and in its own order."""
    return _CONTROL.sub("", text)
