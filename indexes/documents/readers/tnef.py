"""`winmail.dat`: the files and the text that Outlook packs for itself.

Sources: MS-OXTNEF for the parts, MS-OXRTFCP for compressed Rich Text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.documents.readers.base import Content, Found, Part, PartNames, Source, file_of
from hopyard.state.errors import CorpusError

_Values = dict[int, bytes | str]
_SIGNATURE: Final = b"\x78\x9f\x3e\x22"
_SUBJECT, _BODY, _PROPERTIES = 0x18004, 0x2800C, 0x69003
_FILE, _TITLE, _DATA, _FILE_PROPERTIES = 0x69002, 0x18010, 0x6800F, 0x69005
_SIZES: Final = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16}
_TEXT_8, _TEXT_16, _BYTES, _OBJECT = 0x1E, 0x1F, 0x102, 0x0D
_LONG_NAME, _OBJECT_DATA, _PLAIN, _PAGE, _RICH = 0x3707, 0x3701, 0x1000, 0x1013, 0x1009
_RICH_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier"
    b"{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def read_tnef(source: Source) -> Iterator[Found]:
    """The text, and each file as a part."""
    yield from tnef_parts(source.read(), source, PartNames(), text=True)


def tnef_parts(data: bytes, like: Source, names: PartNames, *, text: bool) -> Iterator[Found]:
    """The files of a `winmail.dat`.

    Args:
        data: Its bytes.
        like: The file that it is in.
        names: The names of the files there.
        text: Whether its own text is wanted: the mail around it has none.

    Raises:
        CorpusError: It is damaged.
    """
    try:
        mail, files = _mail_and_files(data)
    except (struct.error, IndexError, ValueError) as error:
        raise CorpusError(f"not a readable winmail.dat ({error})") from error
    if text and (plain := mail.get(_PLAIN)):
        yield Content(str(mail.get(_SUBJECT, "")), [str(plain)], "text")
    elif text and (page := mail.get(_PAGE)):
        files.insert(0, {_LONG_NAME: "text.html", _DATA: page})
    elif text and (rich := mail.get(_RICH)):
        files.insert(0, {_LONG_NAME: "text.rtf", _DATA: _rich(_bytes(rich))})
    for number, file in enumerate(files, start=1):
        like.allowance.take_part()
        content = _bytes(file.get(_OBJECT_DATA) or file.get(_DATA, b""))
        like.allowance.take_bytes(len(content))
        name = str(file.get(_LONG_NAME) or file.get(_TITLE) or f"attachment {number}")
        if content[16:20] == _SIGNATURE:  # a mail of Outlook, behind the name of its kind
            name, content = f"{name}.tnef", content[16:]
        yield Part(names.free(name), file_of(content, name, like))


def _mail_and_files(data: bytes) -> tuple[_Values, list[_Values]]:
    mail: _Values = {}
    files: list[_Values] = []
    for kind, value in _attributes(data):
        if kind in (_SUBJECT, _BODY):
            mail.setdefault(_PLAIN if kind == _BODY else kind, _text(value))
        elif kind == _PROPERTIES:
            mail |= dict(_properties(value))
        elif kind == _FILE:
            files.append({})
        elif files and kind in (_TITLE, _DATA):
            files[-1][kind] = _text(value) if kind == _TITLE else value
        elif files and kind == _FILE_PROPERTIES:
            files[-1] |= dict(_properties(value))
    return mail, files


def _bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    if data[:4] != _SIGNATURE:
        raise ValueError("its first bytes are others")
    place = 6
    while place + 9 <= len(data):
        kind, size = struct.unpack_from("<II", data, place + 1)
        if place + 9 + size > len(data):
            raise ValueError("it ends within a part")
        yield kind, data[place + 9 : place + 9 + size]
        place += 11 + size


def _properties(data: bytes) -> Iterator[tuple[int, bytes | str]]:
    """The texts and bytes among the properties of a mail or a file, by their numbers."""
    place = 4
    for _ in range(*struct.unpack_from("<I", data)):
        kind, number = struct.unpack_from("<HH", data, place)
        place += 4
        if number >= 0x8000:  # it has a name
            named, size = struct.unpack_from("<II", data, place + 16)
            place += 24 + (-(-size // 4) * 4 if named else 0)
        count = 1
        if kind & 0x1000 or kind in (_TEXT_8, _TEXT_16, _BYTES, _OBJECT):
            (count,) = struct.unpack_from("<I", data, place)
            place += 4
        kind &= 0xFFF
        for _ in range(count):
            if kind in _SIZES:
                place += _SIZES[kind]
                continue
            (size,) = struct.unpack_from("<I", data, place)
            value = data[place + 4 : place + 4 + size]
            place += 4 + -(-size // 4) * 4
            yield (
                number,
                value if kind in (_BYTES, _OBJECT) else _text(value, wide=kind == _TEXT_16),
            )


def _text(value: bytes, *, wide: bool = False) -> str:
    from hopyard.indexes.documents.readers.text import decoded

    return (value.decode("utf-16-le", "replace") if wide else decoded(value)).rstrip("\0")


def _rich(data: bytes) -> bytes:
    """Rich Text as it was before it was compressed."""
    _, size, kind = struct.unpack_from("<III", data)
    if kind == 0x414C454D:
        return data[16 : 16 + size]
    # Each pair is a place in the last 4,096 bytes and a length; the place of the next byte ends it.
    window = bytearray(_RICH_START.ljust(4096, b"\0"))
    found, end, place = bytearray(), len(_RICH_START), 16
    while place < len(data) and len(found) < size:
        flags = data[place]
        place += 1
        for bit in range(8):
            if place >= len(data):
                break
            if not flags >> bit & 1:
                taken, place = data[place : place + 1], place + 1
            else:
                pair = int.from_bytes(data[place : place + 2])
                place += 2
                start, length = pair >> 4, (pair & 15) + 2
                if start == end % 4096:
                    return bytes(found)
                taken = b""
            for step in range(len(taken) or length):
                byte = taken[0] if taken else window[(start + step) % 4096]
                found.append(byte)
                window[end % 4096] = byte
                end += 1
    return bytes(found)
