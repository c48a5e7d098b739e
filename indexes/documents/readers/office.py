"""OpenDocument and Rich Text documents, and slides.

Their own libraries read them: markitdown does the same with them, but loses the headers of tables,
the properties and the slides' numbers on the way, and brings onnxruntime and pandas along.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.etree.ElementTree import Element

from hopyard.indexes.corpus.records import PAGE_END, MetadataValue
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import plain_metadata
from hopyard.indexes.passages.markdown import first_heading, table_lines
from hopyard.state.errors import CorpusError

__all__ = ("office_properties", "read_odt", "read_pptx", "read_rtf", "zipped_xml")

_CORE: Final = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "date": "{http://purl.org/dc/terms/}modified",
}
_LONGEST_XML: Final = 256 << 20
"""Bytes of one unpacked part of an office file; a tiny file may claim to hold far more."""
_ODF_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_ODF_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_ODF_META: Final = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}initial-creator",
    "editor": "{http://purl.org/dc/elements/1.1/}creator",
    "date": "{http://purl.org/dc/elements/1.1/}date",
    "created": "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}creation-date",
}
_ODF_SILENT: Final = ("tracked-changes", "annotation", "sequence-decls", "note-citation")
_ODF_SPACES: Final = tuple(f"{_ODF_TEXT}{name}" for name in ("tab", "line-break", "s"))
_RTF_ABOUT: Final = re.compile(r"\{\\(title|author)\s+([^{}]*)\}")


def read_pptx(source: Source) -> Iterator[Content]:
    """Slides; each is a page and a section, with its tables and the speaker's notes."""
    from pptx import Presentation

    with source.open() as stream:
        metadata = office_properties(stream)
        stream.seek(0)
        deck = Presentation(stream)
    title = str(metadata.pop("title", ""))
    yield Content(title, (_slide(slide) for slide in deck.slides), "markdown", metadata)


def read_odt(source: Source) -> Iterator[Content]:
    """An OpenDocument text, as LibreOffice writes it."""
    with source.open() as stream:
        root = zipped_xml(stream, "content.xml")
        about = zipped_xml(stream, "meta.xml", missing="<meta/>")
    found = _named(about, _ODF_META)
    metadata = plain_metadata(
        {
            "author": found.get("author") or found.get("editor", ""),
            "date": (found.get("date") or found.get("created", ""))[:10],
        }
    )
    body = root.find(".//{urn:oasis:names:tc:opendocument:xmlns:office:1.0}text")
    if body is None:
        raise CorpusError("it holds no text document")
    text = "".join(_odf_blocks(body))
    yield Content(found["title"] or first_heading(text), [text], "markdown", metadata)


def read_rtf(source: Source) -> Iterator[Content]:
    """A document in Rich Text Format; its tables keep a row a line."""
    raw = source.read().decode("latin-1")
    if not raw.lstrip().startswith("{\\rtf"):
        raise CorpusError("not a readable RTF file")
    about = {
        name: _rtf_text(f"{{\\rtf1 {value}}}", "cp1252").strip()
        for name, value in _RTF_ABOUT.findall(raw[:10_000])
    }
    title = about.pop("title", "")
    text = _rtf_text(raw, source.options.encoding or "cp1252")
    yield Content(title, [text], "text", plain_metadata(about))


def zipped_xml(stream: Any, name: str, missing: str = "") -> Element:
    """Parse an XML file of a ZIP archive.

    Raises:
        CorpusError: It is not there, or too long.
    """
    from defusedxml.ElementTree import fromstring

    try:
        with zipfile.ZipFile(stream) as archive, archive.open(name) as file:
            data = file.read(_LONGEST_XML + 1)
    except KeyError as error:
        if not missing:
            raise CorpusError(f"it has no part {name!r}") from error
        data = missing.encode()
    if len(data) > _LONGEST_XML:
        raise CorpusError(f"its part {name!r} is longer than 256 MB")
    found: Element = fromstring(data)
    return found


def office_properties(stream: Any) -> dict[str, MetadataValue]:
    """Title, author and date of a Word, PowerPoint or Excel file."""
    found = _named(zipped_xml(stream, "docProps/core.xml", missing="<none/>"), _CORE)
    return plain_metadata(found | {"date": found.get("date", "")[:10]})


def _named(root: Element, tags: Mapping[str, str]) -> dict[str, str]:
    return {name: (root.findtext(f".//{tag}") or "").strip() for name, tag in tags.items()}


def _slide(slide: Any) -> str:
    title = slide.shapes.title
    name = " ".join(title.text_frame.text.split()) if title is not None else ""
    blocks = [f"# {name}"] if name else []
    for shape in slide.shapes:
        if title is None or shape.shape_id != title.shape_id:
            blocks += _shape(shape)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame):
        blocks.append(frame.text.strip())
    text = "\n\n".join(block for block in blocks if block.strip())
    return f"{text}\n\n{PAGE_END}"


def _shape(shape: Any) -> Iterator[str]:
    for inner in getattr(shape, "shapes", ()):  # a group
        yield from _shape(inner)
    if getattr(shape, "has_table", False):
        yield "\n".join(table_lines([cell.text for cell in row.cells] for row in shape.table.rows))
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)
    elif shape.has_text_frame:
        paragraphs = [line for line in shape.text_frame.paragraphs if line.text.strip()]
        mark = "- " if len(paragraphs) > 1 else ""
        yield "\n".join(f"{'  ' * line.level}{mark}{line.text.strip()}" for line in paragraphs)


def _chart(chart: Any) -> Iterator[str]:
    for plot in chart.plots:
        names = [str(name) for name in plot.categories]
        rows = [["", *names]]
        rows += [
            [one.name, *("" if v is None else f"{v:g}" for v in one.values)] for one in plot.series
        ]
        yield "\n".join(table_lines(rows))


def _odf_blocks(parent: Element, indent: str = "") -> Iterator[str]:
    for element in parent:
        tag = element.tag
        if tag == f"{_ODF_TEXT}h":
            level = int(element.get(f"{_ODF_TEXT}outline-level", "1"))
            yield f"{'#' * min(level, 6)} {_odf_text(element)}\n\n"
        elif tag == f"{_ODF_TEXT}p":
            if text := _odf_text(element):
                yield f"{indent}{text}\n\n"
        elif tag == f"{_ODF_TEXT}list":
            for item in element:
                first, *more = [*_odf_blocks(item, f"{indent}  ")] or [""]
                yield f"{indent}- {first.strip()}\n\n"
                yield from more
        elif tag == f"{_ODF_TABLE}table":
            yield "\n".join([*table_lines(_odf_rows(element)), "", ""])
        elif not tag.endswith(_ODF_SILENT):
            yield from _odf_blocks(element, indent)


def _odf_rows(table: Element) -> Iterator[list[str]]:
    for row in table.iter(f"{_ODF_TABLE}table-row"):
        yield [
            " ".join(filter(None, map(_odf_text, cell)))
            for cell in row
            if cell.tag.startswith(_ODF_TABLE)
        ]


def _odf_text(element: Element) -> str:
    return " ".join("".join(_odf_strings(element)).split())


def _odf_strings(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in _ODF_SPACES:
            yield " "
        elif not child.tag.endswith(_ODF_SILENT):
            yield from _odf_strings(child)
        yield child.tail or ""


def _rtf_text(rtf: str, encoding: str) -> str:
    import striprtf.striprtf as reader

    convert: Any = reader.rtf_to_text
    return str(convert(rtf, encoding=encoding, errors="replace"))
