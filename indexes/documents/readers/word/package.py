"""The parts of a Word file, and how they are related."""

from __future__ import annotations

import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from hopyard.indexes.documents.readers.base import Source
from hopyard.state.errors import CorpusError

_LARGEST: Final = 256 << 20
"""Bytes of one unpacked part, at most."""
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


class Relation(NamedTuple):
    """A part, or a place outside of the file, that a part refers to."""

    kind: str
    """The last word of its type: `header`, `chart`, `aFChunk`."""
    target: str
    """The part's name in the file."""
    outside: bool


class Package:
    """A Word file. Elements of its parts have short names: `p` for `w:p`, `m_t` for `m:t`.

    Files in Word's own namespaces and in those of the standard ("strict") read alike.

    Attributes:
        source: The file.
        left_out: How many things of each name were not read.
    """

    def __init__(self, archive: zipfile.ZipFile, source: Source) -> None:
        self.source = source
        self.left_out: Counter[str] = Counter()
        self._archive = archive
        self._names = {_key(name): name for name in archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}

    def document(self) -> str:
        """The name of the part that holds the text."""
        parts = (
            node.target for node in self.relations("").values() if node.kind == "officeDocument"
        )
        return next(parts, "word/document.xml")

    def data(self, part: str) -> bytes | None:
        """A part; None if the file has none of that name.

        Raises:
            CorpusError: It is too long.
        """
        name = self._names.get(_key(part))
        if name is None:
            return None
        with self._archive.open(name) as file:
            found = file.read(_LARGEST + 1)
        if len(found) > _LARGEST:
            raise CorpusError(f"its part {part!r} is longer than 256 MB")
        self.source.allowance.take_bytes(len(found))
        return found

    def xml(self, part: str) -> Element | None:
        """The root of a part, with short names; None if it is missing or no XML."""
        from defusedxml.ElementTree import fromstring

        data = self.data(part) if part else None
        if data is None:
            return None
        try:
            root: Element = fromstring(data)
        except ParseError:
            self.left_out["broken part"] += 1
            return None
        for element in root.iter():
            element.tag = _short(element.tag)
            if any(name[0] == "{" for name in element.keys()):  # noqa: SIM118
                element.attrib = {_short(name): text for name, text in element.items()}
        return root

    def relations(self, part: str) -> dict[str, Relation]:
        """The parts and places that a part refers to, by its ids for them."""
        if part not in self._relations:
            self._relations[part] = dict(self._read_relations(part))
        return self._relations[part]

    def related(self, part: str, kind: str) -> str:
        """The first part of a kind that a part refers to, or ""."""
        return next(
            (node.target for node in self.relations(part).values() if node.kind == kind), ""
        )

    def _read_relations(self, part: str) -> Iterator[tuple[str, Relation]]:
        folder, name = posixpath.split(part)
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        for node in root if root is not None else ():
            outside = node.get("TargetMode") == "External"
            target = node.get("Target", "")
            if not outside:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target)))[1:]
            yield (
                node.get("Id", ""),
                Relation(node.get("Type", "").rpartition("/")[2], target, outside),
            )


def value(element: Element | None, path: str, name: str = "val") -> str:
    """An attribute of the element at a path, or ""."""
    found = element.find(path) if element is not None else None
    return found.get(name, "") if found is not None else ""


def is_on(element: Element | None, path: str) -> bool | None:
    """Whether a property is switched on; None if it is not mentioned."""
    found = element.find(path) if element is not None else None
    return None if found is None else found.get("val", "1") not in ("0", "false", "off")


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()


@cache
def _short(name: str) -> str:
    space, mark, local = name[1:].rpartition("}")
    if not mark:
        return name
    for start in (_TRANSITIONAL, _STRICT):
        space = space.removeprefix(start)
    prefix = _PREFIXES.get(space.replace("/2006", ""))
    return name if prefix is None else prefix + local
