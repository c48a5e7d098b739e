"""The names of a statement, compared with those of its passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.matches import Matches
from hopyard.nodes.support.said import Entity, Said, entities_of, said

__all__ = ("NameCheck",)

_BEGINNING: Final = 25
"""Characters of an item that its name is in."""
_RELATIVE: Final = re.compile(
    r"(?:who|whom|whose|which|that|where|der|die|das|dem|den|dessen|deren|wo|and|und|but|aber)\b",
    re.I,
)


class NameCheck:
    """Which name of a statement its passages do not have, or have elsewhere."""

    def __init__(self, found: Matches) -> None:
        self._found: Final = found

    def missing(self) -> str:
        """The first that is not there, or of which something else is said; "" if none."""
        focus = self._found.focus()
        for entity in self._found.entities:
            if all(self._found.asked.has_word(word) for word in entity.words):
                continue
            holding = [line for line in self._found.lines if entity.is_in(line.own)]
            if not holding and not self._is_around(entity):
                if not entity.sure or (self._found.foreign and len(entity.words) == 1):
                    continue
                return f"name {' '.join(entity.words)}"
            if not entity.sure and not any(line.table >= 0 or line.item for line in holding):
                continue
            if not self._found.foreign and not self._is_bound_name(entity, holding, focus):
                return f"name apart {' '.join(entity.words)}"
        for entity in self._found.all_entities[len(self._found.entities) :]:
            if not entity.sure and not entity.is_in(self._found.asked):
                holding = [line for line in self._found.lines if entity.is_in(line.own)]
                apart = not self._found.foreign and not self._is_bound_name(entity, holding, focus)
                if holding and apart:
                    return f"name apart {' '.join(entity.words)}"
        return ""

    def _is_around(self, entity: Entity) -> bool:
        return any(entity.is_in(line.context) for line in self._found.lines)

    def _is_bound_name(self, entity: Entity, holding: Sequence[Line], focus: Line) -> bool:
        """Whether a line has the name with something that the statement says."""
        if entity.is_in(focus.own):
            return not self._is_in_another_part(entity, focus)
        return (
            entity.is_in(focus.subject)
            or any(line in self._found.used for line in holding)
            or self._is_free(entity, holding, focus)
            or any(self._says_as_much(entity, line, focus) for line in self._found.lines)
            or self._is_listed(entity, holding, focus)
        )

    def _is_free(self, entity: Entity, holding: Sequence[Line], focus: Line) -> bool:
        """Whether prose says nothing of another name in the place of this one."""
        beside = [line for line in holding if line.table < 0 and not line.item]
        if focus.table >= 0 or focus.item or (holding and not beside):
            return False
        if self._found.asked.text and self._found.places > 1:
            return True
        near = not holding or any(line.passage == focus.passage for line in beside)
        about_it = any(other.is_in(focus.context) for other in self._found.entities)
        strict = self._is_subject(entity) or not about_it
        told = self._found.said_by(focus)
        return near and not (strict and told and self._names_another(focus))

    def _says_as_much(self, entity: Entity, line: Line, focus: Line) -> bool:
        """Whether a line with the name says something else of the statement, or as much."""
        if not (entity.is_in(line.own) or (line.table < 0 and entity.is_in(line.subject))):
            return False
        told, said_here = self._found.said_by(focus), self._found.said_by(line)
        in_prose = focus.table < 0 and not focus.item
        return bool(
            said_here - told
            or (told and said_here >= told)
            or (self._found.asked.text and in_prose and self._is_about_the_question(line))
        )

    def _is_in_another_part(self, entity: Entity, focus: Line) -> bool:
        """Whether a sentence says it of another name, as in "A brings the cake, B the games"."""
        told = {hit for hit in self._found.said_by(focus) if isinstance(hit, str)}
        if focus.table >= 0 or not told or not self._is_subject(entity):
            return False
        if self._found.asked.text or entity.is_in(focus.context):
            return False
        mine: list[Said] = []
        others: list[Said] = []
        for part in map(said, re.split(r"[,;]\s", focus.text)):
            (mine if entity.is_in(part) else others).append(part)
        if any(part.words & told for part in mine):
            return False
        saying = [part for part in others if part.words & told]
        return bool(mine and saying) and all(
            not _RELATIVE.match(part.plain) and self._has_another_name(part) for part in saying
        )

    def _has_another_name(self, part: Said) -> bool:
        return any(
            not entity.is_in(self._found.whole)
            for entity in entities_of(part.plain, self._found.is_name, german=self._found.german)
            if entity.sure or entity.words[-1] in self._found.full_names
        )

    def _is_subject(self, entity: Entity) -> bool:
        """Whether the statement begins with a name."""
        return not said(self._found.claim.plain[: entity.start]).words

    def _names_another(self, focus: Line) -> bool:
        """Whether a sentence has a name that neither the statement nor its title has."""
        return any(
            not entity.is_in(self._found.whole) and not entity.is_in(focus.context)
            for entity in entities_of(
                focus.own.plain, self._found.is_name, german=self._found.german
            )
            if entity.sure or entity.words[-1] in self._found.full_names
        )

    def _is_about_the_question(self, line: Line) -> bool:
        """Whether a line, with its title, has a name or a word of the question."""
        return bool(self._found.asked.words & (line.own.words | line.subject.words))

    def _is_listed(self, entity: Entity, holding: Sequence[Line], focus: Line) -> bool:
        """Whether the names of a list or a column are enumerated, or share another name."""
        others = [other for other in self._found.entities if other != entity]
        for line in holding:
            if line.table < 0 and not line.item:
                continue
            hub = [other for other in others if other.is_in(line.own)]
            if hub and all(other.is_in(focus.own) for other in hub):
                return True
            if any(
                _alike(line, entity, near, other)
                for other in others
                for near in self._found.lines
                if near is not line and other.is_in(near.own) and not entity.is_in(near.own)
            ):
                return True
        return False


def _alike(line: Line, entity: Entity, near: Line, other: Entity) -> bool:
    """Whether two names are in the same column of a table, or both begin an item."""
    if line.table >= 0:
        if (line.passage, line.header) != (near.passage, near.header) or near.table < 0:
            return False
        mine = {place for place, cell in enumerate(line.cells) if entity.is_in(cell)}
        its = {place for place, cell in enumerate(near.cells) if other.is_in(cell)}
        return bool(mine & its)
    places = (line.own.place_of(entity), near.own.place_of(other))
    return line.item and near.item and max(places) < _BEGINNING
