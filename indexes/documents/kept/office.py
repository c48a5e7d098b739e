"""All characters of office files, OpenDocument and books: the text nodes of their XML parts."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

from hopyard.indexes.documents.kept.compare import OTHER, FileWords
from hopyard.indexes.documents.kept.markup import decoded, of_html
from hopyard.indexes.documents.readers.base import Source

_BREAKS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "ptab": "\t", "noBreakHyphen": "-"}
_NOT_READ: Final = frozenset(
    ("Fallback", "del", "moveFrom", "instrText", "delText", "rPr", "pPr", "sectPr", "ffData")
)
"""The other form of a text box, what was deleted, instructions of fields, properties."""
_NAMES: Final = ("author", "displayText", "lvlText", "formatCode", "ref", "descr")
"""Attributes whose values a document may have."""
_PLACES: Final = {
    "txbxContent": "text box",
    "comment": "comment",
    "cm": "comment",
    "threadedComment": "comment",
    "footnote": "footnote",
    "endnote": "endnote",
}
_ROOTS: Final = {
    "document": "",
    "footnotes": "",
    "endnotes": "",
    "comments": "",
    "cmLst": "",
    "ThreadedComments": "",
    "hdr": "header",
    "ftr": "footer",
    "dataModel": "diagram",
    "wsDr": "text box",
    "sld": "slide",
    "notes": "note of slide",
}
"""The parts with text, by their outermost element. Cells are found by calamine."""
_CHARTS: Final = ("chartSpace", "chart")
_READ: Final = frozenset((*_ROOTS, *_CHARTS, "numbering", "styleSheet"))
_ROOT: Final = re.compile(rb"<(?:\w+:)?(\w+)")
NO_DATE: Final = re.compile(r'"[^"]*"|\\.|\[[^]]*\]')
"""The parts of a number's format that are shown as they are."""
_CHART_TEXTS: Final = frozenset(("t", "v", "pt"))
_REPEATED: Final = ("ftr", "hdr", "sldNum", "dt")
"""Placeholders that slides repeat: footers, numbers, dates."""
_NO_POINTS: Final = ("pres", "parTrans", "sibTrans")
"""Points of a diagram that hold no text of their own."""
_SIGNS: Final = ("Wingdings", "Webdings", "Symbol")
"""Fonts whose letters are signs."""
_NUMBER: Final = re.compile(r"(\d+)\.xml$")
_ODF_PLACES: Final = {"annotation": "comment", "note-body": "footnote", "text-box": "text box"}
_ODF_SPACES: Final = frozenset(("s", "tab", "line-break"))
_ODF_NAMES: Final = frozenset(("creator", "date", "date-string", "note-citation"))
_ODF_BLOCKS: Final = frozenset(("p", "h", "table-cell", "list-item", "title", "desc"))
_PAGES: Final = re.compile(r".*\.x?html?", re.IGNORECASE)
_TAG: Final = re.compile(r"<[^>]*>")
_CONTENTS: Final = re.compile(r"<nav\b|epub:type=.toc")


def find_office(source: Source, found: FileWords) -> None:
    """All texts of a Word file or of slides: boxes, notes, comments, headers, charts, diagrams."""
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if name.endswith(".xml"):
                data = archive.read(name)
                if (root := _ROOT.search(data)) and root[1].decode() in _READ:
                    _part(name, fromstring(data), found)
            elif _PAGES.fullmatch(name):
                of_html(decoded(archive.read(name), found), found, "imported part")
            elif name.endswith((".mht", ".docx", ".txt")):
                found.open = True


def find_odf(source: Source, found: FileWords) -> None:
    """The text, tables, notes and comments of an OpenDocument file."""
    with source.open() as stream:
        if zipfile.is_zipfile(stream):
            with zipfile.ZipFile(stream) as archive:
                root = fromstring(archive.read("content.xml"))
                for name in archive.namelist():  # headers and footers, formulas, charts
                    if name == "styles.xml" or name.endswith("/content.xml"):
                        found.name(" ".join(fromstring(archive.read(name)).itertext()))
        else:
            root = fromstring(source.read())
    body = next(node for node in root if _local(node) == "body")
    found.text(_odf(body, found))


def find_epub(source: Source, found: FileWords) -> None:
    """All pages of a book; the names in its lists of contents may be there."""
    with source.open() as stream, zipfile.ZipFile(stream) as book:
        for name in book.namelist():
            if name.endswith(".ncx"):
                found.name(" ".join(fromstring(book.read(name)).itertext()))
            elif _PAGES.fullmatch(name):
                text = decoded(book.read(name), found)
                if _CONTENTS.search(text):
                    found.name(_TAG.sub(" ", text))
                else:
                    of_html(text, found, f'chapter "{name}"')


def _part(part: str, root: Element, found: FileWords) -> None:
    """The texts of a part of an office file."""
    for element in root.iter():
        for attribute, value in element.items():
            name = attribute.rpartition("}")[2]
            if name in _NAMES:
                found.name(value)
            elif name == "fullDate":
                found.name(value.partition("T")[0])
        if _local(element) in ("lvlText", "listEntry"):
            found.name(" ".join(element.attrib.values()))
    kind = _local(root)
    if kind in _CHARTS:
        _chart(root, found)
    elif kind in _ROOTS:
        _pass_over_stand_ins(root, found)
        number = _NUMBER.search(part)
        place = _ROOTS[kind]
        _collect(root, found, f"{place} {number[1]}" if number and "slide" in place else place)


def _pass_over_stand_ins(root: Element, found: FileWords) -> None:
    """Excel writes an ordinary comment beside each comment of a thread."""
    authors = enumerate(root.findall("{*}authors/{*}author"))
    threads = {str(at) for at, author in authors if (author.text or "").startswith("tc=")}
    for comment in root.findall("{*}commentList/{*}comment"):
        if comment.get("authorId") in threads:
            found.name("".join(comment.itertext()))
            comment.clear()


def _collect(root: Element, found: FileWords, place: str) -> None:
    """The texts of a part; text boxes, comments and notes in it are places of their own."""
    texts: list[str] = []
    _texts(root, texts.append, found)
    text = "".join(texts)
    if place in ("header", "footer"):  # several kinds of pages may have the same
        found.once(text, place)
    else:
        found.text(text, place)


def _texts(element: Element, add: Callable[[str], None], found: FileWords) -> None:
    for child in element:
        tag = _local(child)
        if tag in _NOT_READ or (tag == "tr" and child.find("./*/{*}del") is not None):
            continue
        if tag == "fld" or _is_hidden(tag, child):  # the number of a slide, a ticked box
            found.name("".join(child.itertext()))
        elif tag in ("t", "text"):
            add(child.text or "")
            _texts(child, add, found)
        elif tag == "sym" or (tag == "r" and _is_sign(child)):
            add(OTHER)
        elif tag == "textpath":
            add(f" {child.get('string', '')} ")
        elif tag in _BREAKS:
            add(_BREAKS[tag])
        elif place := _PLACES.get(tag, ""):
            _collect(child, found, place)
        else:
            _texts(child, add, found)
            if tag in ("p", "tc", "si"):
                add("\n")


def _is_hidden(tag: str, element: Element) -> bool:
    if tag == "sp":
        place = element.find("{*}nvSpPr/{*}nvPr/{*}ph")
        return place is not None and place.get("type") in _REPEATED
    if tag == "pt":
        return element.get("type") in _NO_POINTS
    if tag == "r":
        return element.find("{*}rPr/{*}vanish") is not None
    return tag == "sdt" and element.find("{*}sdtPr/{*}checkbox") is not None


def _is_sign(run: Element) -> bool:
    fonts = run.find("{*}rPr/{*}rFonts")
    return fonts is not None and any(value.startswith(_SIGNS) for value in fonts.attrib.values())


def _chart(root: Element, found: FileWords) -> None:
    """The texts and numbers of a chart, which repeats its categories."""
    texts: list[str] = []
    code = ""
    for element in root.iter():
        if _local(element) == "formatCode":
            code = NO_DATE.sub("", element.text or "")
        if _local(element) not in _CHART_TEXTS or not (text := (element.text or "").strip()):
            continue
        try:
            number = float(text)
        except ValueError:
            # The field of a label, such as [VALUE], is no text.
            (found.name if text[0] + text[-1] == "[]" else texts.append)(text)
            continue
        if "y" in code or "d" in code:
            found.name(str(datetime(1899, 12, 30) + timedelta(days=number)))
        else:
            found.number(number)
    found.once("\n".join(texts), "chart")


def _odf(element: Element, found: FileWords) -> str:
    texts = [element.text or ""]
    for child in element:
        tag = _local(child)
        if tag in _ODF_NAMES:
            found.name("".join(child.itertext()))
        elif tag == "forms":
            for field in child.iter():
                found.name(" ".join((field.text or "", *field.attrib.values())))
        elif tag in _ODF_SPACES:
            texts.append(" ")
        elif place := _ODF_PLACES.get(tag, ""):
            found.text(_odf(child, found), place)
        elif tag != "tracked-changes":
            if tag == "table":
                found.name(next((v for k, v in child.items() if k.endswith("}name")), ""))
            texts.append(_odf(child, found))
            texts.append("\n" if tag in _ODF_BLOCKS else "")
        texts.append(child.tail or "")
    return "".join(texts)


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
