"""Electronic books."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        about = {
            name: next(
                (text for node in package.iter() if local(node) == tag and (text := _text(node))),
                "",
            )
            for name, tag in (("title", "title"), ("author", "creator"), ("date", "date"))
        }
        title = about.pop("title")
        items = {item.get("id"): item for item in package.iter() if local(item) == "item"}
        others = (
            node for node, item in items.items() if item.get("href", "").lower().endswith(_CHAPTER)
        )
        listed = dict.fromkeys((*_spine(package), *others))
        order = [items[node] for node in listed if node in items]
        names = _names(parts, path, list(items.values()))
        locked = _encrypted(parts)
        left_out = [
            Unread(reference, "the book has no such item")
            for reference in _spine(package)
            if reference not in items
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
        yield Content(title, chapters(), "markdown", plain_metadata(about))
        yield from left_out


def _package(parts: Parts) -> str:
    """The part that lists the contents, also where the container does not name it."""
    named = [
        found
        for node in parts.optional("META-INF/container.xml").iter()
        if local(node) == "rootfile" and (found := parts.find(node.get("full-path", "")))
    ]
    lists = [*named, *(name for name in parts.names if name.lower().endswith(".opf"))]
    if not lists:
        raise CorpusError("it does not name its contents")
    return lists[0]


def _spine(package: Element) -> list[str]:
    return [item.get("idref", "") for item in package.iter() if local(item) == "itemref"]


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _encrypted(parts: Parts) -> set[str]:
    """The parts that are encrypted; fonts often are in books without protection."""
    locked: set[str] = set()
    for node in parts.optional("META-INF/encryption.xml").iter():
        if local(node) == "EncryptedData":
            methods = [
                inner.get("Algorithm")
                for inner in node.iter()
                if local(inner) == "EncryptionMethod"
            ]
            links = [
                inner.get("URI", "") for inner in node.iter() if local(inner) == "CipherReference"
            ]
            if not set(methods) & set(_FONTS):
                locked.update(map(parts.find, links))
    return locked - {""}


def _names(parts: Parts, package: str, items: Sequence[Element]) -> dict[str, str]:
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
                label = next((_text(inner) for inner in node if local(inner) == "navLabel"), "")
                links = [inner.get("src", "") for inner in node if local(inner) == "content"]
                names.setdefault(parts.find(links[0], part) if links else "", label)
    return names
