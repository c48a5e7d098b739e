"""All characters of texts, web pages, XML and JSON."""

from __future__ import annotations

import codecs
import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from html.parser import HTMLParser
from typing import Any, Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.kept.compare import FileWords
from hopyard.indexes.documents.kept.words import words_of
from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.data import OBJECT
from hopyard.indexes.documents.readers.sheets_xml import SPREADSHEET
from hopyard.indexes.documents.readers.xml_text import HTML

_BOMS: Final = (
    *((BOM_UTF8, "utf-8-sig"), (BOM_UTF32_LE, "utf-32"), (BOM_UTF32_BE, "utf-32")),
    *((BOM_UTF16_LE, "utf-16"), (BOM_UTF16_BE, "utf-16")),
)
_DECLARED: Final = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([\w.:-]+)""")
_WESTERN: Final = frozenset(("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii"))
"""Encodings that browsers read as Windows-1252. Source: WHATWG Encoding Standard, 4.2."""
_HEAD: Final = 2000
"""Bytes in which a page or an XML file declares its encoding."""
_PLAIN: Final = re.compile(rb"[0-9A-Za-z\x80-\xff]*[\x80-\xff][0-9A-Za-z\x80-\xff]*")
"""A word with a letter beyond ASCII."""
_SILENT: Final = words_of(
    "script style template noscript svg iframe head object canvas math datalist"
).keys()
_INLINE: Final = words_of(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rp rt ruby s samp "
    "small span strike strong sub sup time tt u var wbr"
).keys()
_EMPTY: Final = frozenset(("br", "hr", "img", "input", "meta", "link", "col", "wbr", "source"))
_NO_VALUE: Final = frozenset(
    ("hidden", "submit", "button", "image", "password", "reset", "checkbox", "radio")
)
_DELIMITER: Final = re.compile(r'^\ufeff?"?sep=.?"?\r?\n')
_HTML_NAME: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")
_DECLARATION: Final = re.compile(r"^\s*<\?xml.*?\?>", re.DOTALL)
_FRONT: Final = re.compile(
    r"(---|\+\+\+)[ \t]*\r?\n(.*?\n)(?:---|\.\.\.|\+\+\+)[ \t]*(?:\r?\n|$)", re.DOTALL
)
_FRONT_NAME: Final = re.compile(
    r"^[\s-]*[\w-]+\s*[:=]|[{,]\s*\w+:|\[[\w.]+\]$|!\S+|(?:^|\s)#.*", re.MULTILINE
)
"""A name, a type or a comment."""
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)


def decoded(data: bytes, found: FileWords, encoding: str = "", declared: str = "") -> str:
    """The text of bytes; in an encoding that nothing names, its words in ASCII alone.

    Args:
        data: The bytes.
        found: Takes note if there are other words, or wrong bytes.
        encoding: The encoding that the user names.
        declared: The encoding that a mail names.
    """
    named = _DECLARED.search(data[:_HEAD])
    names = (
        *(name for mark, name in _BOMS if data.startswith(mark)),
        *([encoding] if encoding else []),
        *([declared] if declared else []),
        *([named[1].decode()] if named else []),
        *(["iso2022_kr"] if b"\x1b$)C" in data else ["iso2022_jp_2"] if b"\x1b$" in data else []),
        "utf-8",
    )
    for name in sorted(names, key=lambda name: name.lower() in _WESTERN):  # any text fits these
        try:
            text = data.decode(name)
            return data.decode("cp1252", "replace") if name.lower() in _WESTERN else text
        except (LookupError, UnicodeDecodeError):
            continue
    found.open = True
    if b"\0" in data or b"\x1b" in data:
        return ""
    return _PLAIN.sub(b" ", data).decode("ascii")


def encoding_of(head: bytes, given: str) -> str:
    """The encoding of a file that is read in parts, by its beginning; UTF-8 if nothing names it."""
    named = _DECLARED.search(head[:_HEAD])
    names = (
        *(name for mark, name in _BOMS if head.startswith(mark)),
        given,
        named[1].decode() if named else "",
    )
    for name in filter(None, names):
        with suppress(LookupError):
            codecs.lookup(name)
            return "cp1252" if name.lower() in _WESTERN else name
    return "utf-8-sig"


def find_text(source: Source, found: FileWords) -> None:
    """A text as it is."""
    found.text(decoded(source.read(), found, source.options.encoding))


def find_csv(source: Source, found: FileWords) -> None:
    """All cells; the first line may name the delimiter."""
    text = decoded(source.read(), found, source.options.encoding)
    found.text(_DELIMITER.sub("", text))


def find_markdown(source: Source, found: FileWords) -> None:
    """A text as it is; of front matter all values, and the names may be there."""
    text = decoded(source.read(), found, source.options.encoding).lstrip("\ufeff")
    if match := _FRONT.match(text):
        found.name(match[2])
        found.text(_FRONT_NAME.sub("", match[2]))
        text = text[match.end() :]
    found.text(text)


def find_html(source: Source, found: FileWords) -> None:
    """A web page."""
    of_html(decoded(source.read(), found, source.options.encoding), found)


def of_html(html: str, found: FileWords, place: str = "") -> None:
    """All texts of a page but scripts and styles, and the values of its fields."""
    page = _Page(found)
    page.feed(html)
    page.close()
    found.text("".join(page.texts), place)


class _Page(HTMLParser):
    """Collects the texts of a page."""

    def __init__(self, found: FileWords) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._found = found
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "body":
            self._silent = []
        elif tag in _SILENT:
            self._silent.append(tag)
        if tag not in _INLINE:
            self.texts.append("\n")
        if tag == "input" and not self._silent and values.get("type") not in _NO_VALUE:
            self.texts.append(f"{values.get('value', '')}\n")
        self._found.open |= tag == "math"  # a formula is written in another way
        for value in values.values():
            self._found.name(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        if tag not in _INLINE:
            self.texts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
        elif self._silent[-1] not in ("script", "style"):
            self._found.name(data)


def find_xml(source: Source, found: FileWords) -> None:
    """All texts and attributes; the names of elements may be there."""
    from defusedxml.ElementTree import fromstring

    text = decoded(source.read(), found, source.options.encoding)
    texts: list[str] = []
    plain = _HTML_NAME.sub(lambda name: unescape(name[0]), _DECLARATION.sub("", text))
    root = fromstring(plain)
    if SPREADSHEET in root.tag:
        _cells(root, found)
    else:
        _nodes(root, texts.append, found)
        found.text("".join(texts))


def _cells(book: Element, found: FileWords) -> None:
    for node in book.iter():
        text, kind = "".join(node.itertext()), node.get(f"{{{SPREADSHEET}}}Type")
        if node.tag.endswith("}Worksheet"):
            found.text(node.get(f"{{{SPREADSHEET}}}Name", ""))
        elif kind == "Number":
            found.number(float(text))
        elif kind == "DateTime":
            found.name(text.replace("T", " "))
        elif kind:
            found.text(text)


def _nodes(
    element: Element, add: Callable[[str], None], found: FileWords, *, within: bool = False
) -> None:
    found.name(" ".join(name.rpartition("}")[2] for name in (element.tag, *element.attrib)))
    found.text(" ".join(element.attrib.values()))
    if not len(element) and HTML.search(element.text or ""):
        of_html(element.text or "", found)
    else:
        add(element.text or "")
    within |= any((text or "").strip() for text in (element.text, *(node.tail for node in element)))
    for child in element:
        add("" if within else "\n")
        _nodes(child, add, found, within=within)
        add(child.tail or "")


def find_json(source: Source, found: FileWords) -> None:
    """All strings and numbers; a name that is there many times may be once."""
    text = decoded(source.read(), found, source.options.encoding)
    names: set[str] = set()

    def string(match: re.Match[str]) -> str:
        if match[2]:
            names.add(match[1])
            return " "
        strings.append(_unescaped(match[1]))
        return " "

    strings: list[str] = []
    strings.append(_STRING.sub(string, text))
    found.text("\n".join(strings))
    found.once("\n".join(map(_unescaped, names)))


def _unescaped(string: str) -> str:
    return str(json.loads(f'"{string}"', strict=False)) if "\\" in string else string


def find_notebook(source: Source, found: FileWords) -> None:
    """The cells of a notebook, and the texts that they printed."""
    book = json.loads(decoded(source.read(), found))
    about = book.get("metadata", {}).get("kernelspec", {})
    found.name(str(about.get("language", "python")))  # it is written before code
    for number, cell in enumerate(book.get("cells", ()), start=1):
        found.text(_joined(cell.get("source", "")), f"cell {number}")
        for output in cell.get("outputs", ()):
            data = output.get("data") or {}
            plain = _joined(data.get("text/plain") or "")
            if not plain or OBJECT.fullmatch(plain.strip()):
                plain = data.get("text/markdown") or data.get("text/latex") or ""
                of_html("" if plain else _joined(data.get("text/html") or ""), found)
            texts = (output.get("text"), plain)
            for text in (*texts, *(output.get(key) for key in ("ename", "evalue"))):
                found.text(_joined(text or ""), f"output of cell {number}")


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)
