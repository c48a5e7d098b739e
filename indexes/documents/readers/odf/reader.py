"""The text of an OpenDocument file, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.corpus.records import PAGE_END
from hopyard.indexes.documents.readers.base import Unread
from hopyard.indexes.documents.readers.drawings.order import in_reading_order
from hopyard.indexes.documents.readers.marks import join_runs
from hopyard.indexes.documents.readers.odf.styles import (
    DRAW,
    DRAW_CONTROL,
    OFFICE,
    SVG,
    TABLE,
    TEXT,
    Counter,
    Styles,
)
from hopyard.indexes.documents.readers.odf.tables import rows_of, value_of
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.indexes.documents.readers.sheets import joined_heads, sheet_text
from hopyard.indexes.passages.markdown import table_lines
from hopyard.state.text.counting import counted

_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_CLASS: Final = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}class"
_NO_TEXT: Final = frozenset(
    ("tracked-changes", "sequence-decls", "note-citation", "forms", "image", "named-expressions",
     "variable-decls", "user-field-decls", "table-source", "content-validations", "rt", "ruby-text")
)  # fmt: skip
_DEEPEST: Final = 6


class Reader:
    """Reads the parts of a document in order.

    Attributes:
        left_out: Parts that the text lacks.
    """

    def __init__(self, styles: Styles, parts: Parts | None) -> None:
        self.left_out: list[Unread] = []
        self._styles = styles
        self._parts = parts
        self._headings = Counter(styles.outline)
        self._lists: dict[str, Counter] = {}
        self._notes: list[str] = []
        self._waiting: list[str] = []
        """Frames and comments in the paragraph that is being read."""

    def document(self, body: Element) -> Iterator[str]:
        """The whole text as Markdown."""
        kind = local(body)
        if kind == "spreadsheet":
            for sheet in body.findall(f"{TABLE}table"):
                if sheet.find(f"{TABLE}table-source") is None:
                    yield from self._sheet(sheet)
            return
        if kind in ("presentation", "drawing"):
            for page in body:
                if local(page) == "page":
                    yield from self._page(page)
                elif page.text and page.text.strip():  # a footer
                    yield f"{page.text.strip()}\n\n"
            return
        yield from (f"{block}\n\n" for block in self._blocks(body))
        margins = dict.fromkeys(self._margins())
        yield from (f"{block}\n\n" for block in [*self._notes, *margins])

    def _margins(self) -> Iterator[str]:
        """Headers and footers."""
        for page in self._styles.pages:
            for part in page:
                if local(part).startswith(("header", "footer")):
                    yield from self._blocks(part)

    def _page(self, page: Element) -> Iterator[str]:
        """A slide."""
        titles = [node for node in page if node.get(_CLASS) == "title"]
        title = " ".join(" ".join(self._blocks(titles[:1])).split())
        blocks = [f"# {title}"] if title else []
        shapes = (part for part in page if local(part) != "notes" and part not in titles[:1])
        blocks += self._blocks(in_reading_order(shapes))
        for notes in (node for node in page if local(node) == "notes"):
            blocks += self._blocks(node for node in notes if node.get(_CLASS) == "notes")
        yield "\n\n".join([*blocks, *self._taken(self._notes), PAGE_END])

    def _sheet(self, sheet: Element) -> Iterator[str]:
        name = sheet.get(f"{TABLE}name", "")
        before = len(self.left_out)
        rows = [row for _, row in self._rows(sheet)]
        missing = sum(
            1
            for node in sheet.iter(f"{TABLE}table-cell")
            if node.get(f"{TABLE}formula") and not len(node) and not value_of(node)
        )
        if missing:
            self.left_out.append(Unread(name, f"{counted(missing, 'formula')} without a value"))
        yield from sheet_text(name, rows)
        shapes = sheet.find(f"{TABLE}shapes")
        blocks = [*self._taken(self._waiting), *self._blocks(shapes if shapes is not None else ())]
        yield from (f"{block}\n\n" for block in blocks)
        self.left_out[before:] = dict.fromkeys(self.left_out[before:])

    def _blocks(self, elements: Iterable[Element]) -> Iterator[str]:
        for element in elements:
            kind = local(element)
            if kind == "h":
                level = int(element.get(f"{TEXT}outline-level", "1"))
                yield from self._heading(element, level, self._headings.next(level, element))
            elif kind == "p":
                yield from self._paragraph(element)
            elif kind == "list":
                yield from self._list(element)
            elif kind == "table":
                yield from self._table(element)
            elif kind == "frame":
                yield from self._frame(element)
            elif kind == "annotation":
                yield self._comment(element)
            elif kind == "control":
                yield self._styles.controls.get(element.get(DRAW_CONTROL, ""), "")
            elif kind in _NO_TEXT or element.tag.startswith(SVG):
                continue
            elif element.tag.startswith(DRAW):
                yield from self._described(element, [*self._blocks(element)])
            else:
                yield from self._blocks(element)

    def _heading(self, element: Element, level: int, number: str) -> Iterator[str]:
        before = f"{'#' * min(level, _DEEPEST)} {number and f'{number} '}"
        return self._paragraph(element, before)

    def _paragraph(self, element: Element, before: str = "") -> Iterator[str]:
        if text := self._text(element):
            yield f"{before}{text}"
        yield from self._taken(self._waiting)

    def _taken(self, blocks: list[str]) -> list[str]:
        found = [node for node in blocks if node]
        blocks.clear()
        return found

    def _list(
        self, element: Element, counter: Counter | None = None, level: int = 1
    ) -> Iterator[str]:
        style = element.get(f"{TEXT}style-name", "")
        if counter is None:
            carried = self._lists.get(element.get(f"{TEXT}continue-list", "") or style)
            is_carried = (
                element.get(f"{TEXT}continue-list")
                or element.get(f"{TEXT}continue-numbering") == "true"
            )
            counter = (
                carried if carried and is_carried else Counter(self._styles.lists.get(style, {}))
            )
            self._lists[style] = counter
            self._lists[element.get("{http://www.w3.org/XML/1998/namespace}id", "")] = counter
        elif style in self._styles.lists:
            counter = Counter(self._styles.lists[style], counter)
        for item in element:
            is_item = local(item) == "list-item"
            mark = (counter.next(level, item) or "-") if is_item else ""
            for part in item:
                if local(part) == "list":
                    yield "\n\n".join(self._list(part, counter, level + 1))
                    continue
                if local(part) == "h":
                    depth = int(part.get(f"{TEXT}outline-level", level))
                    yield from self._heading(part, depth, mark.removeprefix("-"))
                    mark = ""
                    continue
                for block in self._blocks([part]):
                    indent = "  " * (level - 1)
                    yield f"{indent}{mark} {block}" if mark else f"{indent}  {block}"
                    mark = ""

    def _table(self, table: Element) -> Iterator[str]:
        found = list(self._rows(table))
        heads = sum(is_head for is_head, _ in found)
        rows = joined_heads([row for _, row in found], heads)
        if len(rows) == 1 and len(rows[0]) == 1:
            yield rows[0][0]
        elif rows:
            yield "\n".join(table_lines(rows))
        yield from self._taken(self._waiting)

    def _rows(self, table: Element) -> Iterator[tuple[bool, list[str]]]:
        return rows_of(table, self._text_of_cell, self.left_out)

    def _text_of_cell(self, cell: Element) -> str:
        """The texts of a cell; comments wait until the table ends."""
        waiting, self._waiting = self._waiting, []
        texts: list[str] = []
        for part in cell:
            if local(part) == "annotation":
                waiting.append(self._comment(part))
            elif local(part) == "table":
                texts += (", ".join(filter(None, row)) for _, row in self._rows(part))
            else:
                texts += (" ".join(block.split()) for block in self._blocks([part]))
        self._waiting = waiting
        joint = "; " if any(local(part) in ("table", "list") for part in cell) else " "
        return joint.join(filter(None, texts))

    def _frame(self, frame: Element) -> Iterator[str]:
        """A text box, picture, formula, chart or another object."""
        blocks = list(self._blocks(node for node in frame if local(node) != "object"))
        for node in frame:
            kind = local(node)
            if kind == "object":
                blocks += self._object(node)
            elif kind in ("object-ole", "plugin"):
                self.left_out.append(Unread(node.get(_LINK, kind), "an embedded object"))
        return self._described(frame, blocks)

    def _described(self, shape: Element, blocks: list[str]) -> Iterator[str]:
        """A shape's texts, and those that say what it shows."""
        yield from blocks
        about = (node for node in shape if local(node) in ("title", "desc"))
        for text in dict.fromkeys(" ".join((node.text or "").split()) for node in about):
            if text and text not in blocks:
                yield f"[{text}]"

    def _object(self, element: Element) -> list[str]:
        root: Element | None = next(iter(element), None)
        link = element.get(_LINK, "")
        if root is None and self._parts is not None and link:
            name = self._parts.find(f"{link}/content.xml")
            root = self._parts.xml(name) if name else None
        blocks = [] if root is None else list(self._parts_of_object(root))
        if not blocks:
            self.left_out.append(Unread(link or "object", "an embedded object"))
        return blocks

    def _parts_of_object(self, root: Element) -> Iterator[str]:
        formula = next(
            (node for node in root.iter() if local(node) == "annotation" and node.text), None
        )
        if formula is not None:
            yield " ".join((formula.text or "").split())
        elif local(root) == "math":
            yield " ".join(" ".join(root.itertext()).split())
        else:
            body = root.find(f".//{OFFICE}body")
            yield from self._blocks(body if body is not None else root)

    def _comment(self, element: Element) -> str:
        lines = [
            block
            for node in element
            if local(node) in ("p", "list")
            for block in self._blocks([node])
        ]
        return f"Comment: {' '.join(lines)}" if lines else ""

    def _text(self, element: Element) -> str:
        text = join_runs(self._runs(element, False))
        lines = (" ".join(line.split()) for line in text.split("\n"))
        return "\n".join(filter(None, lines))

    def _runs(self, element: Element, raised: bool) -> Iterator[tuple[str, bool]]:
        yield element.text or "", raised
        for node in element:
            kind = local(node)
            if kind in ("s", "tab"):
                yield " ", False
            elif kind == "line-break":
                yield "\n", False
            elif kind == "note":
                yield self._note(node), False
            elif kind == "annotation":
                self._waiting.append(self._comment(node))
            elif kind == "ruby":
                yield self._ruby(node), raised
            elif kind == "control":
                yield self._styles.controls.get(node.get(DRAW_CONTROL, ""), ""), False
            elif node.tag.startswith(DRAW) and kind != "a":
                waiting, self._waiting = self._waiting, []
                found = [*self._blocks([node]), *self._waiting]
                self._waiting = [*waiting, *found]
            elif kind not in _NO_TEXT:
                style = node.get(f"{TEXT}style-name", "")
                yield from self._runs(node, raised or style in self._styles.raised)
            yield node.tail or "", raised

    def _ruby(self, element: Element) -> str:
        parts = {local(node): "".join(node.itertext()) for node in element}
        reading = parts.get("ruby-text", "")
        return f"{parts.get('ruby-base', '')}{f'({reading})' if reading else ''}"

    def _note(self, element: Element) -> str:
        mark = next(
            ("".join(node.itertext()) for node in element if local(node) == "note-citation"), ""
        )
        body = next((node for node in element if local(node) == "note-body"), ())
        waiting, self._waiting = self._waiting, []
        self._notes.append(f"[{mark}] {' '.join(self._blocks(body))}")
        self._waiting = waiting
        return f"[{mark}]"
