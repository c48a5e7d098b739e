"""Whether a number counts rows, items, or the names that a statement lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.quantities import Number
from hopyard.nodes.support.said import Entity

__all__ = ("counted",)

_LARGEST: Final = 200
_PLACE: Final = 2


def counted(
    number: Number,
    lines: Sequence[Line],
    entities: Sequence[Entity],
    words: frozenset[str],
) -> list[Line]:
    """The rows or items of which there are so many, in all or with a word of the statement.

    Args:
        number: A number of the statement.
        lines: The lines of its passages.
        entities: The names of the statement.
        words: Its other content words.
    """
    value = number.amount
    if number.base or number.scaled or value.denominator != 1 or not 2 <= value <= _LARGEST:
        return []
    after = [entity for entity in entities if entity.start > number.start]
    named = [[line for line in lines if entity.is_in(line.own)] for entity in after]
    if len(after) == value and all(named):
        return [found[0] for found in named]
    groups: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        if line.table >= 0 or line.item:
            place: tuple[object, ...] = (line.passage, line.table)
            groups.setdefault(place, []).append(line)
            shared: list[object] = [*(words & line.own.words)]
            shared += [entity for entity in entities if entity.is_in(line.own)]
            for word in shared:
                groups.setdefault((*place, word), []).append(line)
    held = [len(group) for place, group in groups.items() if len(place) > _PLACE]
    for of, group in groups.items():
        whole = len(of) == _PLACE
        if len(group) == value and not (whole and held and max(held) < value):
            return group
    return []
