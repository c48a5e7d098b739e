"""Presentations of PowerPoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.corpus.records import PAGE_END
from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.drawings import Drawing, linked
from hopyard.indexes.documents.readers.drawings.text import lines_of, paragraphs
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.state.errors import CorpusError

_TITLES: Final = ("title", "ctrTitle")
_ONCE: Final = ("ftr", "dt", "hdr")
"""Placeholders whose text is on many slides: it is read once."""


def read_pptx(source: Source) -> Iterator[Found]:
    """Slides; each is a page and a section, with tables, charts, notes and comments.

    Office files inside a slide are documents of their own.
    """
    with source.open() as stream:
        parts = Parts(stream)
        metadata = parts.properties()
        deck = parts.document("ppt/presentation.xml")
        names = parts.related(deck)
        order = [
            names[found]
            for node in parts.xml(deck).iterfind(".//{*}sldId")
            if (found := linked(node)) in names
        ]
        left_out: list[Found] = []
        seen: set[str] = set()

        def slides() -> Iterator[str]:
            for number, node in enumerate(order, start=1):
                slide = _Slide(parts, node.name, f"slide {number}", source, seen)
                yield slide.text()
                left_out.extend(slide.left_out)

        yield Content(
            str(metadata.pop("title", "")), slides(), "markdown", metadata, pages=len(order)
        )
        yield from left_out


class _Slide(Drawing):
    """One slide."""

    def __init__(self, parts: Parts, name: str, place: str, source: Source, seen: set[str]) -> None:
        super().__init__(parts, name, place, source)
        self._name = name
        self._seen = seen
        self._title = ""

    def text(self) -> str:
        """The slide as Markdown, with the end of a page."""
        try:
            tree = self.parts.xml(self._name).find("{*}cSld/{*}spTree")
            blocks = [] if tree is None else [*self.blocks(tree)]
        except CorpusError as error:
            self.left_out.append(Unread(self._name, str(error)))
            return PAGE_END
        blocks = [*([f"# {self._title}"] if self._title else []), *blocks, *self._beside()]
        return "\n\n".join([*(node for node in blocks if node.strip()), PAGE_END])

    def _beside(self) -> Iterator[str]:
        """The speaker's notes and the comments."""
        for node in self.related.values():
            if node.kind not in ("notesSlide", "comments") or not node.name:
                continue
            root = self.parts.xml(node.name)
            for found in root.iter():
                body, text = found.find("{*}txBody"), found.find("{*}text")
                lines = [] if body is None else [line.strip() for line in lines_of(body)]
                if local(found) == "sp" and body is not None and _place(found) == "body":
                    yield "\n".join(lines)
                elif local(found) in ("cm", "reply"):
                    said = " ".join(lines) if text is None else text.text or ""
                    yield f"Comment: {' '.join(said.split())}" if said.strip() else ""

    def words(self, shape: Element) -> Iterator[str]:
        body, place = shape.find("{*}txBody"), _place(shape)
        if body is None or place in ("sldNum", "sldImg"):
            return
        if place in _TITLES and not self._title:
            self._title = " ".join(" ".join(lines_of(body)).split())
            return
        text = "\n".join(paragraphs(body))
        if place in _ONCE:
            if text in self._seen:
                return
            self._seen.add(text)
        yield text


def _place(shape: Element) -> str:
    """The kind of a placeholder; "" for other shapes. Source: ECMA-376, 19.7.10."""
    mark = shape.find("./*/{*}nvPr/{*}ph")
    return "" if mark is None else mark.get("type", "obj")
