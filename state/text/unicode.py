"""Text that every encoder takes: lone surrogates in given text are replaced."""

from __future__ import annotations

__all__ = ("storable_text", "valid_unicode")


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
