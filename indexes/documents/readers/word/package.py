"""The parts of a Word file, and how they are related."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import IO, Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.parts import Parts, Related, parsed
from hopyard.state.errors import CorpusError

_TRANSITIONAL: Final = "http://schemas.openxmlformats.org/"
_STRICT: Final = "http://purl.oclc.org/ooxml/"
_PREFIXES: Final = {
    "wordprocessingml/main": "",
    "officeDocument/relationships": "r_",
    "officeDocument/math": "m_",
    "drawingml/main": "a_",
    "drawingml/wordprocessingDrawing": "wp_",
    "drawingml/chart": "c_",
    "drawingml/diagram": "dgm_",
    "markup-compatibility": "mc_",
    "package/relationships": "",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14_",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx_",
    "urn:schemas-microsoft-com:vml": "v_",
    "urn:schemas-microsoft-com:office:office": "o_",
}


class Package:
    """A Word file. Elements of its parts have short names: `p` for `w:p`, `m_t` for `m:t`.

    Files in Word's own namespaces and in those of the standard ("strict") read alike.

    Attributes:
        left_out: How many things of each name were not read.
    """

    def __init__(self, stream: IO[bytes], source: Source) -> None:
        self.source = source
        self.parts = Parts(stream)
        self.left_out: Counter[str] = Counter()

    def data(self, part: str) -> bytes | None:
        """A part; None if the file has none of that name.

        Raises:
            CorpusError: It cannot be unpacked, or is too long.
        """
        if not (name := self.parts.find(part)):
            return None
        data = self.parts.read(name)
        self.source.allowance.take_bytes(len(data))
        return data

    def drawing(self, part: str) -> Element | None:
        """The root of a part, with the names of its file; None if it is missing or no XML."""
        data = self.data(part)
        try:
            return None if data is None else parsed(data, part)
        except CorpusError:
            self.left_out["broken part"] += 1
            return None

    def xml(self, part: str) -> Element | None:
        """The root of a part, with short names; None if it is missing or no XML."""
        root = self.drawing(part)
        for element in root.iter() if root is not None else ():
            element.tag = _short(element.tag)
            if any(name[0] == "{" for name in element.keys()):  # noqa: SIM118
                element.attrib = {_short(name): text for name, text in element.items()}
        return root

    def linked(self, part: str, link: str) -> str:
        """The part that another part refers to by an id; "" if it is missing."""
        found = self._related(part).get(link)
        return found.name if found else ""

    def related(self, part: str, kind: str) -> str:
        """The first part of a kind that a part refers to, or ""."""
        return next((link.name for link in self._related(part).values() if link.kind == kind), "")

    def _related(self, part: str) -> Mapping[str, Related]:
        try:
            return self.parts.related(part)
        except CorpusError:
            self.left_out["broken part"] += 1
            return {}


def value(element: Element | None, path: str, name: str = "val") -> str:
    """An attribute of the element at a path, or ""."""
    found = element.find(path) if element is not None else None
    return found.get(name, "") if found is not None else ""


def is_on(element: Element | None, path: str, name: str = "val") -> bool | None:
    """Whether a property is switched on; None if it is not mentioned."""
    found = element.find(path) if element is not None else None
    return None if found is None else found.get(name, "1") not in ("0", "false", "off")


@cache
def _short(name: str) -> str:
    space, mark, local = name[1:].rpartition("}")
    if not mark:
        return name
    for start in (_TRANSITIONAL, _STRICT):
        space = space.removeprefix(start)
    prefix = _PREFIXES.get(space.replace("/2006", ""))
    return name if prefix is None else prefix + local
