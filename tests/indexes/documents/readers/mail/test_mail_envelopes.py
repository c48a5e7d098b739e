"""Mails within signatures, and files within texts."""

from __future__ import annotations

import io
import time
import zlib
from base64 import b64encode
from binascii import b2a_uu
from pathlib import Path

import pytest

from hopyard.indexes.documents.kept.table import kept_of
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.table import format_of

from .mails import HEAD, PACKAGE, attribute, package, packed, parts, texts


def der(tag: int, *inner: bytes) -> bytes:
    value = b"".join(inner)
    size = len(value).to_bytes(2, "big")
    return bytes([tag]) + (b"\x82" + size if len(value) > 127 else size[1:]) + value


OID = bytes.fromhex("06092a864886f70d0107")
INNER = b'Content-Type: multipart/mixed; boundary=i\n\n--i\n\nThe pier falls dry.\n--i\n' \
    b'Content-Type: text/csv; name=f.csv\n\na,b\n1,2\n--i--\n' + b"\n" * 99  # fmt: skip
SIGNED = der(
    0x30,
    OID + b"\x02",
    der(
        0xA0,
        der(
            0x30,
            der(2, b"\1"),
            der(0x31),
            der(0x30, OID + b"\x01", der(0xA0, der(4, INNER))),
            der(0xA0, der(0x30, b"a certificate")),
            der(0x31),
        ),
    ),
)
STREAMED = (
    b"\x30\x80" + OID + b"\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x00\x30\x80" + OID
    + b"\x01\xa0\x80\x24\x80" + der(4, INNER[:100]) + der(4, INNER[100:]) + bytes(6)
    + der(0xA0, der(0x30, b"\x04\x03no!")) + der(0x31) + bytes(6)
)  # fmt: skip
COMPRESSED = der(
    0x30,
    bytes.fromhex("060b2a864886f70d0109100109"),
    der(
        0xA0,
        der(
            0x30,
            der(2, b"\0"),
            der(0x30, bytes.fromhex("060b2a864886f70d0109100308")),
            der(0x30, OID + b"\x01", der(0xA0, der(4, zlib.compress(INNER)))),
        ),
    ),
)
CERTIFICATES = der(
    0x30,
    OID + b"\x02",
    der(
        0xA0,
        der(
            0x30,
            der(2, b"\1"),
            der(0x31),
            der(0x30, OID + b"\x01"),
            der(0xA0, der(0x30, b"a certificate")),
            der(0x31),
        ),
    ),
)
SECRET = der(
    0x30, OID + b"\x03", der(0xA0, der(0x30, OID + b"\x01", der(0x30, OID), b"\x80\x03abc"))
)


@pytest.mark.parametrize("data", [SIGNED, STREAMED, COMPRESSED])
def test_a_mail_within_its_envelope_is_read(tmp_path: Path, data: bytes) -> None:
    mail = HEAD + packed(data, b'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"')
    assert texts(tmp_path, "a.eml", mail) == (
        {"": "The pier falls dry.", "f.csv": "| a | b |"}, []
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (CERTIFICATES, []),
        (STREAMED[:40], [" › enclosed mail: its envelope (S/MIME) is broken: save the mail again"]),
    ],
)
def test_an_envelope_without_a_mail_is_not_called_encrypted(
    tmp_path: Path, data: bytes, said: list[str]
) -> None:
    mail = parts(b"\nText.", packed(data, b"application/pkcs7-mime; name=smime.p7c"))
    assert texts(tmp_path, "a.eml", mail) == ({"": "Text."}, said)


@pytest.mark.parametrize(
    ("name", "mail"),
    [
        ("a.eml", HEAD + packed(COMPRESSED, b"application/x-pkcs7-mime")),
        ("a.eml", HEAD + packed(STREAMED, b"application/pkcs7-mime; smime-type=signed-data")),
        ("a.eml", parts(b"\nThe gate.", packed(PACKAGE))),
        ("a.tnef", PACKAGE),
    ],
)
def test_texts_in_signatures_and_packages_are_compared(name: str, mail: bytes) -> None:
    source = Source(name, lambda: io.BytesIO(mail))
    kind = format_of(name)
    assert kind is not None
    [text] = ["".join(each.text) for each in kind.read(source) if isinstance(each, Content)]
    whole, less = (
        kept_of(source, kind.suffixes[0], said, "Quay fees")
        for said in (text, text.rsplit(" ", 1)[0])
    )
    assert whole is not None
    assert less is not None
    assert (whole.lost, whole.gained, less.lost) == (0, 0, 1)


@pytest.mark.parametrize(
    "mail",
    [
        HEAD + packed(SECRET, b"application/pkcs7-mime; smime-type=enveloped-data"),
        parts(b"Content-Type: application/pgp-encrypted\n\nVersion: 1",
              b"Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----",
              kind=b"encrypted"),
        HEAD + b"\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n=aB3d\n-----END PGP MESSAGE-----\n",
    ],
)  # fmt: skip
def test_encrypted_texts_are_named(tmp_path: Path, mail: bytes) -> None:
    found, said = texts(tmp_path, "a.eml", mail)
    assert not found
    assert said[0] == " › encrypted text: it is encrypted: save it without"


def uu(data: bytes) -> bytes:
    lines = b"".join(b2a_uu(data[at : at + 45]) for at in range(0, len(data), 45))
    return b"begin 644 old notes.csv\n" + lines + b"`\nend\n"


@pytest.mark.parametrize(
    ("text", "body", "files"),
    [
        pytest.param(b"See.\n\n" + uu(b"a,b\n" + b"1,2\n" * 50) + b"\nAnn\n", "See.\n\n\nAnn",
                     {"old notes.csv": "| a | b |"}, id="uuencode"),
        pytest.param(b"See.\nbegin-base64 644 n.txt\n" + b64encode(b"Gate 4.") + b"\n====\n",
                     "See.", {"n.txt": "Gate 4."}, id="base64"),
        pytest.param(b"begin 644 the work\nand end\nend\n", "begin 644 the work\nand end\nend", {},
                     id="words"),
        pytest.param(
            b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe pier:\n- - dry\n- -----\n"
            b"-----BEGIN PGP SIGNATURE-----\n\niQEzBA\n=x\n-----END PGP SIGNATURE-----\n- kept",
            "The pier:\n- dry\n-----\n- kept", {}, id="a signed text"),
    ],
)  # fmt: skip
def test_files_and_signatures_within_a_text(
    tmp_path: Path, text: bytes, body: str, files: dict[str, str]
) -> None:
    assert texts(tmp_path, "a.eml", HEAD + b"\n" + text) == ({"": body, **files}, [])


def test_forms_in_two_languages_are_both_read(tmp_path: Path) -> None:
    german, english = (
        "Der Kran am Kai ist bis Montag gesperrt.",
        "The crane is closed until Monday.",
    )
    forms = [f"\n{german}".encode(), f"Content-Type: text/html\n\n<p>{english}</p>".encode()]
    found, _ = texts(tmp_path, "a.eml", parts(*forms, kind=b"alternative"))
    assert found == {"": f"{german}\n\n{english}"}


def test_an_invitation_with_a_colon_in_a_name(tmp_path: Path) -> None:
    event = (
        b'BEGIN:VEVENT\nSUMMARY;LANGUAGE="x:y":Tide\nATTENDEE;CN="Croft; Ben: mate";PARTSTAT='
        b'ACCEPTED:mailto:ben@b.example\nCOMMENT;X="open:Come.\nEND:VEVENT'
    )
    found, _ = texts(tmp_path, "a.eml", HEAD + b"Content-Type: text/calendar\n\n" + event)
    assert found[""] == (
        "Event: Tide\nAttendee: ben@b.example (Croft; Ben: mate, ACCEPTED)\nComment: Come."
    )


def test_a_mail_that_a_person_made_to_take_long_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.process_time()
    lines = b"begin 644 a\n-----BEGIN PGP MESSAGE-----\n" * 10_000
    texts(tmp_path, "a.eml", HEAD + b"\n" + b"begin 644 a\n" * 50_000)
    texts(tmp_path, "b.eml", HEAD + b"\n" + lines)
    nothing = b"".join(attribute(1, 5, b"") for _ in range(20_000))
    texts(tmp_path, "c.eml", parts(b"\nText.", packed(package(nothing))))
    words = (
        b"From: Ann\nSubject: " + b"=?utf-8?q?a?= " * 20_000 + b"\nDate: Mon, 4 Mar 2024\n\nText."
    )
    assert texts(tmp_path, "d.eml", words) == ({"": "Text."}, [])
    nested = b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 201
    monkeypatch.setattr("hopyard.indexes.documents.readers.mail.leaves._MOST_PARTS", 200)
    _, [said] = texts(tmp_path, "e.eml", parts(kind=b"mixed").replace(b"=e", b"=b") + nested)
    assert said == ": it has more than 10,000 parts"
    assert time.process_time() - began < 60
