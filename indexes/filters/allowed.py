"""Which passages a filter lets through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from hopyard.indexes.arrays.passage_set import PassageSet, mask_of
from hopyard.indexes.filters.fields import Fields, load_fields
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted
from hopyard.state.where import is_date, parse_condition

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

_SHOWN: Final = 20
"""Fields that an error names."""


def allowed_passages(
    corpus: Snapshot, where: Iterable[str], readable: PassageSet | None = None
) -> PassageSet:
    """The ids of the passages that fit all conditions.

    Args:
        readable: The passages that the caller may read; None for all.

    Raises:
        UsageError: No passage has a field that a condition names.
    """
    fields, conditions = _fields_of(corpus), [parse_condition(text) for text in where]
    unknown = {each.field for each in conditions if not has_field(fields, each.field, readable)}
    if unknown:
        known = [field for field in sorted(fields.names) if has_field(fields, field, readable)]
        raise UsageError(_no_such_field(known, min(unknown)))
    mask = np.ones(len(fields.rows), dtype=np.bool_) if readable is None else readable.mask.copy()
    for condition in conditions:
        mask &= fields.fit(condition)
    return PassageSet(fields.rows.ids, mask)


def readable_passages(corpus: Snapshot, part: Snapshot) -> PassageSet:
    """The passages of a part of a corpus, as a set over all passages."""
    ids = _fields_of(corpus).rows.ids
    return PassageSet(ids, mask_of({*part.passage_ids()}, ids))


def undated_note(corpus: Snapshot, where: Iterable[str], readable: PassageSet | None = None) -> str:
    """A sentence about the documents that a filter leaves out because they have no date.

    It takes what `allowed_passages` takes.

    Returns:
        "" if the filter compares no date, or leaves no document out for that alone.
    """
    conditions = [parse_condition(text) for text in where]
    if not (of_date := [condition for condition in conditions if condition.of_date]):
        return ""
    fields = _fields_of(corpus)
    dated = [fields.having(condition.field, is_date) for condition in of_date]
    undated = ~np.logical_and.reduce(dated)
    undated &= True if readable is None else readable.mask
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
    return load_fields(corpus.folder) or Fields.of(corpus)


def has_field(fields: Fields, field: str, readable: PassageSet | None) -> bool:
    """Whether a passage that the caller may read has a value in a field."""
    if readable is None or not fields.has(field):
        return fields.has(field)
    return bool((fields.having(field, lambda _: True) & readable.mask).any())


def _no_such_field(shown: Sequence[str], field: str) -> str:
    more = ", …" if len(shown) > _SHOWN else ""
    exist = f"the fields are {', '.join(shown[:_SHOWN])}{more}" if shown else "it has no metadata"
    return f"No passage of the index has the field {field!r} that a filter names; {exist}."
