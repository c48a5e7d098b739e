"""Which passages a filter lets through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from hopyard.indexes.arrays.passage_set import PassageSet
from hopyard.indexes.filters.fields import FOLDER, Fields
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted
from hopyard.state.where import is_date, parse_condition

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

__all__ = ("allowed_passages", "undated_note")

_SHOWN: Final = 20
"""Fields that an error names."""


def allowed_passages(corpus: Snapshot, where: Iterable[str]) -> PassageSet:
    """The ids of the passages that fit all conditions.

    Raises:
        UsageError: No passage has a field that a condition names.
    """
    fields, conditions = _fields_of(corpus), [parse_condition(text) for text in where]
    unknown = {each.field for each in conditions if not fields.has(each.field)}
    if unknown:
        raise UsageError(_no_such_field(fields, min(unknown)))
    mask = np.ones(len(fields.ids), dtype=np.bool_)
    for condition in conditions:
        mask &= fields.fit(condition)
    return PassageSet(fields.ids, mask)


def undated_note(corpus: Snapshot, where: Iterable[str]) -> str:
    """A sentence about the documents that a filter leaves out because they have no date.

    Returns:
        "" if the filter compares no date, or leaves no document out for that alone.
    """
    conditions = [parse_condition(text) for text in where]
    if not (of_date := [condition for condition in conditions if condition.of_date]):
        return ""
    fields = _fields_of(corpus)
    undated = ~fields.having("date", is_date)
    undated &= ~np.logical_and.reduce([fields.fit(condition) for condition in of_date])
    for condition in conditions:
        if not condition.of_date:
            undated &= fields.fit(condition)
    if not (count := len(np.unique(fields.documents[undated]))):
        return ""
    have, were = ("has", "was") if count == 1 else ("have", "were")
    return (
        f"{counted(count, 'document')} {have} no date that can be read and {were} left out "
        "by the filter."
    )


def _fields_of(corpus: Snapshot) -> Fields:
    """The values of the passages; read from the corpus if an older Hopyard built the index."""
    folder = corpus.folder / FOLDER
    return Fields.load(folder) if folder.exists() else Fields.of(corpus)


def _no_such_field(fields: Fields, field: str) -> str:
    shown = list(fields.spans)
    more = ", …" if len(shown) > _SHOWN else ""
    exist = f"the fields are {', '.join(shown[:_SHOWN])}{more}" if shown else "it has no metadata"
    return f"No passage of the index has the field {field!r} that a filter names; {exist}."
