"""Word files: text, numbers, boxes, notes, headers and imported parts, by their XML.

Pictures, embedded objects, hidden and deleted words are not read, but counted and named.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread, file_of
from hopyard.indexes.documents.readers.rtf import read_rtf
from hopyard.indexes.documents.readers.text import decode
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.indexes.documents.readers.word.blocks import (
    Block,
    Book,
    blocks_of,
    joined,
    note_blocks,
)
from hopyard.indexes.documents.readers.word.numbers import Numbering
from hopyard.indexes.documents.readers.word.package import Package, is_on, value
from hopyard.indexes.documents.readers.word.styles import Styles
from hopyard.indexes.documents.readers.word.text import Marks
from hopyard.state.errors import CorpusError

_DEEPEST: Final = 2
"""Word files in a Word file, one in the other."""
_NOTE_FORMS: Final = {"footnote": "decimal", "endnote": "lowerRoman"}
_NO_NOTES: Final = ("separator", "continuationSeparator", "continuationNotice")


def read_docx(source: Source) -> Iterator[Found]:
    """A Word document with its properties; headers and footers come first, each text once."""
    with source.open() as stream:
        package = Package(stream, source)
        metadata = package.parts.properties()
        blocks = _read(package)
    title = str(metadata.pop("title", "")) or _title(blocks)
    yield Content(title, [joined(blocks)], "markdown", metadata)
    if package.left_out:
        found = package.left_out.items()
        named = (f"{count:,} {name}{'s' * (count != 1)}" for name, count in found)
        yield Unread(", ".join(named), "not read")


def _title(blocks: list[Block]) -> str:
    headings = [block for block in blocks if block.level]
    titles = [block for block in headings if block.is_title]
    return " ".join(next(iter(titles or headings), Block("")).text.split())


def _read(package: Package, depth: int = 0) -> list[Block]:
    part = package.parts.document("word/document.xml")
    root = package.xml(part)
    if root is None:
        raise CorpusError(f"it has no readable part {part!r}")
    settings = package.xml(package.related(part, "settings"))
    styles = Styles(package.xml(package.related(part, "styles")))
    numbering = package.xml(package.related(part, "numbering"))
    forms = {
        kind: value(settings, f"{kind}Pr/numFmt") or form for kind, form in _NOTE_FORMS.items()
    }
    notes = {kind: _notes(package, part, kind) for kind in ("footnote", "endnote", "comment")}

    def imported(name: str) -> Iterable[Block]:
        return _imported(package, name, depth)

    book = Book(package, styles, numbering, Marks(forms), notes, imported)
    blocks = [*_edges(book, part, root, settings)]
    body = root.find("body")
    blocks += blocks_of(
        book, part, body if body is not None else root, Numbering(numbering, styles)
    )
    blocks += (
        block for node in notes["comment"][1] for block in note_blocks(book, "comment", node)
    )
    for kind in _NOTE_FORMS:
        if unused := sum((kind, node) not in book.used for node in notes[kind][1]):
            package.left_out[f"{kind} without a mark"] += unused
    return blocks


def _notes(package: Package, part: str, kind: str) -> tuple[str, dict[str, Element]]:
    name = package.related(part, f"{kind}s")
    root = package.xml(name)
    found = root.findall(kind) if root is not None else []
    return name, {node.get("id", ""): node for node in found if node.get("type") not in _NO_NOTES}


def _edges(book: Book, part: str, root: Element, settings: Element | None) -> Iterator[Block]:
    """The headers, then the footers, that Word shows, each text once."""
    seen = {""}
    shown = {
        "first": any(is_on(node, "titlePg") for node in root.iter("sectPr")),
        "even": bool(is_on(settings, "evenAndOddHeaders")),
    }
    for kind in ("header", "footer"):
        for node in root.iter(f"{kind}Reference"):
            name = book.package.linked(part, node.get("r_id", ""))
            if (edge := book.package.xml(name)) is None:
                continue
            blocks = [*blocks_of(book, name, edge)]
            if (text := joined(blocks)) not in seen:
                seen.add(text)
                if shown.get(node.get("type", ""), True):
                    yield from blocks
                else:
                    book.package.left_out[f"unused {kind}"] += 1
                    book.package.source.notes.leave_out(f"unused {kind}", text)


def _imported(package: Package, name: str, depth: int) -> Iterable[Block]:
    """The blocks of a part that is a file of its own."""
    data = package.data(name) or b""
    if data.startswith(b"PK") and depth < _DEEPEST:
        inner = Package(io.BytesIO(data), package.source)
        blocks = _read(inner, depth + 1)
        package.left_out.update(inner.left_out)
        return blocks
    if text := _text(data, file_of(data, name, package.source)).strip():
        return [Block(text)]
    package.left_out["imported part"] += 1
    return []


def _text(data: bytes, source: Source) -> str:
    """The text of an HTML, MHTML, RTF or plain file; "" for others."""
    kind = source.name.rpartition(".")[2].casefold()
    if data.startswith(b"{\\rtf"):
        (content,) = read_rtf(source)
        return "".join(content.text)
    if kind in ("mht", "mhtml"):
        mail = message_from_bytes(data, policy=default)
        part = mail.get_body(("html", "plain")) if isinstance(mail, EmailMessage) else None
        return html_to_markdown(part.get_content()) if part is not None else ""
    text = decode(data, source)
    if kind in ("htm", "html", "xhtml") or text.lstrip().startswith("<"):
        return html_to_markdown(text)
    return text if kind in ("txt", "text") else ""
