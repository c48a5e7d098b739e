"""XML as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from html.entities import html5
from itertools import chain
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Content, Notes, Source
from hopyard.indexes.documents.readers.parts import local
from hopyard.indexes.documents.readers.sheets_xml import is_workbook, workbook_text
from hopyard.indexes.documents.readers.text import text_blocks
from hopyard.state.errors import CorpusError

_LONGEST_LINE: Final = 4000
"""Characters of an element whose text is one line, at most."""
_PIECE: Final = 1 << 14
"""Characters that a parser reads at once: their elements are in memory together."""
_DECLARATION: Final = 200
"""Bytes in which an XML file declares its encoding."""
_DECLARED: Final = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']""")
_ENTITY: Final = re.compile(r"&([A-Za-z][\w.-]*);")
_DECLARED_ENTITY: Final = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+["']([^"']*)["']\s*>""")
_XML_NAMES: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
_LONGEST_ENTITY: Final = 64
_MOST_NESTED: Final = 20
"""Names in the texts of other names, at most."""
_LONGEST_TEXTS: Final = 10_000
"""Characters of all texts that a file has names for, at most."""
HTML: Final = re.compile(r"</(?:p|div|a|ul|ol|li|table|b|i|em|strong|span|h[1-6])>|<br ?/?>")
"""A text that is a web page itself, as in a feed."""


def read_xml(source: Source) -> Iterator[Content]:
    """XML: a line for each element that holds text, with its name, attributes and all its text.

    An element with text beside inner elements is one line, in the order of the document.
    """

    def lines() -> Iterator[str]:
        root: Element | None = None
        depth = 0
        entry: Element | None = None  # ended, but the text behind it may not be read yet
        for event, element in elements_of(source):
            if root is None:
                root = element
            if entry is not None:
                yield from _entry(root, entry, source.notes)
                entry = None
            depth += 1 if event == "start" else -1
            if event == "end" and depth == 1 and not _says(root.text):
                entry = element
        if root is not None:
            yield from _element_lines(root, source.notes)

    if is_workbook(source):
        yield Content("", workbook_text(elements_of(source)))
    else:
        yield Content("", lines(), "text")


def elements_of(source: Source) -> Iterator[tuple[str, Element]]:
    """The beginnings and ends of the elements of an XML file, in order."""
    from defusedxml import ExternalReferenceForbidden
    from defusedxml.ElementTree import iterparse

    with source.open() as stream:
        blocks = text_blocks(source, declared_encoding(stream.read(_DECLARATION)))
    try:
        yield from iterparse(
            _Stream(_plain_names(blocks)), events=("start", "end"), forbid_entities=False
        )
    except ExternalReferenceForbidden as error:
        raise CorpusError("it takes text from another file, which is not read") from error


def declared_encoding(data: bytes) -> str:
    """The encoding that an XML file names in its first line; "" if it names none."""
    found = _DECLARED.search(data[:_DECLARATION])
    return found[1].decode() if found else ""


def _plain_names(blocks: Iterator[str]) -> Iterator[str]:
    """Blocks of XML with the signs that HTML names, `&nbsp;`, unless the file itself names them.

    Raises:
        CorpusError: Its own names stand for too much text: a few may stand for gigabytes.
    """
    own: frozenset[str] | None = None
    rest = ""
    for block in chain(blocks, [""]):
        text = rest + block
        if own is None:
            own = _own_names(text)
        cut = text.rfind("&", max(0, len(text) - _LONGEST_ENTITY)) if block else -1
        text, rest = (text, "") if cut < 0 else (text[:cut], text[cut:])
        yield _ENTITY.sub(partial(_sign, own), text)


def _sign(own: frozenset[str], found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name in own or name in _XML_NAMES else html5.get(f"{name};", found[0])


def _own_names(text: str) -> frozenset[str]:
    """The names that a file declares for texts of its own."""
    declared = dict(_DECLARED_ENTITY.findall(text))
    nested = [name for value in declared.values() for name in _ENTITY.findall(value)]
    if len(nested) > _MOST_NESTED or sum(map(len, declared.values())) > _LONGEST_TEXTS:
        raise CorpusError("its entities stand for too much text: replace them by their text")
    return frozenset(declared)


class _Stream:
    """Blocks of text as a stream that a parser reads in small pieces."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self._pieces = (
            block[start : start + _PIECE]
            for block in blocks
            for start in range(0, len(block), _PIECE)
        )

    def read(self, _: int = -1) -> str:
        return next(self._pieces, "")


def _entry(root: Element, entry: Element, notes: Notes) -> Iterator[str]:
    """The lines of an element in the outermost one, which then is not needed any more."""
    if root[0] is entry and root.attrib and not _says(root.text):
        yield f"{_name(root)}\n"
        root.attrib.clear()
    yield from _element_lines(entry, notes)
    if _says(entry.tail):
        yield f"{_one_line(entry.tail)}\n"
    yield "\n"
    root.remove(entry)


def _element_lines(element: Element, notes: Notes) -> Iterator[str]:
    if not len(element) and element.text and HTML.search(element.text):
        from hopyard.indexes.documents.readers.web import html_to_markdown

        yield f"{_name(element)}: {html_to_markdown(element.text)}\n"
        return
    mixed = _says(element.text) or any(_says(child.tail) for child in element)
    text = _one_line("".join(_strings(element))) if mixed else ""
    if text and (len(text) <= _LONGEST_LINE or not len(element)):
        for inner in element.iter():
            if inner is not element and (len(inner) or inner.text):
                notes.leave_out("attribute within a text", " ".join(inner.attrib.values()))
        yield f"{_name(element)}: {text}\n"
        return
    if element.attrib:
        yield f"{_name(element)}\n"
    for part in (element.text, *element):
        if isinstance(part, str):
            parts: Iterable[str] = [part]
        elif part is not None:
            yield from _element_lines(part, notes)
            parts = [part.tail or ""]
        else:
            continue
        yield from (f"{_one_line(words)}\n" for words in parts if _says(words))


def _strings(element: Element) -> Iterator[str]:
    """All text in an element, in order; an empty element is a space or its attributes."""
    yield element.text or ""
    for child in element:
        if local(child).casefold() in {"sup", "superscript"}:
            yield "^"
        if len(child) or child.text:
            yield from _strings(child)
        else:
            yield f" {' '.join(child.attrib.values())} "
        yield child.tail or ""


def _name(element: Element) -> str:
    about = ", ".join(f"{key.rpartition('}')[2]} {value}" for key, value in element.attrib.items())
    return f"{local(element)} ({about})" if about else local(element)


def _says(text: str | None) -> bool:
    return bool(text and text.strip())


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
