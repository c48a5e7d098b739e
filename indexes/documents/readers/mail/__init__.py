"""Mails with their attachments: the internet's format, and Outlook's."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from itertools import chain
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread, file_of, parts_of
from hopyard.indexes.documents.readers.mail.headers import LONGEST_HEADERS, from_headers, parsed
from hopyard.indexes.documents.readers.mail.leaves import (
    HTML,
    MAIL,
    OTHER_FORM,
    SEALED,
    Leaves,
    body_of,
    bytes_of,
    is_text,
)
from hopyard.indexes.documents.readers.mail.outlook import mail_of_msg, mail_of_package
from hopyard.indexes.documents.readers.mail.text import dates_of, payload_of, unpacked, web_pages_of
from hopyard.indexes.documents.readers.text import decode, plain_metadata
from hopyard.indexes.documents.readers.web import read_html
from hopyard.state.errors import CorpusError

_BARE_NAME: Final = re.compile(r"name=(=\?[^\s?]+\?[bBqQ]\?[^\s?]*\?=)")
"""An encoded name without the quotation marks that it needs."""


def read_eml(source: Source) -> Iterator[Found]:
    """A mail: its subject is the title; sender, recipients and date are metadata.

    All texts of the mail are its body, however they are nested; every other part is a file.
    """
    mail = parsed(from_headers(source.read()))
    if not mail.keys():
        raise CorpusError("not a readable mail: it has no headers")
    yield from _read(mail, source)


def read_mhtml(source: Source) -> Iterator[Found]:
    """A web page that a browser saved in one file; the pages of its frames are files in it."""
    pages = web_pages_of(parsed(from_headers(source.read())))
    if not pages:
        raise CorpusError("it holds no web page")
    page = file_of(payload_of(pages[0]), source.name, source)
    yield from read_html(page, str(pages[0].get_content_charset() or ""))
    frames = (
        (f"frame {number}.html", _page_of(each, source)) for number, each in enumerate(pages[1:], 1)
    )
    yield from parts_of(frames, source)


def _page_of(part: Message, source: Source) -> bytes:
    """A page as a file that says its encoding itself."""
    data, charset = payload_of(part), str(part.get_content_charset() or "")
    return BOM_UTF8 + decode(data, source, charset).encode() if charset else data


def read_msg(source: Source) -> Iterator[Found]:
    """A mail saved by Outlook, or an ordinary one that a program gave the same suffix."""
    from olefile import isOleFile  # of python-oxmsg
    from oxmsg import Message as Saved

    if not isOleFile(data=source.read()):
        yield from read_eml(source)
        return
    with source.open() as stream:
        yield from _read(mail_of_msg(Saved.load(stream), source), source)


def read_tnef(source: Source) -> Iterator[Found]:
    """A mail in Outlook's package that was saved as a file."""
    yield from _read(mail_of_package(source), source)


def _read(mail: EmailMessage, source: Source) -> Iterator[Found]:
    names = ("subject", "from", "to", "cc", "date", "received")
    heads = {name: _headers(mail, name) for name in names}
    subject, sender, *_, date, received = ("".join(values[:1]) for values in heads.values())
    metadata = {
        "author": sender,
        **{name: ", ".join(heads[name]) for name in ("to", "cc")},
        **dates_of(date or received.rpartition(";")[2]),
    }
    found = Leaves(source)
    leaves = list(found.of(mail))
    html = any(is_text(leaf) and leaf.get_content_type() == HTML for leaf in leaves)
    bodies, files, said = list[str](), list[tuple[str, bytes]](), set[str]()
    for text in filter(is_text, leaves):
        plain = unpacked(body_of(text, markdown=html))
        words = set(plain.text.split())
        if id(text) in found.packed and 2 * len(words & said) >= len(words):
            source.notes.leave_out(OTHER_FORM, plain.text)
            continue
        said |= words
        bodies.append(plain.text.strip())
        files += plain.files
        for kind, block in plain.left_out:
            source.notes.leave_out(kind, block)
            found.unread += [Unread(kind, SEALED)] * (kind == "encrypted text")
    yield Content(
        subject,
        ["\n\n".join(filter(None, bodies))],
        "markdown" if html else "text",
        plain_metadata(metadata),
    )
    yield from found.unread
    others = enumerate((leaf for leaf in leaves if not is_text(leaf)), start=1)
    yield from parts_of(
        chain(files, ((_file_name(part, at), bytes_of(part)) for at, part in others)), source
    )


def _headers(mail: EmailMessage, name: str) -> list[str]:
    """The headers of a name; decoding a very long header would take minutes."""
    raw = [value for key, value in mail.raw_items() if key.lower() == name]
    if sum(map(len, raw)) > LONGEST_HEADERS:
        return [" ".join(value.split()) for value in raw]
    return [str(value) for value in mail.get_all(name, ())]


def _file_name(part: EmailMessage, number: int) -> str:
    """The part's name, with the suffix of its kind if it has none; a forwarded mail's subject."""
    inner: Any = part.get_payload() if part.get_content_type() == MAIL else ()
    subject = str(inner[0].get("Subject", "")) if inner else ""
    if bare := _BARE_NAME.search(" ".join(value for _, value in part.raw_items())):
        part.set_param("name", str(make_header(decode_header(bare[1]))))
    name = part.get_filename() or subject or f"attachment {number}"
    if part.get_content_type() == MAIL:
        return f"{name.removesuffix('.eml')}.eml"
    return name if re.search(r"\.\w{1,5}$", name) else f"{name}{_suffix(part)}"


def _suffix(part: EmailMessage) -> str:
    import mimetypes

    kind = part.get_content_type()
    if kind == "application/octet-stream":
        return ""
    return ".rtf" if kind == "text/rtf" else mimetypes.guess_extension(kind) or ""
