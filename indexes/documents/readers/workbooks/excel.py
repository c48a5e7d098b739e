"""Workbooks of Excel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import IO, Any, Final

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.drawings import Drawing, linked
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.indexes.documents.readers.sheets import sheet_text
from hopyard.indexes.documents.readers.workbooks.cells import Area, cell_text, filled
from hopyard.indexes.documents.readers.workbooks.xlsb import read_xlsb
from hopyard.state.errors import CorpusError
from hopyard.state.text.counting import counted

_NO_VALUE: Final = re.compile(rb"<f(?:\s[^<>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_MARGIN: Final = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)\b[^<>/]*>([^<]+)<")
_MARGIN_CODE: Final = re.compile(r'&(?:"[^"]*"|K[\dA-Fa-f+-]{6}|\d+|.)')
"""Places, fonts and fields in a header. Source: ECMA-376, part 1, 18.3.1.46."""
_BLOCK: Final = 1 << 20
_OVERLAP: Final = 1 << 13
"""Bytes of a formula, at most."""


def read_xlsx(source: Source) -> Iterator[Found]:
    """A workbook: each sheet is a section with its tables. Formulas give their last value.

    Numbers are as Excel shows them. Hidden sheets, rows and columns are read like others.
    """
    from openpyxl import load_workbook

    with source.open() as stream:
        parts = Parts(stream)
        if parts.find("xl/workbook.bin"):
            yield from read_xlsb(parts)
            return
        metadata = parts.properties()
        title = str(metadata.pop("title", ""))
        merged = _merged(stream)
        stream.seek(0)
        try:
            book = load_workbook(stream, read_only=True, data_only=True, rich_text=True)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # openpyxl stops at styles and sheets that Excel and calamine pass over
            yield from plain_workbook(source)
            yield Unread("number formats", f"openpyxl cannot read the file ({error})")
            return
        left_out: list[Found] = []

        def text() -> Iterator[str]:
            seen = {""}
            found = {sheet.title: sheet for sheet in book.worksheets}
            for name, part in _sheets(parts):
                if name in found:
                    sheet = found[name]
                    sheet.reset_dimensions()  # many programs write wrong dimensions
                    rows = (
                        [cell_text(cell.value, cell.number_format) for cell in row]
                        for row in sheet.iter_rows()
                    )
                    yield from sheet_text(name, filled(rows, merged.get(name, [])))
                    missing, margins = _missing_and_margins(parts, part)
                    yield from (f"{each}\n\n" for each in margins if each not in seen)
                    seen.update(margins)
                    if missing:
                        reason = (
                            f"{counted(missing, 'formula')} without a value: calculate and save it"
                        )
                        left_out.append(Unread(name, reason))
                else:
                    yield f"# {name}\n\n"
                yield from (
                    f"{block}\n\n" for block in _beside(parts, part, name, source, left_out)
                )

        try:
            yield Content(title, text(), "markdown", metadata)
        finally:
            book.close()
        yield from left_out


def plain_workbook(source: Source) -> Iterator[Found]:
    """A workbook by calamine, which shows numbers without their formats.

    Raises:
        CorpusError: It is broken.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    with source.open() as stream:
        try:
            book = CalamineWorkbook.from_filelike(stream)
            merged = _merged(stream)
            text = "".join(
                line
                for name in book.sheet_names
                for line in sheet_text(name, filled(_plain_rows(book, name), merged.get(name, [])))
            )
        except CalamineError as error:
            raise CorpusError(f"not a readable workbook ({error})") from error
    yield Content("", [text])


def _plain_rows(book: Any, name: str) -> Iterator[list[str]]:
    for row in book.get_sheet_by_name(name).to_python(skip_empty_area=False):
        yield [cell_text(value, "") for value in row]


def _sheets(parts: Parts) -> Iterator[tuple[str, str]]:
    """The name and the part of each sheet, in order."""
    book = parts.document("xl/workbook.xml")
    related = parts.related(book)
    for sheet in parts.xml(book).iterfind(".//{*}sheet"):
        link = related.get(linked(sheet))
        yield sheet.get("name", ""), link.name if link else ""


def _merged(stream: IO[bytes]) -> dict[str, list[Area]]:
    """The merged cells of each sheet; openpyxl does not tell them of a book that it streams."""
    from python_calamine import CalamineError, CalamineWorkbook

    stream.seek(0)
    try:
        book = CalamineWorkbook.from_filelike(stream)
    except CalamineError:  # openpyxl says what is wrong
        return {}
    return {name: _areas(book, name) for name in book.sheet_names}


def _areas(book: Any, name: str) -> list[Area]:
    try:
        found = book.get_sheet_by_name(name).merged_cell_ranges or ()
    except Exception:  # a sheet of charts
        return []
    return [(top, bottom, left, right) for (top, left), (bottom, right) in found]


def _missing_and_margins(parts: Parts, name: str) -> tuple[int, list[str]]:
    """How many formulas of a sheet have no stored value, and its headers and footers."""
    count, rest, margins = 0, b"", dict[bytes, None]()
    with parts.open(name) as stream:
        while block := stream.read(_BLOCK):
            data = rest + block
            found = list(_NO_VALUE.finditer(data))
            count += len(found)
            margins |= dict.fromkeys(_MARGIN.findall(data))
            rest = data[max(found[-1].end() if found else 0, len(data) - _OVERLAP) :]
    texts = (
        _MARGIN_CODE.sub(lambda code: code[0][1:] if code[0] == "&&" else " ", unescape(text))
        for text in map(bytes.decode, margins)
    )
    return count, [" ".join(text.split()) for text in texts]


def _beside(
    parts: Parts, part: str, name: str, source: Source, left_out: list[Found]
) -> Iterator[str]:
    """Comments, text boxes, diagrams and charts of a sheet."""
    related = [link for link in parts.related(part).values() if link.name]
    has_threads = any(link.kind == "threadedComment" for link in related)
    for link in related:
        if link.kind in ("comments", "threadedComment"):
            yield from _comments(parts.xml(link.name), has_threads)
    for link in (link for link in related if link.kind == "drawing"):
        drawing = Drawing(parts, link.name, name, source)
        yield from drawing.blocks(parts.xml(link.name))
        left_out.extend(drawing.left_out)


def _comments(root: Any, has_threads: bool) -> Iterator[str]:
    """The comments of a part; Excel writes a stand-in for each comment of a thread."""
    authors = enumerate(node.text or "" for node in root.iterfind(".//{*}author"))
    threads = {str(at) for at, author in authors if has_threads and author.startswith("tc=")}
    for node in root.iter():
        if local(node) in ("comment", "threadedComment") and node.get("authorId") not in threads:
            words = "".join(part.text or "" for part in node.iter() if local(part) in ("t", "text"))
            yield f"Comment on {node.get('ref', 'a cell')}: {' '.join(words.split())}"
