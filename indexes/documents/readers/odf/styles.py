"""Styles of an OpenDocument file that change its text: raised letters, numbers, form fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.marks import numeral
from hopyard.indexes.documents.readers.parts import local

_NAMES: Final = "{urn:oasis:names:tc:opendocument:xmlns:"
OFFICE: Final = f"{_NAMES}office:1.0}}"
STYLE: Final = f"{_NAMES}style:1.0}}"
TABLE: Final = f"{_NAMES}table:1.0}}"
TEXT: Final = f"{_NAMES}text:1.0}}"
DRAW: Final = f"{_NAMES}drawing:1.0}}"
SVG: Final = f"{_NAMES}svg-compatible:1.0}}"
DRAW_CONTROL: Final = f"{DRAW}control"
_FORM: Final = f"{_NAMES}form:1.0}}"
_XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"


class Level(NamedTuple):
    """How a level of a list or of headings is numbered."""

    format: str
    """`1`, `a`, `A`, `i`, `I`; "" for none."""
    start: int
    before: str
    after: str
    shown: int
    """How many levels its number has: 2 for `3.1`."""


class Counter:
    """Counts the items of a list, or the headings of a text.

    A list inside `outer`, whose style is another, counts on from its levels.
    """

    def __init__(self, levels: Mapping[int, Level], outer: Counter | None = None) -> None:
        self._levels = levels
        self._counts: dict[int, int] = dict(outer._counts) if outer else {}

    def next(self, level: int, element: Element) -> str:
        """The number of the next item as it is shown; "" if its level has no numbers."""
        about = self._levels.get(level)
        if about is None or element.get(f"{TEXT}is-list-header") == "true":
            return ""
        self._counts = {node: count for node, count in self._counts.items() if node <= level}
        start = element.get(f"{TEXT}start-value", "")
        restarts = local(element) != "h" or element.get(f"{TEXT}restart-numbering") == "true"
        if start and restarts:
            self._counts[level] = int(start)
        else:
            self._counts[level] = self._counts.get(level, about.start - 1) + 1
        if not about.format:
            return ""
        levels = range(max(1, level - about.shown + 1), level + 1)
        numbers = [
            numeral(self._counts.get(node, self._levels[node].start), self._levels[node].format)
            for node in levels
            if node in self._levels and self._levels[node].format
        ]
        return f"{about.before}{'.'.join(numbers)}{about.after}".strip()


class Styles:
    """The styles of a document.

    Attributes:
        raised: Names of text styles whose letters are raised.
        lists: The levels of each list style.
        outline: The levels of headings.
        pages: The page styles, with headers and footers.
        controls: The text that each form field shows.
    """

    def __init__(self, roots: Sequence[Element]) -> None:
        """Read the styles of the parts of a file; later parts count more."""
        self.raised: set[str] = set()
        self.lists: dict[str, dict[int, Level]] = {}
        self.outline: dict[int, Level] = {}
        self.pages: list[Element] = []
        self.controls: dict[str, str] = {}
        for root in roots:
            for node in root.iter():
                self._add(node)

    def _add(self, element: Element) -> None:
        kind, name = local(element), element.get(f"{STYLE}name", "")
        if kind == "style":
            properties = element.find(f"{STYLE}text-properties")
            place = "" if properties is None else properties.get(f"{STYLE}text-position", "")
            if place.startswith("super") or (
                place[:1].isdecimal() and place[:2] not in ("0%", "0 ")
            ):
                self.raised.add(name)
        elif kind == "list-style":
            self.lists[name] = dict(_levels(element))
        elif kind == "outline-style":
            self.outline = dict(_levels(element))
        elif kind == "master-page":
            self.pages.append(element)
        elif element.tag.startswith(_FORM):
            shown = _shown(element, kind)
            for found in (element.get(_XML_ID), element.get(f"{_FORM}id")):
                if found and shown:
                    self.controls[found] = shown


def _levels(style: Element) -> Iterator[tuple[int, Level]]:
    for node in style:
        if local(node).endswith("number") or local(node) == "outline-level-style":
            yield (
                int(node.get(f"{TEXT}level", "1")),
                Level(
                    node.get(f"{STYLE}num-format", ""),
                    int(node.get(f"{TEXT}start-value", "1")),
                    node.get(f"{STYLE}num-prefix", ""),
                    node.get(f"{STYLE}num-suffix", ""),
                    int(node.get(f"{TEXT}display-levels", "1")),
                ),
            )


def _shown(field: Element, kind: str) -> str:
    label = field.get(f"{_FORM}label", "")
    if kind in ("checkbox", "radio"):
        state = field.get(f"{_FORM}current-state") or field.get(f"{_FORM}state", "")
        is_ticked = state == "checked" or field.get(f"{_FORM}current-selected") == "true"
        return f"[{'x' if is_ticked else ' '}] {label}".rstrip()
    return field.get(f"{_FORM}current-value") or field.get(f"{_FORM}value") or label
