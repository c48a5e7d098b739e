"""Shapes that Microsoft Office draws on slides and sheets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Part, Source, Unread, parts_of
from hopyard.indexes.documents.readers.drawings.charts import chart_tables, chart_titles
from hopyard.indexes.documents.readers.drawings.order import in_reading_order
from hopyard.indexes.documents.readers.drawings.text import diagram_texts, paragraphs, table_rows
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.indexes.documents.readers.sheets import joined_heads
from hopyard.indexes.passages.markdown import table_lines
from hopyard.state.errors import CorpusError

_OFFICE: Final = (".docx", ".xlsx", ".pptx", ".xlsm", ".docm", ".pptm")
_ANCHORS: Final = ("twoCellAnchor", "oneCellAnchor", "absoluteAnchor", "wsDr")


def linked(element: Element, name: str = "id") -> str:
    """The relationship that an element names; "" if it names none."""
    return next((value for key, value in element.items() if key.endswith(f"}}{name}")), "")


class Drawing:
    """The shapes of a slide or sheet.

    Args:
        name: The part with the shapes.
        place: The slide or sheet, as it is reported.
        source: The file that the parts are in.

    Attributes:
        left_out: Parts that their text lacks, and office files inside them.
    """

    def __init__(self, parts: Parts, name: str, place: str, source: Source) -> None:
        self.left_out: list[Unread | Part] = []
        self.parts = parts
        self.related = parts.related(name) if name else {}
        self._place = place
        self._source = source

    def blocks(self, tree: Element) -> Iterator[str]:
        """The texts of shapes, in the order of reading."""
        for shape in in_reading_order(node for node in tree if _has_words(node)):
            kind = local(shape)
            if kind == "AlternateContent":
                yield from self._alternatives(shape)
            elif kind == "grpSp" or kind in _ANCHORS:
                yield from self.blocks(shape)
            elif kind in ("sp", "cxnSp"):
                yield from self.words(shape)
            elif kind == "graphicFrame":
                yield from self._frame(shape)
            elif kind == "pic" and (text := _described(shape)):
                yield f"[{text}]"

    def words(self, shape: Element) -> Iterator[str]:
        """The text of one shape."""
        body = shape.find("{*}txBody")
        if body is not None:
            yield "\n".join(paragraphs(body))

    def _alternatives(self, shape: Element) -> Iterator[str]:
        """The first way of drawing a shape that has text."""
        left_out = list(self.left_out)
        for way in shape:
            self.left_out = list(left_out)
            if blocks := [node for node in self.blocks(way) if node.strip()]:
                yield from blocks
                return

    def _frame(self, frame: Element) -> Iterator[str]:
        for node in frame.iter():
            kind = local(node)
            if kind == "tbl":
                yield "\n".join(table_lines(joined_heads(table_rows(node))))
            elif kind == "chart":
                yield from self._part(linked(node, "id"), "chart")
            elif kind == "relIds":
                yield from self._part(linked(node, "dm"), "diagram")
            elif kind == "oleObj":
                self._embedded(node)

    def _part(self, found: str, kind: str) -> Iterator[str]:
        """A chart or a diagram, which alone is left out if it cannot be read."""
        name = self.related[found].name if found in self.related else ""
        try:
            root = self.parts.xml(name)
            if kind == "chart":
                tables = ["\n".join(table_lines(rows)) for rows in chart_tables(root)]
                blocks = [*chart_titles(root), *tables]
            else:
                blocks = ["\n".join(f"- {text}" for text in diagram_texts(root))]
        except (CorpusError, ValueError) as error:
            self.left_out.append(Unread(self._place, f"a {kind} ({error})"))
            return
        if not any(map(str.strip, blocks)):
            self.left_out.append(Unread(self._place, f"a {kind} without values"))
        yield from blocks

    def _embedded(self, element: Element) -> None:
        found = self.related.get(linked(element, "id"))
        name = found.name if found else ""
        if name.lower().endswith(_OFFICE):
            files = [(name.rpartition("/")[2], self.parts.read(name))]
            for file, source in parts_of(files, self._source):
                self.left_out.append(Part(f"{self._place}/{file}", source))
        else:
            about = element.get("progId", "") or "unknown"
            self.left_out.append(Unread(self._place, f"an embedded object ({about})"))


def _has_words(shape: Element) -> bool:
    """Whether a shape may say something: a background or a line takes no place."""
    kind = local(shape)
    if kind in ("sp", "cxnSp"):
        return any(node.text for node in shape.iterfind(".//{*}t"))
    return bool(_described(shape)) if kind == "pic" else not kind.endswith("Pr")


def _described(shape: Element) -> str:
    """The text that stands for a picture."""
    about = shape.find("{*}nvPicPr/{*}cNvPr")
    return "" if about is None else " ".join(about.get("descr", "").split())
