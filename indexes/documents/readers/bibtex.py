"""BibTeX: entries as sections.

bibtexparser reads the entries, and the reader of LaTeX their values.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.latex import Paper, in_line
from hopyard.indexes.documents.readers.text import decode

_PER_CENT: Final = re.compile(r"(?<!\\)%")


def read_bibtex(source: Source) -> Iterator[Found]:
    """A section for each entry, with a line for each field."""
    from bibtexparser.entrypoint import parse_string

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # the reader names wrong entries
    library = parse_string(decode(source.read(), source))
    paper = Paper("")
    names = {each.key.lower(): each.value for each in library.strings}
    entries = [
        "\n".join(
            [
                f"# {entry.key}\n",
                f"type: {entry.entry_type}",
                *(
                    f"{field.key}: {in_line(_said(paper, field.key, _value(field.value, names)))}"
                    for field in entry.fields
                ),
            ]
        )
        for entry in (*library.entries, *_of_one_key(library))
    ]
    comments = [text for each in library.blocks if (text := getattr(each, "comment", ""))]
    wrong = [each for each in library.failed_blocks if not _has_entry(each)]
    yield Content(
        "", ["\n\n".join((*comments, *entries, *((block.raw or "").strip() for block in wrong)))]
    )
    for block in wrong:
        yield Unread(f"line {(block.start_line or 0) + 1}", "no valid entry; it is kept as it is")


def _value(value: str, names: Mapping[str, str]) -> str:
    """The text of a field: `quay # " Monthly"` joins an abbreviation and a text."""
    parts = [each.strip() for each in value.split(" # ")]
    if len(parts) == 1 or not all(part.lower() in names or part[:1] in '"{' for part in parts):
        return value
    return "".join(names.get(part.lower(), part.strip('"{}')) for part in parts)


def _said(paper: Paper, name: str, value: str) -> str:
    """A field's value without its markup; a sign of per cent begins no comment there."""
    if name.lower() in ("url", "doi") and "\\" not in value:
        return value
    try:
        return paper.read(_PER_CENT.sub(r"\%", value))
    except Exception:  # as in `read_latex`
        return value


def _of_one_key(library: Any) -> list[Any]:
    """The further entries of a key that several have."""
    return [each.ignore_error_block for each in library.failed_blocks if _has_entry(each)]


def _has_entry(block: Any) -> bool:
    return hasattr(getattr(block, "ignore_error_block", None), "entry_type")
