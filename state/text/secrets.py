"""Secrets stay out of what is written: errors, logs, and the reasons that a thread keeps.

Keys come from the environment and go to the provider's client, never into a setting. Errors can
still contain secrets: a URL with a password, or a server that echoes its request.
"""

from __future__ import annotations

import base64
import logging
import os
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_SECRET_NAME: Final = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|HEADERS)$")
_USERINFO: Final = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_HEADER_VALUE: Final = re.compile(r"[^\s,;:=\"'{}]+")
_SHORTEST: Final = 8
"""Characters. A shorter value is a placeholder, such as `none`, and a part of common words."""
_HIDDEN: Final = "***"


def redact(text: str) -> str:
    """The text without passwords in URLs, and without the values of secret variables."""
    text = _USERINFO.sub(_HIDDEN, text)
    for secret in sorted(set(_secrets()), key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


class RedactingFormatter(logging.Formatter):
    """A log format that redacts the whole line, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """Format, then redact."""
        return redact(super().format(record))


def _secrets() -> Iterator[str]:
    for name, value in os.environ.items():
        parts: list[str] = []
        if _SECRET_NAME.search(name.upper()):
            parts += [value, *_HEADER_VALUE.findall(value)]
        for userinfo in _USERINFO.findall(value):
            plain = unquote(userinfo)
            user, _, password = plain.partition(":")
            parts += [userinfo, password or user, base64.b64encode(plain.encode()).decode()]
        yield from (part for part in parts if len(part) >= _SHORTEST)
