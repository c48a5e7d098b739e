"""The content of an item of work: plain values, compressed."""

from __future__ import annotations

import json
import zlib
from typing import Any, Final

CALL: Final = "call"
"""A request to a chat model; the result is its reply."""
EMBED: Final = "embed"
"""Texts to embed; the result are the bytes of their vectors [n, d], little-endian float32."""


def packed(values: dict[str, Any]) -> bytes:
    """Values as bytes."""
    return zlib.compress(json.dumps(values).encode(), 1)


def unpacked(data: bytes) -> dict[str, Any]:
    """The values that `packed` was given."""
    found: dict[str, Any] = json.loads(zlib.decompress(data))
    return found
