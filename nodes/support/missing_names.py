"""Whether the passages of a statement have its names, and say of them what the statement says."""

from __future__ import annotations

from collections.abc import Sequence

from hopyard.nodes.support.lines import Line, said
from hopyard.nodes.support.matches import Matches
from hopyard.nodes.support.names import Name
from hopyard.nodes.support.parts import part_with


def missing_name(found: Matches) -> str:
    """The first name that is not there, or of which something else is said."""
    for name in found.names:
        if name.is_in(found.asked.names):
            continue
        holding = [line for line in found.lines if name.is_in(line.own.names)]
        if not holding and not any(name.is_in(line.around.names) for line in found.lines):
            if name.sure and not (found.foreign and len(name.words) == 1):
                return f"name {' '.join(name.words)}"
        elif not found.foreign and (
            _is_crossed(found, name, holding)
            or (_is_apart(found, name, holding) and not _is_in_its_part(found, name))
        ):
            return f"name apart {' '.join(name.words)}"
    return ""


def _is_in_its_part(found: Matches, name: Name) -> bool:
    """Whether the part of a statement with a name, read alone, is said of it."""
    part = part_with(found, name.start)
    for own in part.names if part else ():
        if part and own.words == name.words:
            holding = [line for line in part.lines if own.is_in(line.own.names)]
            return bool(holding) and not _is_apart(part, own, holding)
    return False


def _is_crossed(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether a table has two names in two columns, and in no row together."""
    if any(isinstance(hit, Name) and hit != name for line in holding for hit in found.hits(line)):
        return False
    for other in found.all_names:
        its = [line for line in found.lines if other.is_in(line.own.names)]
        tables = {line.table for line in (*holding, *its)}
        mine = {place for line in holding for place in _columns_with(line, name)}
        together = any(mine & _columns_with(line, other) for line in its)
        if mine and its and len(tables) == 1 and () not in tables and not together:
            return True
    return False


def _columns_with(line: Line, name: Name) -> set[int]:
    return {place for place, cell in enumerate(line.cells) if name.is_in(cell.names)}


def _is_apart(found: Matches, name: Name, holding: Sequence[Line]) -> bool:
    """Whether the passages say of another name what a statement says of this name.

    The sentence or row with most of the statement is not about the name. No line about the name
    says as much, or anything else of the statement. In prose, another name must be in its place.
    """
    focus = found.focus
    if name.is_in(focus.own.names) or name.is_in(focus.around.names) or not name.sure:
        return False
    if any(line in found.used for line in holding):
        return False
    told = found.told(focus)
    for line in found.lines:
        if name.is_in(line.own.names) or (not line.table and name.is_in(line.around.names)):
            mine = found.told(line)
            if mine >= told or mine - told:
                return False
    if focus.table:
        return True
    title = focus.around.names
    first = not said(found.claim.plain[: name.start]).words
    if not first and any(other.is_in(title) for other in found.names):
        return False
    return not (found.asked.plain and found.places > 1) and any(
        other.sure and not other.is_in(found.whole.names) and not other.is_in(title)
        for other in found.names_in(focus.own.plain)
    )
