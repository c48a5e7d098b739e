"""The headers of a mail, also those that programs write wrongly."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from contextlib import suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from typing import Any, Final

from hopyard.indexes.documents.readers.text import decoded

LONGEST_HEADERS: Final = 100_000
"""Bytes of headers that are looked into, at most."""
_HEADERS: Final = re.compile(rb"\A.*?\r?\n(?=\r?\n)", re.DOTALL)
_ABOVE: Final = re.compile(
    rb"\A(?:[ \t]*\r?\n)*+(?:(?!From |[!-9;-~]+:)[^\r\n]+\r?\n)?"
    rb"(?=From |(?:from|to|cc|date|subject|sender|reply-to|return-path|received|delivered-to|path|"
    rb"message-id|newsgroups|mime-version|envelope-to|content-[a-z-]+|x-[\w-]+)[ \t]*:)",
    re.IGNORECASE,
)
"""Empty lines and one line of a program above the headers; a text without headers has neither."""
_GAP: Final = re.compile(rb"\r?\n(?:\r?\n)+")
_KIND: Final = re.compile(
    rb"^content-type:[ \t]*[\w.+-]+/[\w.+-]+[ \t]*(?:;|\r?$)", re.MULTILINE | re.IGNORECASE
)


class _Lenient(EmailPolicy):
    """Reads headers without what is broken in them."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        for part in (value, value.partition(";")[0]):
            with suppress(Exception):  # Python's parser meets some headers with any exception
                return super().header_fetch_parse(name, part)
        return self.header_factory("Subject", " ".join(value.split()))


def from_headers(data: bytes) -> bytes:
    """A mail without what programs write above its headers, or empty lines between them."""
    data = data.removeprefix(BOM_UTF8)
    above = _ABOVE.match(data)
    data = data[above.end() :] if above else data
    gap = _GAP.search(data, 0, LONGEST_HEADERS)
    if gap and _KIND.match(data, gap.end()) and not _KIND.search(data, 0, gap.start()):
        return data[: gap.start()] + b"\r\n" + data[gap.end() :]
    return data


def parsed(data: bytes) -> EmailMessage:
    """A mail, whatever is wrong in its headers."""
    lenient: Any = _Lenient()
    readable = _HEADERS.sub(_readable_headers, data, count=1)
    mail: EmailMessage = BytesParser(EmailMessage, policy=lenient).parsebytes(readable)
    return mail


def _readable_headers(headers: re.Match[bytes]) -> bytes:
    """The headers in UTF-8; some programs write them in the encoding of their country."""
    return headers[0] if headers[0].isascii() else decoded(headers[0]).encode()
