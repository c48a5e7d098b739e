"""What contradicts a statement though its words are there.

A negation in one and not in the other, an extreme that the column exceeds, a comparison the wrong
way round, and names that have changed their roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.said import Entity, Said, said
from hopyard.nodes.support.words import listed

__all__ = ("contradicts",)

Key = Entity | Date
Column = list[tuple[Line, Number]]

_NEGATION: Final = re.compile(
    r"\b(?:not(?! only)|no(?! longer than)|never|none|nobody|nothing|neither|without|cannot|"
    r"\w+n['’]t|"
    r"nicht(?! nur)|kein\w*|nie|niemals|niemand|nichts|ohne|weder|"
    r"reject\w*|refus\w*|declin\w*|den(?:y|ied)|cancel\w*|lack\w*|"
    r"abgelehnt|abzulehnen|verweiger\w*|abgesagt|storniert)\b|않|없|아니|못했|不|没|未|无",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(
    r"[;；,，。]\s*|"
    r"\b(?:and|but|while|whereas|because|so that|und|aber|während|weil|sondern|sonst)\b",
    re.IGNORECASE,
)
_OPENING: Final = " \"'“„*-"
_YES: Final = frozenset(listed("yes ja true ✓ x"))
_NO: Final = frozenset(listed("no nein false ✗ –"))
_HIGHEST: Final = re.compile(
    r"\b(?:highest|largest|biggest|longest|greatest|most|maximum|latest|heaviest|tallest|dearest|"
    r"(?:am )?(?:höchst|größt|längst|meist|teuerst|schwerst|spätest)\w*|maximal)\b|"
    r"가장 (?:높|크|많|긴)|最(?:高|大|多|长)",
    re.IGNORECASE,
)
_LOWEST: Final = re.compile(
    r"\b(?:lowest|smallest|shortest|least|fewest|minimum|earliest|cheapest|lightest|"
    r"(?:am )?(?:niedrigst|kleinst|kürzest|wenigst|günstigst|billigst|frühest|leichtest)\w*|"
    r"minimal)\b"
    r"|가장 (?:낮|작|적|짧)|最(?:低|小|少|短)",
    re.IGNORECASE,
)
_MORE: Final = (
    "more higher larger bigger longer later dearer heavier taller greater faster stronger after "
    "mehr höher größer länger später teurer schwerer schneller stärker nach"
)
_LESS: Final = (
    "less fewer lower smaller shorter earlier cheaper lighter slower weaker before "
    "weniger niedriger kleiner kürzer früher günstiger billiger leichter langsamer schwächer vor"
)
_COMPARED: Final = re.compile(
    rf"\b(?:(?P<more>{_MORE.replace(' ', '|')})|(?P<less>{_LESS.replace(' ', '|')}))\b",
    re.IGNORECASE,
)
_PASSIVE: Final = re.compile(
    r"\b(?:was|were|been|is|are|be|being|wurde|wurden|worden|wird|werden)\b", re.IGNORECASE
)
_BY: Final = re.compile(r"\b(?:by|von|durch)\b", re.IGNORECASE)
_PREPOSITION: Final = re.compile(
    r"\b(?:in|of|with|from|for|at|on|to|by|von|mit|für|bei|aus|an|auf|zu)\s+"
    r"(?:the |a |der |die |das |dem )?$"
)
_BETWEEN: Final = 8
"""Words between two names at most, so that the one between them is what one does to the other."""
_FROM_TO: Final = re.compile(
    r"\b(?:from|out of|von|aus)\s+(\w+)[^.;]*?\b(?:to|into|nach|zu)\s+(\w+)", re.IGNORECASE
)


def contradicts(
    claim: Said, entities: Sequence[Entity], quoted: Sequence[Line], columns: Sequence[Column]
) -> str:
    """How quoted lines contradict a statement; "" if they do not.

    Args:
        claim: The statement.
        entities: Its names.
        quoted: The lines that it is compared with.
        columns: The numbers of each column of the passages' tables, with their rows.
    """
    if _is_negated_otherwise(claim, entities, quoted):
        return "negation"
    if _is_exceeded(claim, columns):
        return "extreme"
    if _is_compared_wrongly(claim, [*entities, *claim.dates], columns):
        return "comparison"
    if _has_other_roles(claim, entities, quoted):
        return "roles"
    return ""


def _is_negated_otherwise(claim: Said, entities: Sequence[Entity], quoted: Sequence[Line]) -> bool:
    sentences: dict[tuple[int, tuple[int, int]], list[Said]] = {}
    for line in quoted:
        if line.table < 0:
            parts = map(said, _split(line.text))
            sentences.setdefault((line.passage, line.span), []).extend(parts)
    for part in map(said, _split(claim.plain)):
        near = [
            (len(part.words & other.words), place, other)
            for place, parts in sentences.items()
            for other in parts
        ]
        most = max((shared for shared, *_ in near), default=0)
        if not most or 2 * most < len(part.words):
            continue
        best = [other for shared, _, other in near if shared == most]
        if len(own := [entity for entity in entities if entity.is_in(part)]) == 1:
            # "The oven in A was replaced; that in B was not": the part with the name counts.
            places = {place for shared, place, _ in near if shared == most}
            named = [
                (shared, other)
                for shared, place, other in near
                if place in places and own[0].is_in(other)
            ]
            nearest = max((shared for shared, _ in named), default=0)
            best = [other for shared, other in named if shared == nearest] or best
        if all(_is_negated(other) != _is_negated(part) for other in best):
            return True
    return any(_denies(claim, line) for line in quoted if line.table >= 0)


def _split(text: str) -> Iterator[str]:
    yield from (part for part in _PARTS.split(text) if part and said(part).words)


def _is_negated(part: Said) -> bool:
    said_so = [
        match
        for match in _NEGATION.finditer(part.plain)
        if not match[0][0].isupper() or not part.plain[: match.start()].strip(_OPENING)
    ]
    return len(said_so) % 2 == 1  # "Without" within a sentence is part of a name


def _denies(claim: Said, row: Line) -> bool:
    """Whether a cell says yes where the statement says no, or the other way round."""
    for name, cell in zip(row.header, row.cells, strict=False):
        answer = cell.plain.casefold().strip()
        about = said(name).words
        if answer not in _YES | _NO or not about:
            continue
        for part in map(said, _split(claim.plain)):
            if 2 * len(about & part.words) >= len(about):
                return _is_negated(part) != (answer in _NO)
    for part in map(said, _split(claim.plain)):
        shared = [cell for cell in row.cells if cell.words & part.words]
        denied = [cell for cell in shared if _is_negated(cell)]
        if denied and not _is_negated(part):
            return True
    return False


def _is_exceeded(claim: Said, columns: Sequence[Column]) -> bool:
    """Whether a statement calls a number extreme, and its column has a larger or smaller one."""
    signs = [
        (pattern, choose)
        for pattern, choose in ((_HIGHEST, max), (_LOWEST, min))
        if pattern.search(claim.plain)
    ]
    if not signs:
        return False
    found = False
    for column in columns:
        if any(pattern.search(" ".join(column[0][0].header)) for pattern, _ in signs):
            return False  # "Highest rate" is the name of a column
        values = [number for _, number in column]
        mine = [
            number for number in values if any(number.equals(wanted) for wanted in claim.numbers)
        ]
        extremes = [choose(value.amount for value in values) for _, choose in signs]
        if any(number.amount in extremes for number in mine):
            return False
        found = found or bool(mine)
    return found


def _is_compared_wrongly(claim: Said, keys: Sequence[Key], columns: Sequence[Column]) -> bool:
    compared = _COMPARED.search(claim.plain)
    if not compared:
        return False
    end = compared.end()
    before, after = ([key for key in keys if (key.start < end) is side] for side in (True, False))
    for column in columns:
        for one in before:
            for other in after:
                mine, its = (_values_of(key, column) for key in (one, other))
                if len(mine) != 1 or len(its) != 1:
                    continue
                less = mine[0].amount - its[0].amount
                said_so = any(abs(less) in number.value | number.bare for number in claim.numbers)
                if said_so and less and (less > 0) != bool(compared["more"]):
                    return True
    return False


def _values_of(key: Key, column: Column) -> list[Number]:
    return [number for line, number in column if _has(line, key)]


def _has(line: Line, key: Key) -> bool:
    if isinstance(key, Date):
        return any(key.agrees(other) for other in line.dates)
    return key.is_in(line.own)


def _has_other_roles(claim: Said, entities: Sequence[Entity], quoted: Sequence[Line]) -> bool:
    return any(
        _swaps_direction(claim.plain, line.own.plain)
        or any(
            _swaps_agent(claim, line.own, one, other) for one, other in combinations(entities, 2)
        )
        for line in quoted
        if line.table < 0
    ) or _swaps_attributes(claim, entities, quoted)


def _swaps_direction(claim: str, text: str) -> bool:
    """Whether one goes from A to B, and the other from B to A."""
    for one in _FROM_TO.finditer(claim):
        for other in _FROM_TO.finditer(text):
            if (one[1].casefold(), one[2].casefold()) == (other[2].casefold(), other[1].casefold()):
                return True
    return False


def _swaps_agent(claim: Said, text: Said, one: Entity, other: Entity) -> bool:
    """Whether two names on both sides of a verb have changed places."""
    for verb in (claim.words & text.words) - _words_of([one, other]):
        agents = [_agent(each, verb, one, other) for each in (claim, text)]
        if all(agents) and agents[0] is not agents[1]:
            return True
    return False


def _agent(text: Said, verb: str, one: Entity, other: Entity) -> Entity | None:
    """Which of two names does what the word between them says; None if that is not clear.

    It is clear in "A [helped] B" and "B was [helped] by A", with no other word between.
    """
    mine, its, place = text.place_of(one), text.place_of(other), text.places[verb]
    if min(mine, its) < 0 or not min(mine, its) < place < max(mine, its):
        return None
    first, last = (one, other) if mine < its else (other, one)
    before = text.plain[: min(mine, its)].casefold()
    head = before[: before.rfind(first.words[0])] if len(first.words) > 1 else before
    between = text.plain[min(mine, its) : max(mine, its)].split()[1:]
    between = [word for word in between if word.casefold() not in last.words]
    if _PREPOSITION.search(head) or len(between) > _BETWEEN:
        return None
    passive = any(_PASSIVE.fullmatch(word) for word in between)
    by = bool(between) and _BY.fullmatch(between[-1]) is not None
    if passive != by:
        return None
    return last if passive else first


def _swaps_attributes(claim: Said, entities: Sequence[Entity], quoted: Sequence[Line]) -> bool:
    """Whether "A has x, B has y" has become "A has y, B has x"."""
    parts = [_Part(said(part), claim) for part in _split(claim.plain)]
    texts = [
        _Part(said(part), claim)
        for line in dict.fromkeys(quoted)
        for part in ([line.text] if line.table >= 0 else _split(line.text))
    ]
    names = _words_of(entities)
    for one, other in combinations(entities, 2):
        mine, its = ([part for part in parts if each.is_in(part.said)] for each in (one, other))
        told_mine, told_its = (
            [part for part in texts if each.is_in(part.said) and not also.is_in(part.said)]
            for each, also in ((one, other), (other, one))
        )
        if any(len(found) != 1 for found in (mine, its, told_mine, told_its)) or mine == its:
            continue
        first, second, one_told, other_told = (
            frozenset().union(*(part.told for part in found)) - names
            for found in (mine, its, told_mine, told_its)
        )
        if (first & other_told) - one_told and (second & one_told) - other_told:
            return True
    return False


class _Part:
    """A part of a sentence with what it has of a statement."""

    def __init__(self, part: Said, claim: Said) -> None:
        self.said: Final = part
        numbers = {
            str(number.amount)
            for number in claim.numbers
            if any(number.equals(other) for other in part.numbers)
        }
        self.told: Final = (part.words & claim.words) | numbers


def _words_of(entities: Sequence[Entity]) -> frozenset[str]:
    """The words of some names, as they are compared."""
    return said(" ".join(word for entity in entities for word in entity.words)).words
