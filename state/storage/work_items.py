"""Items of work that processes share, whatever keeps them."""

from __future__ import annotations

import json
import zlib
from typing import Any, Final, NamedTuple

LEASE: Final = 30.0
"""Seconds until the items of a killed process are taken again."""
CALL: Final = "call"
"""A request to a chat model; the result is its reply."""
BATCHED: Final = "batched"
"""A call that goes into a batch of the builder: other workers leave it alone."""
EMBED: Final = "embed"
"""Texts to embed; the result is the bytes of their vectors [n, d], little-endian float32."""


class Item(NamedTuple):
    """A piece of work.

    Attributes:
        key: A digest of everything that the result depends on.
        kind: `CALL`, `BATCHED` or `EMBED`.
        data: The order, or the result.
        failed: Whether the result is an error of this item alone.
    """

    key: bytes
    kind: str
    data: bytes
    failed: bool = False


def packed(values: dict[str, Any]) -> bytes:
    """Plain values as bytes."""
    return zlib.compress(json.dumps(values).encode(), 1)


def unpacked(data: bytes) -> dict[str, Any]:
    """The values that `packed` was given."""
    found: dict[str, Any] = json.loads(zlib.decompress(data))
    return found
