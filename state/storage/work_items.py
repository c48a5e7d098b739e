"""Items of work that processes share, whatever keeps them."""

from __future__ import annotations

from typing import Final, NamedTuple

LEASE: Final = 30.0
"""Seconds until the items of a killed process are taken again."""


class Item(NamedTuple):
    """A piece of work.

    Attributes:
        key: A digest of everything that the result depends on.
        kind: The kind of work.
        data: The order, or the result.
        failed: Whether the result is an error of this item alone.
    """

    key: bytes
    kind: str
    data: bytes
    failed: bool = False
