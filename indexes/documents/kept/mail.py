"""All texts of mails, and of Rich Text."""

from __future__ import annotations

import re
import struct
import zlib
from collections import Counter
from contextlib import suppress
from email import message_from_bytes
from email.message import Message
from typing import Any, Final

from hopyard.indexes.documents.kept.compare import OTHER, FileWords
from hopyard.indexes.documents.kept.markup import decoded, of_html
from hopyard.indexes.documents.kept.words import words_of
from hopyard.indexes.documents.readers.base import Source, file_of
from hopyard.indexes.documents.readers.cards import joined, unfolded
from hopyard.indexes.documents.readers.mail.headers import from_headers
from hopyard.indexes.documents.readers.mail.text import (
    base64_text,
    payload_of,
    unpacked,
    web_pages_of,
)

_EVENT_VALUES: Final = re.compile(
    r'^(?:SUMMARY|LOCATION|DESCRIPTION|FN|NOTE)(?:[^":\n]|"[^"\n]*")*:(.*)$',
    re.MULTILINE | re.IGNORECASE,
)
_ALARM: Final = re.compile(r"BEGIN:VALARM\n(?:(?!BEGIN:VALARM).*\n)*?END:VALARM")
_FILES: Final = ("text/rtf", "text/markdown", "text/csv", "text/xml")
_PLAIN_DATA: Final = bytes.fromhex("06092a864886f70d010701")
"""The identifier before the text in a signature. Source: RFC 5652, 4."""
_BODY, _PROPERTIES = 0x0002800C, 0x00069003
"""Attributes of Outlook's package (MS-OXTNEF, 2.1.2)."""
_FORM: Final = re.compile(
    rb"(\x1e\x00|\x1f\x00|\x02\x01)([\x00\x13\x09])\x10\x01\x00\x00\x00(.{4})", re.DOTALL
)
"""The head of a property with a form of the text: plain, a page, Rich Text (MS-OXPROPS)."""
_RTF: Final = re.compile(
    r"\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}]+)", re.DOTALL
)
_RTF_SILENT: Final = words_of(
    "fonttbl colortbl stylesheet info pict object listtable listoverridetable rsidtbl themedata "
    "colorschememapping latentstyles datastore generator fldinst pntext xmlnstbl filetbl revtbl "
    "header headerl headerr headerf footer footerl footerr footerf bkmkstart bkmkend shp upr"
).keys()
_RTF_BREAKS: Final = words_of("par line tab cell row sect page nestcell nestrow").keys()


def find_eml(source: Source, found: FileWords) -> None:
    """All texts of a mail that are not attached to it, also within a signature or a package."""
    _texts(message_from_bytes(from_headers(source.read())), found, source)


def find_mhtml(source: Source, found: FileWords) -> None:
    """The first page of a saved web page; those of its frames are documents of their own."""
    page = web_pages_of(message_from_bytes(from_headers(source.read())))[0]
    charset = str(page.get_content_charset() or "")
    of_html(decoded(payload_of(page), found, source.options.encoding, charset), found)


def find_tnef(source: Source, found: FileWords) -> None:
    """The texts of Outlook's package, which may say the same as others of the mail."""
    data, place, form = source.read(), 6, FileWords()
    forms: dict[int, bytes] = {}
    while place + 9 <= len(data):
        _, name, size = struct.unpack_from("<BII", data, place)
        value = data[place + 9 : place + 9 + size]
        place += size + 11
        if name == _BODY:
            forms.setdefault(0, value)
        elif name == _PROPERTIES:
            for head in _FORM.finditer(value):
                text = value[head.end() : head.end() + int.from_bytes(head[3], "little")]
                is_wide = head[1] == b"\x1f\0"
                forms[head[2][0]] = text.decode("utf-16-le").encode() if is_wide else text
    plain, html, rtf = (forms.get(kind, b"").rstrip(b"\0") for kind in (0, 0x13, 0x09))
    if plain.strip():
        form.text(decoded(plain, form))
    elif html:
        of_html(decoded(html, form), form)
    elif rtf:
        _find_packed_rtf(forms[0x09], form, source)
    found.words |= form.words
    found.names |= form.names
    found.open |= form.open


def _find_packed_rtf(data: bytes, found: FileWords, source: Source) -> None:
    """Rich Text, by another unpacker than the reader's."""
    try:
        from compressed_rtf import decompress

        text = decompress(data)
    except Exception:  # the package raises it as it is; without the package nothing is compared
        found.open = True
    else:
        find_rtf(file_of(text, "message.rtf", source), found)


def _within(data: bytes) -> bytes:
    """The mail in an envelope: its octet strings, piece by piece. Source: X.690, 8."""
    _, mark, rest = data.partition(_PLAIN_DATA)
    found, place = bytearray(), 0
    is_within = bool(mark) and rest[:1] == b"\xa0"
    while is_within and place + 1 < len(rest):
        tag, size, head = rest[place], rest[place + 1], 2
        if size > 0x80:
            head += size & 0x7F
            size = int.from_bytes(rest[place + 2 : place + head], "big")
        place += head
        if tag == 4:
            found += rest[place : place + size]
            place += size
        elif tag not in (0, 0x24, 0xA0) or (tag == 0xA0 and found):  # not around pieces
            break
    with suppress(zlib.error):
        return zlib.decompress(found)
    return bytes(found)


def _texts(part: Message, found: FileWords, source: Source) -> None:
    kind = part.get_content_type()
    if part.is_multipart():
        inner: Any = part.get_payload() if kind != "message/rfc822" else ()  # another document
        forms = [FileWords() for _ in inner]
        if kind == "message/delivery-status":
            found.text("\n".join(map(str, inner)))
            return
        for each, form in zip(inner, forms, strict=True):
            _texts(each, form if kind == "multipart/alternative" else found, source)
        said: Counter[str] = Counter()
        for form in forms:  # of the same text
            found.names |= form.names | (said & form.words).keys()  # two languages share words
            said |= form.words
            found.open |= form.open
        found.words.update(said)
        return
    data = payload_of(part)
    if kind.endswith(("/pkcs7-mime", "/x-pkcs7-mime")):
        if mail := _within(data):
            _texts(message_from_bytes(mail), found, source)
        return
    if kind.endswith("ms-tnef") or part.get_filename("").lower() == "winmail.dat":
        find_tnef(file_of(data, "winmail.dat", source), found)
        return
    if part.get_content_disposition() == "attachment" or part.get_filename() or kind in _FILES:
        return
    text = decoded(base64_text(part, data), found, declared=str(part.get_content_charset() or ""))
    if kind == "text/html":
        of_html(text, found)
    elif kind == "text/calendar":
        _find_values(text, found)
    elif part.get_content_maintype() in ("text", "multipart"):
        plain = unpacked(text.replace("\r\n", "\n"))
        text = "\n".join((plain.text, *(block for _, block in plain.left_out)))
        if str(part.get_param("delsp")).lower() == "yes":
            text = re.sub(r"(?m) \r?\n(?=[^>\s])", "", text)
        found.text(text)


def find_cards(source: Source, found: FileWords) -> None:
    """The texts of events and people."""
    _find_values(decoded(joined(source.read()), found), found)


def _find_values(text: str, found: FileWords) -> None:
    plain = _ALARM.sub("", unfolded(text))
    if "QUOTED-PRINTABLE" not in plain.upper():
        found.text("\n".join(_EVENT_VALUES.findall(plain.replace("\\n", " "))))
    found.name(plain)
    found.open = True  # times are written in another form


def find_msg(source: Source, found: FileWords) -> None:
    """The body of a mail by Outlook: its plain text, its page or its Rich Text (MS-OXPROPS)."""
    from olefile import OleFileIO, isOleFile  # of python-oxmsg

    if not isOleFile(data=source.read()):
        find_eml(source, found)
        return
    with source.open() as stream, OleFileIO(stream) as file:
        for name, encoding in (("1000001F", "utf-16-le"), ("1000001E", ""), ("10130102", "")):
            if file.exists(f"__substg1.0_{name}"):
                data = file.openstream(f"__substg1.0_{name}").read()
                text = decoded(data, found, declared=encoding)
                of_html(text, found) if name == "10130102" else found.text(text)
                return
        if file.exists("__substg1.0_10090102"):
            _find_packed_rtf(file.openstream("__substg1.0_10090102").read(), found, source)


def find_rtf(source: Source, found: FileWords) -> None:
    """The body of an RTF file. The document may have the words of boxes, notes and headers, too.

    Words whose code page is not known are not compared.
    """
    texts: list[str] = []
    others: list[str] = []
    silent: list[bool] = [False]
    after = [1]  # characters that stand for a Unicode one, and are passed over
    over = 0
    for word, number, code, sign, brace, text in _RTF.findall(source.read().decode("latin-1")):
        if word in ("v", "deleted") and number != "0":
            silent[-1] = True
        if brace:
            others.append(" ")
        if brace == "{":
            silent.append(silent[-1])
            after.append(after[-1])
        elif brace and len(silent) > 1:
            silent.pop()
            after.pop()
        elif word in _RTF_SILENT or sign == "*":
            silent[-1] = True
        elif word == "uc":
            after[-1] = int(number or 1)
        else:
            said = others if silent[-1] else texts
            if word == "u":
                said.append(chr(int(number) % 0x10000))
                over = after[-1]
            elif code:
                letter = chr(int(code, 16))
                said.append("" if over else letter if letter.isascii() else OTHER)
                over = max(over - 1, 0)
            elif text:
                plain = re.sub(r"[\r\n]", "", text)
                said.append(plain[over:])
                over = max(over - len(plain), 0)
            else:
                said.append("\n" if word in _RTF_BREAKS else " " if sign == "~" else "")
    body, rest = (
        "".join(said).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        for said in (texts, others)
    )
    found.open |= OTHER in body + rest
    found.text(body)
    found.name(rest)
