"""Outlook's own forms of a mail, `.msg` and the package `winmail.dat` (TNEF), as other mails.

Sources: Microsoft, MS-OXTNEF (the package), MS-OXPROPS (properties), MS-OXRTFCP (its Rich Text).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from email.errors import MessageDefect
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Source, file_of
from hopyard.indexes.documents.readers.rtf import read_rtf
from hopyard.indexes.documents.readers.text import decoded
from hopyard.state.errors import CorpusError

_SIGNATURE: Final = 0x223E9F78
_SUBJECT, _BODY, _TITLE, _DATA, _FILE, _PROPERTIES, _FILE_PROPERTIES = (
    *(0x8004, 0x800C, 0x8010, 0x800F, 0x9002, 0x9003, 0x9005),
)
"""Attributes of a package (MS-OXTNEF, 2.1.2)."""
_P_SUBJECT, _P_BODY, _P_RTF, _P_HTML, _P_NAME, _P_DATA, _P_LONG_NAME = (
    *(0x0037, 0x1000, 0x1009, 0x1013, 0x3001, 0x3701, 0x3707),
)
"""Properties (MS-OXPROPS)."""
_SIZES: Final = {5: 8, 6: 8, 7: 8, 0x14: 8, 0x40: 8, 0x48: 16}
"""Bytes of a value by its type; others have four."""
_TEXTS: Final = {0x1E: "", 0x1F: "utf-16-le"}
_OBJECT: Final = 0x0D
_VARIABLE: Final = (*_TEXTS, _OBJECT, 0x102)
_OBJECT_ID: Final = 16
_EMBEDDED: Final = "__substg1.0_3701000D"
_MOST_NESTED: Final = 3
_RTF_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""The text that a compressed one may refer to (MS-OXRTFCP, 2.1.2.1)."""


class PackageDefect(MessageDefect):
    """A package that is broken, and was read as far as it goes."""


def mail_of_package(source: Source, depth: int = 0) -> EmailMessage:
    """The mail in a package, with its files.

    Raises:
        CorpusError: It is no package, or ends too early.
    """
    data = _Bytes(source.read())
    if data.number(4) != _SIGNATURE or depth > _MOST_NESTED:
        raise CorpusError("not a readable package of Outlook (TNEF)")
    data.number(2)
    texts, files, defects = dict[int, bytes](), list[dict[int, bytes]](), list[MessageDefect]()
    while data.left > 8:  # a level, a name and a size
        data.number(1)
        name = data.number(4) & 0xFFFF
        if (size := data.number(4)) > data.left:
            defects.append(PackageDefect("the package ends too early"))
        value = data.take(min(size, data.left))
        data.take(min(2, data.left))
        if name == _FILE:
            files.append({})
        elif name in (_PROPERTIES, _FILE_PROPERTIES):
            about = files[-1] if name == _FILE_PROPERTIES and files else texts
            try:
                about.update(_properties(_Bytes(value)))
            except CorpusError as error:
                defects.append(PackageDefect(str(error)))
        elif name in (_TITLE, _DATA) and files:
            files[-1].setdefault(_P_NAME if name == _TITLE else _P_DATA, value)
        elif name in (_SUBJECT, _BODY):
            texts.setdefault(_P_SUBJECT if name == _SUBJECT else _P_BODY, value)
    plain, html = _text(texts.get(_P_BODY, b"")), _text(texts.get(_P_HTML, b""))
    subject = {"Subject": _text(texts.get(_P_SUBJECT, b""))}
    mail = _mail(subject, plain, html, texts.get(_P_RTF, b""), source)
    mail.defects = defects[:1]
    for file in files:
        title = _text(file.get(_P_LONG_NAME) or file.get(_P_NAME, b""))
        value = file.get(_P_DATA, b"")
        if value[:4] == _SIGNATURE.to_bytes(4, "little"):
            mail.add_attachment(mail_of_package(file_of(value, title, source), depth + 1))
        else:
            _attach(mail, title, value)
    return mail


def mail_of_msg(saved: Any, like: Source, depth: int = 0) -> EmailMessage:
    """The mail that Outlook saved, as python-oxmsg reads it, with its files and mails."""
    from oxmsg import Message

    sent, headers = saved.sent_date, saved.message_headers
    about = {name.title(): value for name, value in headers.items()}
    about = {name: about.get(name, "") for name in ("To", "Cc", "Date")}
    about |= {"Subject": saved.subject, "From": saved.sender or ""}
    if isinstance(sent, datetime):
        about["Date"] = format_datetime(sent)
    rtf = saved.properties.binary_prop_value(_P_RTF) or b""
    mail = _mail(about, saved.body or "", saved.html_body or "", rtf, like)
    for part in saved.attachments:
        inner = [each for each in part._storage.storages if each.name == _EMBEDDED]
        if inner and depth < _MOST_NESTED:
            mail.add_attachment(mail_of_msg(Message(_with_long_head(inner[0])), like, depth + 1))
        else:
            _attach(mail, part.file_name or "", part.file_bytes or b"")
    return mail


def _with_long_head(storage: Any) -> Any:
    """A mail in a mail, whose properties begin after 24 bytes, as one that begins after 32."""
    streams = (
        replace(each, bytes_=each.bytes_[:24] + bytes(8) + each.bytes_[24:])
        if each.name == "__properties_version1.0"
        else each
        for each in storage.streams
    )
    return replace(storage, streams=tuple(streams))


def _mail(
    about: Mapping[str, str], plain: str, html: str, rtf: bytes, like: Source
) -> EmailMessage:
    """A mail with the text that it has: plain, of its page, or of its compressed Rich Text."""
    mail = EmailMessage(policy=SMTP)
    for name, value in about.items():
        mail[name] = " ".join(value.replace("\0", "").split())
    if rtf and not (plain.strip() or html):
        [content] = read_rtf(file_of(rtf_of(rtf), "message.rtf", like))
        plain = "".join(content.text)
    is_page = html and not plain.strip()
    mail.set_content((html if is_page else plain).rstrip("\0"), "html" if is_page else "plain")
    return mail


def _attach(mail: EmailMessage, name: str, data: bytes) -> None:
    name = " ".join(name.rstrip("\0").split())
    mail.add_attachment(data, "application", "octet-stream", filename=name or None)


def rtf_of(data: bytes) -> bytes:
    """Rich Text out of its compressed form (MS-OXRTFCP, 2.1.3.1).

    Raises:
        CorpusError: It is in no known form.
    """
    if data[8:12] == b"MELA":
        return data[16:]
    if data[8:12] != b"LZFu":
        raise CorpusError("its Rich Text is compressed in an unknown way")
    found, place, size = bytearray(_RTF_START), 16, len(_RTF_START)
    while place < len(data):
        control, place = data[place], place + 1
        for bit in range(8):
            if not control >> bit & 1:
                found += data[place : place + 1]
                place += 1
                continue
            pair, place = int.from_bytes(data[place : place + 2], "big"), place + 2
            # The place is one in a ring of 4096 letters; the newest is before its end.
            back = (len(found) - (pair >> 4)) % 4096
            if not back or place > len(data):
                return bytes(found[size:])
            for _ in range((pair & 15) + 2):
                found.append(found[-back] if back <= len(found) else 32)
    return bytes(found[size:])


class _Bytes:
    """Bytes that are taken from their beginning."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._place

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise CorpusError("not a readable package of Outlook (TNEF): it ends too early")
        self._place += count
        return self._data[self._place - count : self._place]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")


def _properties(data: _Bytes) -> Iterator[tuple[int, bytes]]:
    """The properties of a mail or a file, by their ids; texts in UTF-8 (MS-OXTNEF, 2.1.3.4)."""
    for _ in range(data.number(4)):
        kind, name = data.number(2), data.number(2)
        if name >= 0x8000:
            data.take(16)
            if data.number(4):
                data.take(_padded(data.number(4)))
            else:
                data.take(4)
        is_variable = kind & 0xFFF in _VARIABLE
        for _ in range(data.number(4) if is_variable or kind & 0x1000 else 1):
            size = data.number(4) if is_variable else _SIZES.get(kind & 0xFFF, 4)
            value = data.take(_padded(size))[_OBJECT_ID * (kind == _OBJECT) : size]
            if encoding := _TEXTS.get(kind):
                value = value.decode(encoding, "replace").encode()
            yield name, value


def _padded(size: int) -> int:
    return -(-size // 4) * 4


def _text(data: bytes) -> str:
    return decoded(data.rstrip(b"\0")) if data.rstrip(b"\0") else ""
