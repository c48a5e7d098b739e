"""One budget of tokens for reports, facts and passages, each with a share of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hopyard.state.local_search import LocalSearchSettings

__all__ = ("Part", "fill", "rooms")


@dataclass(frozen=True)
class Part:
    """What one part of a prompt takes of its room."""

    count: int
    """Number of items that fit."""
    used: int
    room: int

    @property
    def left(self) -> int:
        """Tokens for the next part."""
        return self.room - self.used

    def __str__(self) -> str:
        """As a trace shows it: "310 of 525 tokens"."""
        return f"{self.used} of {self.room} tokens"


def rooms(settings: LocalSearchSettings) -> tuple[int, int, int]:
    """The tokens of reports, facts and passages, which add up to all tokens."""
    reports = int(settings.tokens * settings.share_reports)
    facts = int(settings.tokens * settings.share_facts)
    return reports, facts, settings.tokens - reports - facts


def fill(costs: Iterable[int], room: int) -> Part:
    """Take items in their order until the next does not fit.

    Args:
        costs: The tokens of each item.
        room: Tokens, at least 0.
    """
    count = used = 0
    for cost in costs:
        if used + cost > room:
            break
        count, used = count + 1, used + cost
    return Part(count, used, room)
