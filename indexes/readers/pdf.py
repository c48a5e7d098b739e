"""PDF files: pages, columns, tables, bookmarks, running lines, and scanned pages.

pdfplumber gives lines of text in reading order (columns one after the other) and tables; pypdf
gives bookmarks and properties. Of the libraries tried on the samples, pypdf and PDFium write a
table a cell a line, and pdfplumber's plain text runs across columns.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import IO, Any, Final, NamedTuple

from hopyard.indexes.markdown import table_lines
from hopyard.indexes.readers.base import Content, Found, Source, Unread
from hopyard.indexes.readers.ocr import with_text
from hopyard.indexes.records import PAGE_END, MetadataValue
from hopyard.state.errors import CorpusError

__all__ = ("read_pdf",)

_LOOKED_AT: Final = 40
"""Pages whose first and last lines tell which lines run through the file."""
_EDGE: Final = 3
"""Lines at either end of a page that may run through."""
_LEAST_PAGES: Final = 3
_DIGITS: Final = re.compile(r"\d+|\b[ivxl]+\b")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u00ad]\n(?=[a-zà-ÿ])")
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


class _Page(NamedTuple):
    number: int
    blocks: list[list[str]]
    """Paragraphs and tables, each as lines."""
    pictured: bool


class _Bookmark(NamedTuple):
    level: int
    title: str


def read_pdf(source: Source) -> Iterator[Found]:
    """The text of all pages, each ended by a form feed, under the bookmarks as headings."""
    scanned: list[int] = []
    broken: list[Unread] = []
    with ExitStack() as opened:
        stream = opened.enter_context(source.open())
        if source.options.ocr:
            stream = opened.enter_context(with_text(stream, source.options.ocr))
        title, metadata, bookmarks = _about(stream)
        pages = _pages(stream, broken)
        first = list(islice(pages, _LOOKED_AT))
        running = _running_lines(first)

        def text() -> Iterator[str]:
            for page in chain(first, pages):
                if page.pictured and not page.blocks:
                    scanned.append(page.number)
                yield f"{_page_text(page, running, bookmarks.get(page.number, []))}\n\n{PAGE_END}"

        yield Content(title, text(), "markdown", metadata)
    yield from broken
    if scanned:
        noun = "page" if len(scanned) == 1 else "pages"
        yield Unread(
            f"{noun} {_ranges(scanned)}",
            "scanned, and without text; --ocr eng reads English ones"
            if not source.options.ocr
            else "scanned, and OCR found no text",
        )


def _about(stream: IO[bytes]) -> tuple[str, dict[str, MetadataValue], dict[int, list[_Bookmark]]]:
    from pypdf import PdfReader

    stream.seek(0)
    try:
        reader = PdfReader(stream)
        found = reader.metadata
        about = {name: _clean(str((found or {}).get(f"/{name}") or "")) for name in _PROPERTIES}
        if not len(reader.pages):
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
    return about["Title"], kept, _bookmarks(reader)


_PROPERTIES: Final = ("Title", "Author", "CreationDate", "ModDate")


def _bookmarks(reader: Any) -> dict[int, list[_Bookmark]]:
    """The bookmarks of each page; none where the outline is broken."""
    found: dict[int, list[_Bookmark]] = {}

    def add(entries: Iterable[Any], level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                add(entry, level + 1)
            elif (page := reader.get_destination_page_number(entry)) is not None:
                name = " ".join(_clean(str(entry.title)).split())
                found.setdefault(page + 1, []).append(_Bookmark(min(level, 6), name))

    try:
        add(reader.outline, 1)
    except Exception:  # an outline is a help, and files have many that are broken
        return {}
    return found


def _pages(stream: IO[bytes], broken: list[Unread]) -> Iterator[_Page]:
    import pdfplumber

    stream.seek(0)
    try:
        document = pdfplumber.open(stream, laparams={})
    except Exception as error:
        raise CorpusError(f"not a readable PDF ({type(error).__name__}: {error})") from error
    with document:
        for page in document.pages:
            try:
                yield _Page(page.page_number, _blocks(page), bool(page.images))
            except Exception as error:  # one page does not stop the others
                reason = f"it cannot be read ({type(error).__name__}: {error})"
                broken.append(Unread(f"page {page.page_number}", reason))
                yield _Page(page.page_number, [], False)
            finally:
                page.close()  # else every page's letters stay in memory


def _blocks(page: Any) -> list[list[str]]:
    """Paragraphs in reading order, a table where its first line stands."""
    tables = [table for table in page.find_tables() if len(table.rows) > 1]
    waiting = {
        number: [[cell or "" for cell in row] for row in table.extract()]
        for number, table in enumerate(tables)
    }
    blocks: list[list[str]] = []
    for box in page.textboxhorizontals:
        middle = (box["x0"] + box["x1"]) / 2, (box["top"] + box["bottom"]) / 2
        inside = next(
            (number for number, table in enumerate(tables) if _holds(table.bbox, middle)), None
        )
        if inside is None:
            lines = [" ".join(line.split()) for line in _clean(box["text"]).splitlines()]
            blocks.append([line for line in lines if line])
        elif inside in waiting:
            rows = [[_clean(cell) for cell in row] for row in waiting.pop(inside)]
            blocks.append(list(table_lines(rows)))
    return [block for block in blocks if block]


def _holds(box: tuple[float, float, float, float], point: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    return left <= point[0] <= right and top <= point[1] <= bottom


def _running_lines(pages: Iterable[_Page]) -> frozenset[str]:
    """Lines that stand at the edge of most pages, numbers aside."""
    seen: Counter[str] = Counter()
    count = 0
    for page in pages:
        lines = [line for block in page.blocks for line in block]
        count += bool(lines)
        seen.update({_shape(line) for line in (*lines[:_EDGE], *lines[-_EDGE:])})
    if count < _LEAST_PAGES:
        return frozenset()
    return frozenset(line for line, times in seen.items() if times > count / 2)


def _shape(line: str) -> str:
    return _DIGITS.sub("0", line)


def _page_text(page: _Page, running: frozenset[str], bookmarks: list[_Bookmark]) -> str:
    lines = [line for block in page.blocks for line in block]
    edges = {*lines[:_EDGE], *lines[-_EDGE:]}
    waiting = deque(bookmarks)
    parts: list[str] = []
    for block in page.blocks:
        kept = [line for line in block if line not in edges or _shape(line) not in running]
        while waiting and (taken := _heads(waiting[0].title, kept)):
            parts.append(f"{'#' * waiting[0].level} {waiting.popleft().title}")
            kept = kept[taken:]
        if kept:
            parts.append(_HYPHEN.sub("", "\n".join(kept)))
    # A bookmark that is not found in the text of its page begins with the page.
    return "\n\n".join([*(f"{'#' * mark.level} {mark.title}" for mark in waiting), *parts])


def _heads(title: str, lines: list[str]) -> int:
    """How many of the first lines are the title; 0 where they are not."""
    wanted = "".join(title.split()).casefold()
    for taken in range(1, min(len(lines), 3) + 1):
        if wanted and "".join("".join(lines[:taken]).split()).casefold() == wanted:
            return taken
    return 0


def _ranges(numbers: list[int]) -> str:
    """`2, 5-7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if part[1:] else str(part[0]) for part in parts)


def _clean(text: str) -> str:
    # A PDF's character map may produce half a surrogate pair, which no encoding can hold.
    return text.encode("utf-8", "replace").decode("utf-8")
