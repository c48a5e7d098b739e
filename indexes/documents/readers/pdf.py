"""PDF files: pages, columns, tables, bookmarks, running lines, and scanned pages.

pdfplumber gives lines of text in reading order (columns one after the other) and tables; pypdf
gives bookmarks and properties. Of the libraries tried on the samples, pypdf and PDFium write a
table a cell a line, and pdfplumber's plain text runs across columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from io import BufferedReader
from itertools import chain, islice
from typing import IO, Any, Final, cast

from hopyard.indexes.corpus.records import PAGE_END, MetadataValue
from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.ocr import with_text
from hopyard.indexes.documents.readers.pdf_layout import Bookmark, Layout, Line, Page, page_text
from hopyard.indexes.passages.markdown import table_lines
from hopyard.state.errors import CorpusError
from hopyard.state.text.unicode import valid_unicode

__all__ = ("read_pdf",)

_LOOKED_AT: Final = 40
"""Pages that tell which lines run through the file, and how large headings are."""
_PROPERTIES: Final = ("Title", "Author", "CreationDate", "ModDate")
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def read_pdf(source: Source) -> Iterator[Found]:
    """The text of all pages, each ended by a form feed; bookmarks or large lines are headings."""
    scanned: list[int] = []
    broken: list[Unread] = []
    with ExitStack() as opened:
        stream = opened.enter_context(source.open())
        if source.options.ocr:
            stream = opened.enter_context(with_text(stream, source.options.ocr))
        title, metadata, bookmarks, count = _about(stream)
        pages = _pages(stream, broken)
        first = list(islice(pages, _LOOKED_AT))
        layout = Layout.of(first)

        def text() -> Iterator[str]:
            for page in chain(first, pages):
                if page.pictured and not page.blocks:
                    scanned.append(page.number)
                marks = bookmarks.get(page.number, []) if bookmarks else None
                yield f"{page_text(page, layout, marks)}\n\n{PAGE_END}"

        yield Content(title, text(), "markdown", metadata, count)
    yield from broken
    if scanned:
        noun = "page" if len(scanned) == 1 else "pages"
        yield Unread(
            f"{noun} {_ranges(scanned)}",
            "scanned, without text; --ocr eng reads English text"
            if not source.options.ocr
            else "scanned, and OCR found no text",
        )


def _about(
    stream: IO[bytes],
) -> tuple[str, dict[str, MetadataValue], dict[int, list[Bookmark]], int]:
    """Title, metadata, bookmarks of each page, and the number of pages."""
    from pypdf import PdfReader

    stream.seek(0)
    try:
        reader = PdfReader(stream)
        found: dict[str, Any] = dict(reader.metadata or {})
        about = {name: valid_unicode(str(found.get(f"/{name}") or "")) for name in _PROPERTIES}
        if not (count := len(reader.pages)):
            raise CorpusError("the PDF has no pages")
    except CorpusError:
        raise
    except Exception as error:  # pypdf meets broken files with any exception there is
        raise CorpusError(f"not a readable PDF ({type(error).__name__}: {error})") from error
    day = _DATE.match(about["ModDate"] or about["CreationDate"])
    metadata = {
        "author": about["Author"],
        "date": "-".join(filter(None, day.groups())) if day else "",
    }
    kept: dict[str, MetadataValue] = {name: value for name, value in metadata.items() if value}
    return about["Title"], kept, _bookmarks(reader), count


def _bookmarks(reader: Any) -> dict[int, list[Bookmark]]:
    """The bookmarks of each page; none where the outline is broken."""
    found: dict[int, list[Bookmark]] = {}

    def add(entries: Iterable[Any], level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                add(entry, level + 1)
            elif (page := reader.get_destination_page_number(entry)) is not None:
                name = " ".join(valid_unicode(str(entry.title)).split())
                found.setdefault(page + 1, []).append(Bookmark(min(level, 6), name))

    try:
        add(reader.outline, 1)
    except Exception:  # an outline is a help, and files have many that are broken
        return {}
    return found


def _pages(stream: IO[bytes], broken: list[Unread]) -> Iterator[Page]:
    import pdfplumber

    stream.seek(0)
    try:
        document = pdfplumber.open(cast(BufferedReader, stream), laparams={})
    except Exception as error:
        raise CorpusError(f"not a readable PDF ({type(error).__name__}: {error})") from error
    with document:
        for page in document.pages:
            try:
                yield Page(page.page_number, _blocks(page), bool(page.images))
            except Exception as error:  # one page does not stop the others
                reason = f"it cannot be read ({type(error).__name__}: {error})"
                broken.append(Unread(f"page {page.page_number}", reason))
                yield Page(page.page_number, [], False)
            finally:
                page.close()  # else every page's letters stay in memory


def _blocks(page: Any) -> list[list[Line]]:
    """Paragraphs in reading order, a table where its first line stands."""
    tables = [table for table in page.find_tables() if len(table.rows) > 1]
    waiting = {
        number: [[cell or "" for cell in row] for row in table.extract()]
        for number, table in enumerate(tables)
    }
    lines = iter(page.textlinehorizontals)  # in the order of the boxes that they are in
    blocks: list[list[Line]] = []
    for box in page.textboxhorizontals:
        own = list(islice(lines, len(box["text"].splitlines())))
        middle = (box["x0"] + box["x1"]) / 2, (box["top"] + box["bottom"]) / 2
        inside = next(
            (number for number, table in enumerate(tables) if _holds(table.bbox, middle)), None
        )
        if inside is None:
            found = [
                Line(" ".join(valid_unicode(one["text"]).split()), one["height"]) for one in own
            ]
            blocks.append([line for line in found if line.text])
        elif inside in waiting:
            rows = [[valid_unicode(cell) for cell in row] for row in waiting.pop(inside)]
            blocks.append([Line(row) for row in table_lines(rows)])
    return [block for block in blocks if block]


def _holds(box: tuple[float, float, float, float], point: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    return left <= point[0] <= right and top <= point[1] <= bottom


def _ranges(numbers: list[int]) -> str:
    """`2, 5-7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if part[1:] else str(part[0]) for part in parts)
