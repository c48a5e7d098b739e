"""Which passages a filter lets through."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from hopyard.indexes.records import Document
from hopyard.state.errors import UsageError
from hopyard.state.metadata import MATCHED_FIELDS, MetadataValue, known_value
from hopyard.state.where import parse_condition

if TYPE_CHECKING:
    from hopyard.indexes.snapshot import Snapshot

__all__ = ("allowed_passages", "field_values")

_SHOWN: Final = 20
"""Fields that an error names."""


def allowed_passages(corpus: Snapshot, where: Iterable[str]) -> frozenset[str]:
    """The ids of the passages that fit all conditions.

    Raises:
        UsageError: No passage has a field that a condition names.
    """
    conditions = [parse_condition(text) for text in where]
    unknown = {condition.field for condition in conditions}
    allowed = []
    for passage_id, document, pages in corpus.fields():
        found = {
            condition.field: field_values(condition.field, document, pages)
            for condition in conditions
        }
        unknown -= {name for name, values in found.items() if values}
        if all(condition.holds(found[condition.field]) for condition in conditions):
            allowed.append(passage_id)
    if unknown:
        raise UsageError(_no_such_field(corpus, min(unknown)))
    return frozenset(allowed)


def field_values(field: str, document: Document, pages: str = "") -> list[MetadataValue]:
    """What a passage has in a field.

    Args:
        field: A key of the metadata, or `source`, `author`, `date`, `title` or `page`.
        document: The passage's document.
        pages: The pages that it is on.
    """
    if field == "page" and pages:
        return _page_numbers(pages)
    if (value := known_value(document.metadata, field)) is not None:
        return [value]
    if field == "source" and document.source:
        return list(dict.fromkeys([document.source, PurePosixPath(document.source).name]))
    return [document.title] if field == "title" and document.title else []


def _page_numbers(pages: str) -> list[MetadataValue]:
    first, _, last = pages.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        return list(range(int(first), int(last or first) + 1))
    return [pages]


def _no_such_field(corpus: Snapshot, field: str) -> str:
    names: set[str] = set()
    for _, document, pages in corpus.fields():
        names |= document.metadata.keys()
        names |= {
            name
            for name in (*MATCHED_FIELDS, "title", "page")
            if name not in names and field_values(name, document, pages)
        }
    shown = sorted(names)
    more = ", …" if len(shown) > _SHOWN else ""
    exist = f"the fields are {', '.join(shown[:_SHOWN])}{more}" if shown else "it has no metadata"
    return f"No passage of the index has the field {field!r} that a filter names; {exist}."
