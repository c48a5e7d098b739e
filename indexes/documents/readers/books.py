"""Electronic books."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.parts import Parts, local
from hopyard.indexes.documents.readers.text import decode, plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.indexes.documents.readers.xml_text import declared_encoding
from hopyard.state.errors import CorpusError

_CHAPTER: Final = (".xhtml", ".html", ".htm", ".xml")
_FONTS: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read_epub(source: Source) -> Iterator[Found]:
    """A book: its chapters one after the other, in the order in which they are read.

    The table of contents is left out. A chapter without a heading gets its name from there.
    """
    with source.open() as stream:
        parts = Parts(stream)
        path = _package(parts)
        package = parts.xml(path)
        title, author, date = (
            next(filter(None, map(_text, package.iterfind(f".//{{*}}{name}"))), "")
            for name in ("title", "creator", "date")
        )
        items = {item.get("id", ""): item for item in package.iterfind(".//{*}item")}
        spine = [item.get("idref", "") for item in package.iterfind(".//{*}itemref")]
        others = (
            node for node, item in items.items() if item.get("href", "").lower().endswith(_CHAPTER)
        )
        order = [items[node] for node in dict.fromkeys((*spine, *others)) if node in items]
        names = _names(parts, path, items.values())
        locked = _encrypted(parts)
        left_out = [
            Unread(node, "the book has no such item") for node in spine if node not in items
        ]

        def chapters() -> Iterator[str]:
            for item in order:
                href = item.get("href", "")
                name = parts.find(href, path)
                if "nav" in item.get("properties", "").split():
                    continue
                if not name or name in locked:
                    reason = "encrypted" if name else "the book has no such file"
                    left_out.append(Unread(href, reason))
                    continue
                # Whatever it unpacks to counts, because a few bytes may claim a gigabyte.
                try:
                    data = parts.read(name)
                except CorpusError as error:
                    left_out.append(Unread(href, str(error)))
                    continue
                source.allowance.take_bytes(len(data))
                text = html_to_markdown(decode(data, source, declared_encoding(data)))
                heading = names.get(name, "")
                if heading and text and not re.search(r"^#+ ", text, re.MULTILINE):
                    text = f"# {heading}\n\n{text}"
                yield f"{text}\n\n"

        if order and all(parts.find(item.get("href", ""), path) in locked for item in order):
            raise CorpusError("its chapters are encrypted (DRM); export it without")
        metadata = plain_metadata({"author": author, "date": date})
        yield Content(title, chapters(), "markdown", metadata)
        yield from left_out


def _package(parts: Parts) -> str:
    """The part that lists the contents, also where the container does not name it."""
    named = [
        found
        for node in parts.optional("META-INF/container.xml").iterfind(".//{*}rootfile")
        if (found := parts.find(node.get("full-path", "")))
    ]
    lists = [*named, *(name for name in parts.names if name.lower().endswith(".opf"))]
    if not lists:
        raise CorpusError("it does not name its contents")
    return lists[0]


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _encrypted(parts: Parts) -> set[str]:
    """The parts that are encrypted; fonts often are in books without protection."""
    locked: set[str] = set()
    for data in parts.optional("META-INF/encryption.xml").iterfind(".//{*}EncryptedData"):
        methods = {node.get("Algorithm") for node in data.iterfind(".//{*}EncryptionMethod")}
        if methods.isdisjoint(_FONTS):
            links = data.iterfind(".//{*}CipherReference")
            locked.update(parts.find(node.get("URI", "")) for node in links)
    return locked - {""}


def _names(parts: Parts, package: str, items: Iterable[Element]) -> dict[str, str]:
    """The names of the chapters in the table of contents, by their parts."""
    names: dict[str, str] = {}
    for item in items:
        is_nav = "nav" in item.get("properties", "").split()
        if not is_nav and item.get("media-type") != "application/x-dtbncx+xml":
            continue
        part = parts.find(item.get("href", ""), package)
        try:
            root = parts.xml(part)
        except CorpusError:
            continue
        for node in root.iter():
            if local(node) == "a" and is_nav:
                names.setdefault(parts.find(node.get("href", ""), part), _text(node))
            elif local(node) == "navPoint":
                label, link = node.find("{*}navLabel"), node.find("{*}content")
                if label is not None and link is not None:
                    names.setdefault(parts.find(link.get("src", ""), part), _text(label))
    return names
