"""How a passage is named to a reader: "handbook.docx › Contacts, p. 3"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from textwrap import shorten
from typing import Final

from hopyard.state.metadata import MetadataValue
from hopyard.state.schemas import Source

SECTION_MARK: Final = " › "
"""Between the headings of a section's path, the outermost first."""
SECTIONS_MARK: Final = "; "
"""Between the headings of small sections that are one passage."""
LONGEST_VALUE: Final = 1000
"""Characters of one metadata value that an answer carries; the corpus has the whole one."""

_LONGEST_NAME: Final = 60
"""Characters of a title or a section that a reference shows."""


def sections_in(section: str) -> list[str]:
    """The section of a passage, and the paths of small sections that are one passage.

    Which headings of the first they share is not written, so each may be above them.

    Examples:
        >>> sections_in("Trips › Ferry; Bus")
        ['Trips › Ferry; Bus', 'Trips › Ferry', 'Bus', 'Trips › Bus']
    """
    first, *others = section.split(SECTIONS_MARK)
    if not others:
        return [section]
    names = first.split(SECTION_MARK)[:-1]
    above = [SECTION_MARK.join(names[: depth + 1]) for depth in range(len(names))]
    paths = [f"{outer}{SECTION_MARK}{other}" for other in others for outer in above]
    return [*dict.fromkeys([section, first, *others, *paths])]


def reference(source: Source, *, path: bool = False) -> str:
    """Name one passage: its document, section and page.

    A document that is a file has the file's name; a mail has its subject, too. A line of a corpus
    file, and a page of the web, has its title.

    Args:
        path: Show the whole path of a file.
    """
    given, title = source.get("source", ""), source.get("title", "")
    name = given if path and given and not _is_corpus(given) else file_name(given)
    document = name or title or given or source["passage_id"]
    headings = [part for part in source.get("section", "").split(SECTION_MARK) if part]
    if headings and headings[0] in {title, document}:
        del headings[0]
    if title and document.lower().endswith((".eml", ".msg")):
        headings.insert(0, title)
    cut = [_shorten(document) if document == title else document, *map(_shorten, headings)]
    pages = source.get("pages", "")
    on = pages and f"{'pp.' if '-' in pages else 'p.'} {pages}"
    return ", ".join(filter(None, (SECTION_MARK.join(cut), on)))


def name_sources(sources: Iterable[Source]) -> dict[str, str]:
    """Name several passages so that no two have the same name.

    Files of one name are shown with their paths, passages of one section with their place in the
    document, and what is still the same with its id. A `reference` that a source has stays.

    Returns:
        The names by passage id.
    """
    known: dict[str, Source] = {}
    for source in sources:
        known.setdefault(source["passage_id"], source)
    names = {name: source.get("reference") or reference(source) for name, source in known.items()}
    for group in _same(names):
        if len({known[name].get("source", "") for name in group}) > 1:
            names |= {name: reference(known[name], path=True) for name in group}
    for group in _same(names):
        names |= {name: f"{names[name]}, {_place(known[name])}" for name in group}
    for group in _same(names):
        names |= {name: f"{reference(known[name])} ({name})" for name in group}
    return names


def _same(names: Mapping[str, str]) -> list[list[str]]:
    """The ids that have one name, where they are several."""
    groups: dict[str, list[str]] = {}
    for name, shown in names.items():
        groups.setdefault(shown, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def with_references(sources: Iterable[Source]) -> dict[str, Source]:
    """Sources by passage id, each with the `reference` that no other has."""
    known = {source["passage_id"]: source for source in sources}
    names = name_sources(known.values())
    return {name: Source(**{**source, "reference": names[name]}) for name, source in known.items()}


def file_name(source: str) -> str:
    """The name of the file that a document is; "" for an address or a line of a corpus file."""
    outer, *parts = source.split(SECTION_MARK)  # `mail.eml › invoice.pdf` is a part of a file
    if "://" in source or _is_corpus(outer):
        return ""
    path = PurePosixPath(outer.replace("\\", "/"))
    return SECTION_MARK.join([path.name, *parts]) if path.suffix else ""


def in_folder(source: str) -> str:
    """The path of a file below the folder that was indexed; "" for an address.

    A source begins with that folder's own name.
    """
    return "" if "://" in source else source.partition("/")[2]


def kept_metadata(metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataValue]:
    """Metadata as an answer carries it: a long text is cut."""
    return {
        name: value[:LONGEST_VALUE] + "…"
        if isinstance(value, str) and len(value) > LONGEST_VALUE
        else value
        for name, value in metadata.items()
    }


def _is_corpus(source: str) -> bool:
    return source.lower().endswith(".jsonl")


def _place(source: Source) -> str:
    return f"passage {source.get('position', 0) + 1}"


def _shorten(text: str) -> str:
    plain = " ".join(text.split())
    return shorten(plain, _LONGEST_NAME, placeholder=" …") if " " in plain else plain
