"""The styles of a Word file: headings, lists, hidden and raised text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.package import is_on, value

_HEADING: Final = re.compile(r"heading ?([1-9])$")
_DEEPEST: Final = 20
"""Styles that a style is based on, at most: some files have circles."""
_RAISED: Final = 4
"""Half points between the line and a raised character, at least."""


class Look(NamedTuple):
    """Properties of text that change what it says. None where a style says nothing of it."""

    hidden: bool | None = None
    raised: bool | None = None
    struck: bool | None = None
    font: str | None = None

    def over(self, below: Look) -> Look:
        """These properties, and those below where these say nothing."""
        return Look(
            below.hidden if self.hidden is None else self.hidden,
            below.raised if self.raised is None else self.raised,
            below.struck if self.struck is None else self.struck,
            self.font or below.font,
        )


class Style(NamedTuple):
    """A paragraph or character style with what it inherits."""

    level: int = 0
    """Of a heading, from 1; 0 for text."""
    is_title: bool = False
    list_id: str = ""
    list_level: int | None = None
    numbered_by: str = ""
    """The style from which the list comes."""
    look: Look = Look()


class Styles:
    """The styles of a file, by their ids."""

    def __init__(self, root: Element | None) -> None:
        found = root.findall("style") if root is not None else []
        self._elements = {node.get("styleId", ""): node for node in found}
        self._default = next(
            (
                node.get("styleId", "")
                for node in found
                if node.get("type") == "paragraph" and node.get("default") in ("1", "true")
            ),
            "",
        )
        self._styles: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """A style of characters, or of paragraphs where the id is not empty."""
        if style_id not in self._styles:
            self._styles[style_id] = self._resolved(style_id)
        return self._styles[style_id]

    def of_paragraph(self, style_id: str) -> Style:
        """A style of paragraphs; "" is the default style."""
        return self.of(style_id or self._default)

    def _chain(self, style_id: str) -> Iterator[tuple[str, Element]]:
        for _ in range(_DEEPEST):
            if (element := self._elements.get(style_id)) is None:
                return
            yield style_id, element
            style_id = value(element, "basedOn")

    def _resolved(self, style_id: str) -> Style:
        level: int | None = None
        list_level: int | None = None
        list_id = numbered_by = ""
        look = Look()
        for name, element in self._chain(style_id):
            look = look.over(look_of(element.find("rPr")))
            if level is None:
                level = _level(element)
            if not list_id:
                list_id = value(element, "pPr/numPr/numId")
                numbered_by = name
                if list_level is None and (given := value(element, "pPr/numPr/ilvl")).isdecimal():
                    list_level = int(given)
        if level is None and style_id not in self._elements:
            level = _named_level(style_id)
        is_title = value(self._elements.get(style_id), "name").casefold() == "title"
        return Style(level or 0, is_title, list_id, list_level, numbered_by, look)


def look_of(properties: Element | None) -> Look:
    """The properties of a run or style (`rPr`)."""
    if properties is None:
        return Look()
    place = value(properties, "vertAlign")
    height = value(properties, "position")
    raised = place == "superscript" if place else None
    if height.isdecimal():
        raised = raised or int(height) >= _RAISED
    font = properties.find("rFonts")
    return Look(
        is_on(properties, "vanish"),
        raised,
        is_on(properties, "dstrike") or is_on(properties, "strike"),
        (font.get("ascii") or font.get("hAnsi")) if font is not None else None,
    )


def _level(style: Element) -> int | None:
    outline = value(style, "pPr/outlineLvl")
    if outline.isdecimal():
        return (int(outline) + 1) % 10
    return _named_level(value(style, "name"))


def _named_level(name: str) -> int | None:
    if name.casefold() == "title":
        return 1
    found = _HEADING.match(name.casefold())
    return int(found[1]) if found else None
