"""Which passages a filter lets through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hopyard.indexes.corpus.records import Document
from hopyard.state.errors import UsageError
from hopyard.state.metadata import MATCHED_FIELDS, MetadataValue, address_of, known_value
from hopyard.state.references import SECTION_MARK, file_name, in_folder
from hopyard.state.text.counting import counted
from hopyard.state.where import is_date, parse_condition

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

__all__ = ("allowed_passages", "field_values", "undated_note")

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
    for passage_id, document, pages, section in corpus.fields():
        found = {
            condition.field: field_values(condition.field, document, pages, section)
            for condition in conditions
        }
        unknown -= {name for name, values in found.items() if values}
        if all(condition.holds(found[condition.field]) for condition in conditions):
            allowed.append(passage_id)
    if unknown:
        raise UsageError(_no_such_field(corpus, min(unknown)))
    return frozenset(allowed)


def undated_note(corpus: Snapshot, where: Iterable[str]) -> str:
    """A sentence about the documents that a filter leaves out because they have no date.

    Returns:
        "" if the filter compares no date, or leaves no document out for that alone.
    """
    conditions = [parse_condition(text) for text in where]
    of_date = [condition for condition in conditions if condition.of_date]
    others = [condition for condition in conditions if not condition.of_date]
    undated = set()
    for _, document, pages, section in corpus.fields() if of_date else ():
        dates = field_values("date", document)
        if any(map(is_date, dates)) or all(condition.holds(dates) for condition in of_date):
            continue
        if all(
            condition.holds(field_values(condition.field, document, pages, section))
            for condition in others
        ):
            undated.add(document.id)
    if not undated:
        return ""
    have, were = ("has", "was") if len(undated) == 1 else ("have", "were")
    return (
        f"{counted(len(undated), 'document')} {have} no date that can be read and {were} left out "
        "by the filter."
    )


def field_values(
    field: str, document: Document, pages: str = "", section: str = ""
) -> list[MetadataValue]:
    """The values of a passage in a field.

    Args:
        field: A key of the metadata, or `source`, `author`, `date`, `title`, `page` or `section`.
        document: The passage's document.
        pages: The pages that it is on.
        section: The headings above it. Each of them is a value, and so is the whole path.
    """
    if field == "page" and pages:
        return _page_numbers(pages)
    value = known_value(document.metadata, field)
    own = [] if value is None else [value]
    if field == "source":
        path = document.source
        own += [address_of(document.metadata), path, in_folder(path), file_name(path)]
    elif not own and field == "section":
        own += [section, *section.split(SECTION_MARK)]
    elif not own and field == "title":
        own += [document.title]
    return [known for known in dict.fromkeys(own) if known != ""]


def _page_numbers(pages: str) -> list[MetadataValue]:
    first, _, last = pages.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        return list(range(int(first), int(last or first) + 1))
    return [pages]


def _no_such_field(corpus: Snapshot, field: str) -> str:
    names: set[str] = set()
    for _, document, pages, section in corpus.fields():
        names |= document.metadata.keys()
        names |= {
            name
            for name in (*MATCHED_FIELDS, "title", "page", "section")
            if name not in names and field_values(name, document, pages, section)
        }
    shown = sorted(names)
    more = ", …" if len(shown) > _SHOWN else ""
    exist = f"the fields are {', '.join(shown[:_SHOWN])}{more}" if shown else "it has no metadata"
    return f"No passage of the index has the field {field!r} that a filter names; {exist}."
