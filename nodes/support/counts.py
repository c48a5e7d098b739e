"""Whether a number is a count of rows, of items, or of the names that a statement lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.quantities import Number
from hopyard.nodes.support.said import Entity, Said

__all__ = ("counted",)

_LARGEST: Final = 200


def counted(
    number: Number,
    lines: Sequence[Line],
    claim: Said,
    entities: Sequence[Entity],
    words: frozenset[str],
) -> bool:
    """Whether so many rows or items are there, in all or with a word of the statement.

    Args:
        number: A number of the statement.
        lines: The lines of its passages.
        claim: The statement.
        entities: Its names.
        words: Its other content words.
    """
    value = number.amount
    if number.base or number.scaled or value.denominator != 1 or not 2 <= value <= _LARGEST:
        return False
    after = [entity for entity in entities if entity.start > number.start]
    if len(after) == value and all(any(one.is_in(line.own) for line in lines) for one in after):
        return True
    groups: Counter[tuple[int, int]] = Counter()
    holding: Counter[tuple[int, int, str]] = Counter()
    for line in lines:
        if line.table >= 0 or line.item:
            groups[line.passage, line.table] += 1
            for word in words & line.own.words:
                holding[line.passage, line.table, word] += 1
            for entity in entities:
                if entity.is_in(line.own):
                    holding[line.passage, line.table, entity.words[-1]] += 1
    if holding:
        return int(value) in holding.values() or (
            int(value) in groups.values() and max(holding.values()) in groups.values()
        )
    return int(value) in groups.values()
