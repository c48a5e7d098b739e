"""Mails for tests, and Outlook's packages."""

from __future__ import annotations

import struct
from base64 import encodebytes
from pathlib import Path

from hopyard.indexes.documents.loaders import load

HEAD = b"From: Ann <ann@a.example>\nSubject: Ebb\nMIME-Version: 1.0\n"
RTF = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
"""The first example of MS-OXRTFCP, 3.1.1."""
LONG_RTF = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
"""An example that refers to letters that it is still writing (3.1.2)."""


def attribute(level: int, name: int, value: bytes) -> bytes:
    return (
        struct.pack("<BII", level, name, len(value)) + value + struct.pack("<H", sum(value) % 65536)
    )


def properties(*values: tuple[int, int, bytes]) -> bytes:
    made = struct.pack("<I", len(values))
    for kind, name, value in values:
        made += struct.pack("<HHII", kind, name, 1, len(value)) + value + bytes(-len(value) % 4)
    return made


def file(name: str, data: bytes, long_name: str = "") -> bytes:
    made = attribute(2, 0x00069002, bytes(14)) + attribute(2, 0x00018010, name.encode() + b"\0")
    made += attribute(2, 0x0006800F, data) if data else b""
    if long_name:
        value = long_name.encode("utf-16-le") + b"\0\0"
        made += attribute(2, 0x00069005, properties((0x1F, 0x3707, value)))
    return made


def package(*attributes: bytes) -> bytes:
    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(attributes)


def forwarded(inner: bytes) -> bytes:
    return attribute(2, 0x00069002, bytes(14)) + attribute(
        2, 0x00069005, properties((0x0D, 0x3701, bytes(16) + inner))
    )


PACKAGE = package(
    attribute(1, 0x00018004, b"Quay fees\0"),
    attribute(1, 0x00069003, properties((0x102, 0x1009, RTF), (0x1E, 0x8004, b""))[:-12]
              + struct.pack("<HH16sIII", 0x1E, 0x8004, bytes(16), 0, 7, 1) + struct.pack("<I", 0)),
    file("FEES~1.CSV", b"a,b\n1,2\n", "fees of Löwe.csv"),
    file("note.txt", b"Gate 4."),
    forwarded(package(attribute(1, 0x0002800C, b"Inner words."), file("in.txt", b"Deep."))),
)  # fmt: skip


def texts(folder: Path, name: str, data: bytes) -> tuple[dict[str, str], list[str]]:
    path = folder / name
    path.write_bytes(data)
    report = load([path])
    assert not report.incomplete
    found = {
        each.source.partition(" › ")[2]: str(each.text).partition("\n|---")[0].strip()
        for each in report.documents
    }
    return found, [str(each).replace(f"{path}", "") for each in (*report.skipped, *report.bad)]


def parts(*blocks: bytes, kind: bytes = b"mixed") -> bytes:
    inner = b"".join(b"--e\n" + block + b"\n" for block in blocks)
    return HEAD + b"Content-Type: multipart/" + kind + b"; boundary=e\n\n" + inner + b"--e--\n"


def packed(data: bytes, kind: bytes = b"application/ms-tnef") -> bytes:
    head = b"Content-Type: " + kind + b"\nContent-Transfer-Encoding: base64\n\n"
    return head + encodebytes(data)
