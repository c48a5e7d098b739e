"""The extractor of each format, and the comparison of one document with its file."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from hopyard.indexes.corpus.long_text import LongText, stretches_of, text_digest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.kept.compare import FileWords, compare
from hopyard.indexes.documents.kept.kept import Kept
from hopyard.indexes.documents.kept.latex import find_bibtex, find_latex
from hopyard.indexes.documents.kept.mail import (
    find_cards,
    find_eml,
    find_mhtml,
    find_msg,
    find_rtf,
    find_tnef,
)
from hopyard.indexes.documents.kept.markup import (
    find_csv,
    find_html,
    find_json,
    find_markdown,
    find_notebook,
    find_text,
    find_xml,
)
from hopyard.indexes.documents.kept.office import find_epub, find_odf, find_office
from hopyard.indexes.documents.kept.streams import compare_large
from hopyard.indexes.documents.kept.workbooks import find_xls, find_xlsx
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.table import format_of

Extractor = Callable[[Source, FileWords], None]
"""Adds all words of a file, found without its reader."""

_LARGEST: Final = 20 << 20
"""Bytes of a file that an extractor reads whole, at most, if its reader streams it."""
_STREAMED: Final = (".csv", ".tsv", ".xml", ".xlsx")
"""Formats whose readers take files of any size; texts that are equal need no words."""
_BLOCK: Final = 1 << 20


def _find_pages(source: Source, found: FileWords) -> None:
    """The characters that PDFium gives of each page, with the values of fields and notes."""
    for number, text in enumerate(source.notes.pages, start=1):
        found.text(text, f"page {number}")


EXTRACTORS: Final[dict[str, Extractor]] = {
    ".txt": find_text,
    ".md": find_markdown,
    ".py": find_text,
    ".csv": find_csv,
    ".tsv": find_csv,
    ".html": find_html,
    ".xml": find_xml,
    ".json": find_json,
    ".ipynb": find_notebook,
    ".docx": find_office,
    ".pptx": find_office,
    ".xlsx": find_xlsx,
    ".xls": find_xls,
    ".odt": find_odf,
    ".ods": find_odf,
    ".odp": find_odf,
    ".epub": find_epub,
    ".rtf": find_rtf,
    ".tex": find_latex,
    ".bib": find_bibtex,
    ".eml": find_eml,
    ".mht": find_mhtml,
    ".ics": find_cards,
    ".msg": find_msg,
    ".tnef": find_tnef,
    ".pdf": _find_pages,
}
"""By the first suffix of the format. A format without one is not compared."""


def kept_of(source: Source, suffix: str, text: str | LongText, about: str) -> Kept | None:
    """Compare a document with its file; None where that is not possible.

    Args:
        source: The file, after its reader gave the whole text.
        suffix: The first suffix of its format.
        text: The document's text.
        about: Its title and metadata.
    """
    extract = EXTRACTORS.get(suffix)
    left_out = source.notes.left_out
    is_plain = extract in (find_text, find_markdown, find_csv)
    if extract is None:
        return Kept(0, left_out=tuple(left_out)) if left_out else None
    if is_plain and _is_same(source, text):
        return None
    found = FileWords()
    try:
        if (is_plain or suffix in _STREAMED) and _is_large(source):
            return compare_large(source, suffix, partial(stretches_of, text), about, left_out)
        extract(source, found)
    except Exception:  # a file that only its reader understands: say nothing, not something wrong
        return None
    return compare(found, stretches_of(text), about, left_out)


def kept_of_loaded(path: Path, documents: Sequence[Document]) -> Kept | None:
    """Compare the documents that a loader made of a file with it; None where it is not possible.

    Only lost words count: a loader may add labels.
    """
    kind = format_of(path.name)
    extract = EXTRACTORS.get(kind.suffixes[0]) if kind else None
    if kind is None or extract is None:
        return None
    source, found = Source(path.name, lambda: path.open("rb")), FileWords(open=True)
    try:
        if _is_large(source):
            return None
        if extract is _find_pages:  # they are noted while our reader reads
            for each in kind.read(source):
                deque(each.text if isinstance(each, Content) else (), 0)
        extract(source, found)
    except Exception:
        return None
    about = " ".join(f"{each.title} {each.metadata}" for each in documents)
    texts = chain.from_iterable(stretches_of(each.text) for each in documents)
    return compare(found, texts, about, source.notes.left_out)


def _is_large(source: Source) -> bool:
    with source.open() as stream:
        return stream.seek(0, os.SEEK_END) > _LARGEST


def _is_same(source: Source, text: str | LongText) -> bool:
    """Whether a text is its file, byte for byte: then no word need be counted."""
    with source.open() as stream:
        digest = hashlib.sha256()
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == text_digest(text)
