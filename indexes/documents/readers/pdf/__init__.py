"""PDF files, by PDFium: pages, columns, tables, bookmarks, forms, embedded and scanned pages.

PDFium (`pypdfium2`) gives characters with their places; `words`, `lines`, `rules`, `tables` and
`layout` make Markdown of them.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

from hopyard.indexes.corpus.records import PAGE_END, MetadataValue
from hopyard.indexes.documents.readers.base import Content, Found, Notes, Source, Unread
from hopyard.indexes.documents.readers.ocr import ENGLISH, with_text
from hopyard.indexes.documents.readers.text import author_name
from hopyard.state.errors import CorpusError
from hopyard.state.text.counting import counted
from hopyard.state.text.unicode import valid_unicode

if TYPE_CHECKING:
    from hopyard.indexes.documents.readers.pdf.layout import Bookmark, Layout, Page

_AT_ONCE: Final = 40
"""Pages that are laid out together: they tell which lines run through them."""
_NAMELESS_TO_TELL: Final = 3
"""Letters without a meaning on a page; fewer may be a sign in a drawing."""
_UNNAMED: Final = frozenset(("untitled", "anonymous", "unspecified", "unknown", "title", "author"))
_SERIAL: Final = re.compile(r"[\d\W_]{6,}")
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def read_pdf(source: Source) -> Iterator[Found]:
    """The text of all pages, each ended by a form feed; bookmarks or large lines are headings.

    Embedded files follow as parts.
    """
    from hopyard.indexes.documents.readers.pdf.forms import files_in

    unread: list[Unread] = []
    boxes: list[bytes] = []
    scanned: list[int] = []
    with ExitStack() as opened:
        stream = opened.enter_context(source.open())
        if source.options.ocr:
            stream = opened.enter_context(with_text(stream, source.options.ocr))
        document = opened.enter_context(_opened(stream))
        about = document.get_metadata_dict()
        yield Content(
            _named(about.get("Title", "")),
            _texts(document, scanned, unread, boxes, source.notes),
            "markdown",
            _metadata(about),
            len(document),
            boxes,
        )
        yield from files_in(document, source)
    yield from unread
    if scanned:
        noun = "page" if len(scanned) == 1 else "pages"
        yield Unread(
            f"{noun} {_ranges(scanned)}",
            f"scanned, without text; {ENGLISH}"
            if not source.options.ocr
            else "scanned, and OCR found no text",
        )


@contextmanager
def _opened(stream: IO[bytes]) -> Iterator[Any]:
    import pypdfium2

    stream.seek(0)
    try:
        document = pypdfium2.PdfDocument(stream, autoclose=False)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            reason = "it is protected by a password; save a copy without one"
        else:
            reason = f"not a readable PDF ({error})"
        raise CorpusError(reason) from error
    try:
        if not len(document):
            raise CorpusError("the PDF has no pages")
        document.init_forms()
        yield document
    finally:
        document.close()


@contextmanager
def _no_collection() -> Iterator[None]:
    """Put off the search for cycles: pages make thousands of words, and no cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _texts(
    document: Any, scanned: list[int], unread: list[Unread], boxes: list[bytes], notes: Notes
) -> Iterator[str]:
    from hopyard.indexes.documents.readers.pdf.layout import Layout, page_parts, running_lines
    from hopyard.indexes.documents.readers.pdf.positions import packed_positions

    bookmarks = _bookmarks(document)
    pages = _pages(document, unread)
    layout: Layout | None = None
    while True:
        with _no_collection():
            some = list(islice(pages, _AT_ONCE))
        if not some:
            break
        found = Layout.of(some)
        # The first pages say how large headings are in the whole file.
        layout = found._replace(sizes=layout.sizes) if layout else found
        for page in some:
            if page.pictured:
                scanned.append(page.number)
            if page.nameless >= _NAMELESS_TO_TELL:
                letters = counted(page.nameless, "letter")
                reason = f"the file does not say which {letters} it shows, such as ligatures"
                unread.append(Unread(f"page {page.number}", reason))
            notes.pages.append(page.said)
            for word in page.copies:
                notes.leave_out("word drawn twice", word)
            for word in page.beyond:
                notes.leave_out("word outside the page", word)
            for line in running_lines(page, layout):
                notes.leave_out("running line", line.text)
            marks = bookmarks.get(page.number, []) if bookmarks else None
            parts = list(page_parts(page, layout, marks))
            boxes.append(packed_positions(parts, page.frame) if page.frame else b"")
            yield "\n\n".join(part.text for part in parts) + f"\n\n{PAGE_END}"


def _pages(document: Any, unread: list[Unread]) -> Iterator[Page]:
    from hopyard.indexes.documents.readers.pdf.layout import Page
    from hopyard.indexes.documents.readers.pdf.page import read_page

    page = Page(0, [], False)
    for number in range(1, len(document) + 1):
        try:
            page = read_page(document, number, page)
        except Exception as error:  # one page does not stop the others
            reason = f"it cannot be read ({type(error).__name__}: {error})"
            unread.append(Unread(f"page {number}", reason))
            page = Page(number, [], False)
        yield page


def _metadata(about: Mapping[str, str]) -> dict[str, MetadataValue]:
    day = _DATE.match(about.get("ModDate") or about.get("CreationDate") or "")
    found = {
        "author": author_name(_named(about.get("Author", ""))),
        "date": "-".join(filter(None, day.groups())) if day else "",
    }
    return {name: value for name, value in found.items() if value}


def _named(text: str) -> str:
    """A title or an author; "" for a serial number, and for what programs write if they know none.

    Numbers of filings, such as `0001562762-21-000023`, are the titles of many annual reports.
    """
    name = valid_unicode(text).strip()
    unnamed = name.strip("()").casefold() in _UNNAMED or _SERIAL.fullmatch(name)
    return "" if unnamed else name


def _bookmarks(document: Any) -> dict[int, list[Bookmark]]:
    """The bookmarks of each page; none if the outline is broken."""
    from hopyard.indexes.documents.readers.pdf.layout import Bookmark

    found: dict[int, list[Bookmark]] = {}
    try:
        for mark in document.get_toc():
            place = mark.get_dest()
            number = place.get_index() if place else None
            name = " ".join(valid_unicode(mark.get_title()).split())
            if number is not None and name:
                found.setdefault(number + 1, []).append(Bookmark(min(mark.level + 1, 6), name))
    except Exception:  # an outline is a help, and many files have a broken one
        return {}
    return found


def _ranges(numbers: list[int]) -> str:
    """`2, 5-7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}-{part[-1]}" if part[1:] else str(part[0]) for part in parts)
