"""Mails of Outlook: its package, what it saves, its Rich Text."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.mail.outlook import mail_of_msg, rtf_of

from .mails import LONG_RTF, PACKAGE, RTF, forwarded, package, packed, parts, texts

FILES = {
    "fees of Löwe.csv": "| a | b |", "note.txt": "Gate 4.",
    "attachment 3.eml": "Inner words.", "attachment 3.eml › in.txt": "Deep.",
}  # fmt: skip


def test_rich_text_of_outlook_is_unpacked() -> None:
    assert rtf_of(RTF) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert rtf_of(LONG_RTF) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


@pytest.mark.parametrize(
    ("text", "body"),
    [(b"hello world", "hello world"), (b"See below.", "See below.\n\nhello world")],
)
def test_a_package_of_outlook_is_read(tmp_path: Path, text: bytes, body: str) -> None:
    found = texts(tmp_path, "a.eml", parts(b"\n" + text, packed(PACKAGE)))
    assert found == ({"": body, **FILES}, [])


def test_a_saved_package_is_a_mail(tmp_path: Path) -> None:
    assert texts(tmp_path, "winmail.dat", PACKAGE) == ({"": "hello world", **FILES}, [])


def test_a_broken_package_is_named(tmp_path: Path) -> None:
    found, said = texts(tmp_path, "a.eml", parts(b"\nText.", packed(PACKAGE[:-40])))
    assert found == {"": "Text.\n\nhello world", **dict([*FILES.items()][:2])}
    assert said[0] == " › winmail.dat: the package ends too early"
    deep = b""
    for _ in range(6):
        deep = package(forwarded(deep) if deep else b"")
    _, said = texts(tmp_path, "b.eml", parts(b"\nText.", packed(deep)))
    assert "not a readable package" in said[0]


def saved(head: int, **texts: str | bytes) -> Any:
    """A mail as Outlook saves it: properties, and a stream for each."""
    from oxmsg.storage import Storage, Stream

    table, streams = bytes(head), []
    for name, value in texts.items():
        data = value if isinstance(value, bytes) else value.encode("utf-16-le")
        tag = int(name[1:], 16) << 16 | (0x102 if isinstance(value, bytes) else 0x1F)
        table += struct.pack("<IIII", tag, 6, len(data), 0)
        streams.append(Stream(f"__substg1.0_{tag:08X}", data))
    return Storage("", (Stream("__properties_version1.0", table), *streams), ())


def test_a_mail_within_a_saved_mail_and_one_in_rich_text() -> None:
    from dataclasses import replace

    from oxmsg import Message
    from oxmsg.storage import Storage

    inner = replace(saved(24, x0037="Inner", x1009=RTF, x0042="Ben"), path="__substg1.0_3701000D")
    file = saved(8, x3707="Löwe.txt", x3701=b"Gate 4.")
    forward = replace(saved(8), path="__attach_version1.0_#01", storages=(inner,))
    attached: tuple[Storage, ...] = (replace(file, path="__attach_version1.0_#00"), forward)
    outer = replace(saved(32, x0037="Outer", x1000="See both."), storages=attached)
    mail = mail_of_msg(Message(outer), Source("a.msg", io.BytesIO))
    first, second = mail.iter_attachments()
    [forwarded] = second.get_payload()
    assert (mail["Subject"], mail.get_body().get_content()) == ("Outer", "See both.\n")
    assert (first.get_filename(), first.get_content()) == ("Löwe.txt", b"Gate 4.")
    assert (forwarded["Subject"], forwarded["From"]) == ("Inner", "Ben")
    assert forwarded.get_content() == "hello world\n"
