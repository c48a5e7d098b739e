"""Put reports, and then points, into windows (GraphRAG, section 3.1.6)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hopyard.prompts.traits import traits_of
from hopyard.state.global_search import GlobalSettings, Point
from hopyard.state.settings.fields import Context
from hopyard.state.text.tokens import tokens_of

__all__ = ("best_points", "chunks", "first_chunk", "shuffled", "window_of")

ItemT = TypeVar("ItemT")


def shuffled(names: Iterable[str]) -> list[str]:
    """Names in an order without meaning, so that related reports are spread over the chunks.

    A new name changes no other name's order.
    """
    return sorted(
        names, key=lambda name: hashlib.blake2b(f"0:{name}".encode(), digest_size=8).digest()
    )


def window_of(settings: Context) -> int:
    """The tokens of a map call's reports, and of the points in the closing call."""
    return GlobalSettings.of(settings).window or traits_of(settings).global_tokens


def chunks(
    items: Iterable[ItemT], length: Callable[[ItemT], int], window: int
) -> list[list[ItemT]]:
    """Cut a sequence into chunks that fit into a window.

    Args:
        length: Gives the tokens of an item.
        window: Tokens of a chunk at most. A longer item is a chunk of its own.
    """
    found: list[list[ItemT]] = []
    room = 0
    for item in items:
        tokens = length(item)
        if not found or tokens > room:
            found.append([])
            room = window
        found[-1].append(item)
        room -= tokens
    return found


def first_chunk(items: Iterable[ItemT], length: Callable[[ItemT], int], window: int) -> list[ItemT]:
    """The first items that fit into a window together; the first even if it does not."""
    return next(iter(chunks(items, length, window)), [])


def best_points(points: Sequence[Point], window: int) -> list[Point]:
    """The points in descending order of score, as many as fit into a window.

    Equals stay in the order of the map calls. The best point is kept even if it is too long.
    """
    ranked = sorted(points, key=lambda point: -point["score"])
    return first_chunk(ranked, lambda point: tokens_of(point["text"]), window)
