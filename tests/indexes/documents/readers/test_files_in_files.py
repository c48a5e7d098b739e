"""Archives and mails: their parts, and what hostile files cannot do.

Faults that users of other tools reported: kudu 1116.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from email.message import EmailMessage
from pathlib import Path

import pytest

from hopyard.indexes.documents.loaders import LoadReport, load
from hopyard.indexes.documents.readers.archives import read_mbox, read_tar, read_zip
from hopyard.indexes.documents.readers.base import Allowance, Part, Source
from hopyard.state.errors import CorpusError

from ..zips import zipped


def tarred(entries: dict[str, bytes | tarfile.TarInfo], mode: str = "w:gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in entries.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def read(folder: Path, name: str, data: bytes) -> tuple[dict[str, str], dict[str, str], LoadReport]:
    """Texts and reasons by their places in the file."""
    (folder / name).write_bytes(data)
    report = load([folder / name])
    texts = {each.source.partition(" › ")[2]: each.text for each in report.documents}
    reasons = {each.path.partition(" › ")[2]: each.reason for each in report.skipped}
    return texts, reasons, report


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.zip", zipped),
        ("a.tar.gz", tarred),
        ("a.tgz", tarred),
        ("a.tar", lambda files: tarred(files, "w")),
    ],
)
def test_files_of_an_archive_are_documents(tmp_path: Path, name: str, pack: object) -> None:
    inner = zipped({"deep.txt": b"deep"})
    files = {"x/one.txt": b"one", "two.md": b"# Two\n", "in.zip": inner, "logo.png": b"\x89"}
    texts, reasons, report = read(tmp_path, name, pack(files))  # type: ignore[operator]
    assert texts == {"x/one.txt": "one", "two.md": "# Two\n", "in.zip › deep.txt": "deep"}
    assert reasons == {"logo.png": ".png files are not read: save it as .pdf for --ocr"}
    assert report.bad == []
    assert {each.title for each in report.documents} == {"one", "Two", "deep"}
    assert len({each.id for each in report.documents}) == 3


def test_one_compressed_file(tmp_path: Path) -> None:
    assert read(tmp_path, "a.txt.gz", gzip.compress(b"text"))[0] == {"a.txt": "text"}


def test_no_name_leads_out_of_an_archive(tmp_path: Path) -> None:
    link = tarfile.TarInfo("link.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    names = ("../out.txt", "/root.txt", "a/../../b.txt", ".hidden.txt", "__MACOSX/a.txt")
    for name, data in (
        ("a.zip", zipped({**dict.fromkeys(names, b"x"), "good.txt": b"good"})),
        (
            "a.tar",
            tarred({**dict.fromkeys(names, b"x"), "link.txt": link, "good.txt": b"good"}, "w"),
        ),
    ):
        texts, reasons, _ = read(tmp_path, name, data)
        assert texts == {"good.txt": "good"}
        assert {reasons[each] for each in names[:3]} == {"its path leads out of the archive"}
        assert {reasons[each] for each in names[3:]} == {"hidden"}
    assert reasons["link.txt"] == "not a plain file"
    assert {each.name for each in tmp_path.iterdir()} <= {"a.zip", "a.tar", "home"}


def test_an_archive_unpacks_to_no_more_than_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Allowance.__init__, "__defaults__", (1000, 10, 3))
    bomb = zipped({"a.txt": b"first", "b.zip": zipped({"c.txt": b"0" * 2000}), "d.txt": b"last"})
    texts, _, report = read(tmp_path, "a.zip", bomb)
    assert texts == {"a.txt": "first"}
    assert {each.reason for each in report.bad} == {
        "its parts have more than 1 GB; unpack it and name its folder"
    }
    monkeypatch.setattr(Allowance.__init__, "__defaults__", (1000, 3, 3))
    many = zipped({f"{number}.txt": b"x" for number in range(4)})
    texts, _, report = read(tmp_path, "b.zip", many)
    assert len(texts) == 3
    assert "more than 10,000 parts" in report.bad[0].reason


def test_archives_in_archives_have_an_end(tmp_path: Path) -> None:
    data = zipped({"deepest.txt": b"text"})
    for depth in range(5):
        data = zipped({f"{depth}.zip": data, f"{depth}.txt": b"here"})
    texts, reasons, _ = read(tmp_path, "a.zip", data)
    assert "4.zip › 3.zip › 2.txt" in texts
    assert not any("deepest" in name for name in texts)
    assert set(reasons.values()) == {"archives and mails are nested too deeply"}


def test_encrypted_and_broken_archives(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": b"secret", "b.txt": b"open"}))
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1  # the first entry says that it is encrypted
    texts, reasons, _ = read(tmp_path, "a.zip", bytes(data))
    assert (texts, reasons) == ({"b.txt": "open"}, {"a.txt": "encrypted"})
    for name in ("b.zip", "b.tar.gz", "b.gz"):
        report = read(tmp_path, name, b"PK\x03\x04 not really")[2]
        assert "not a readable" in report.bad[0].reason


def mail(subject: str, text: str) -> EmailMessage:
    made = EmailMessage()
    made["Subject"], made["From"] = subject, "Ann <ann@a.example>"
    made["To"], made["Date"] = "ben@b.example", "Thu, 05 Jun 2025 08:15:00 +0200"
    made.set_content(text)
    return made


def test_a_mail_and_its_attachments(tmp_path: Path) -> None:
    outer = mail("Größe", "Hello Ben\n")
    outer.add_attachment(b"a;b\n1;2\n", maintype="text", subtype="csv", filename="../x/prices.csv")
    outer.add_attachment(mail("Inner", "Forwarded\n"))
    outer.add_attachment(b"\x00", maintype="image", subtype="png", filename="logo.png")
    texts, reasons, report = read(tmp_path, "a.eml", outer.as_bytes())
    assert texts[""] == "Hello Ben"
    assert "| 1 | 2 |" in texts["../x/prices.csv"]
    assert texts["Inner.eml"] == "Forwarded"
    assert reasons == {"logo.png": ".png files are not read: save it as .pdf for --ocr"}
    first, prices, *_ = report.documents
    assert prices.metadata["date"] == first.metadata["date"]
    assert first.title == "Größe"
    assert first.metadata == {
        "author": "Ann <ann@a.example>",
        "to": "ben@b.example",
        "date": "2025-06-05T08:15:00+02:00",
        "date_utc": "2025-06-05T06:15:00+00:00",
    }


def test_a_mail_in_html(tmp_path: Path) -> None:
    made = mail("Page", "")
    made.set_content("<h1>News</h1><p>Two <b>moons</b>.</p>", subtype="html")
    texts, _, report = read(tmp_path, "a.eml", made.as_bytes())
    assert texts[""] == "# News\n\nTwo **moons**."
    assert report.documents[0].markup == "markdown"
    assert "no headers" in read(tmp_path, "b.eml", b"\n\nnothing")[2].bad[0].reason


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_equal_names_are_kept_apart(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for text in ("old", "new"):
            archive.writestr("notes.txt", text)
    assert read(tmp_path, "a.zip", data.getvalue())[0] == {
        "notes.txt": "old",
        "notes.txt (2)": "new",
    }
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for text in (b"old", b"new"):
            entry = tarfile.TarInfo("notes.txt")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
    assert read(tmp_path, "a.tar", data.getvalue())[0] == {
        "notes.txt": "old",
        "notes.txt (2)": "new",
    }


def test_names_in_other_encodings(tmp_path: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", encoding="cp850", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("Übersicht.txt"))
        entry = tarfile.TarInfo("Prüfung.txt")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"text"))
    assert read(tmp_path, "a.tar", data.getvalue())[0] == {"Prüfung.txt": "text"}


def test_a_name_in_unicode_beside_the_other_counts(tmp_path: Path) -> None:
    data = io.BytesIO()
    entry = zipfile.ZipInfo("x.txt")
    name = "Žluť.txt".encode()
    body = b"\x01" + zlib.crc32(b"\x81.txt").to_bytes(4, "little") + name
    entry.extra = b"\x75\x70" + len(body).to_bytes(2, "little") + body
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(entry, "text")
    assert read(tmp_path, "a.zip", data.getvalue().replace(b"x.txt", b"\x81.txt"))[0] == {
        "Žluť.txt": "text"
    }


def test_wrong_bytes_are_those_of_one_file(tmp_path: Path) -> None:
    files = {"a.txt": b"Gr\xc3\xbc\xc3\x9fe aus K\xc3\xb6ln, J\xe4ger", "b.rtf": b"{\\rtf1 Gate 4}"}
    _, reasons, _ = read(tmp_path, "a.zip", zipped(files))
    assert reasons == {"a.txt › 1 byte": "no UTF-8, and read as Windows-1252"}


def test_a_compressed_file_in_capitals(tmp_path: Path) -> None:
    assert read(tmp_path, "NOTES.TXT.GZ", gzip.compress(b"text"))[0] == {"NOTES.TXT": "text"}


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp850", "Übersicht Größe.txt"), ("cp850", "Été à Nîmes.txt"), ("cp932", "見積書.txt"),
        ("cp932", "テスト.txt"), ("gb18030", "会议记录.txt"), ("cp949", "견적서 2024.txt"),
        ("cp866", "Договор.txt"), ("utf-8", "Prüfung.txt"),
    ],
)  # fmt: skip
def test_names_in_archives(encoding: str, name: str) -> None:
    written = name.encode(encoding)
    data = zipped({"x" * len(written): "text"}).replace(b"x" * len(written), written)
    found = list(read_zip(Source("a.zip", lambda: io.BytesIO(data))))
    assert [each.name for each in found if isinstance(each, Part)] == [name]


def test_names_in_archives_of_other_programs() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo("note.txt")
        entry.filename = "old\\note.txt"
        archive.writestr(entry, "Text.")
    source = Source("a.zip", lambda: io.BytesIO(stream.getvalue()))
    assert [part.name for part in read_zip(source) if isinstance(part, Part)] == ["old/note.txt"]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", encoding="latin-1") as tar:
        tar.addfile(tarfile.TarInfo("größe.txt"), io.BytesIO(b""))
    source = Source("a.tar", lambda: io.BytesIO(packed.getvalue()))
    assert [part.name for part in read_tar(source) if isinstance(part, Part)] == ["größe.txt"]


def test_a_mailbox(tmp_path: Path) -> None:
    path = tmp_path / "box.mbox"
    path.write_bytes(
        b"From ann@a Tue Mar  5 10:00:00 2024\r\nSubject: Ebb\r\n\r\nDry.\r\n>From noon on.\r\n\r\n"
        b"From here we saw it.\r\n\r\nFrom - Wed Mar  6 10:00:00 2024\n"
        b"Subject: =?utf-8?q?Fl=C3=B6t?=\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nTwo.\n--b\n"
        b"Content-Disposition: attachment; filename=n.txt\n\nThree.\n--b--\n\n"
        b"From bob@b Thu Mar  7 10:00:00 2024\nSubject: Ebb\n\nFour.\n"
    )
    report = load([path])
    assert not report.bad
    assert {each.source.partition(" › ")[2]: str(each.text) for each in report.documents} == {
        "Ebb.eml": "Dry.\nFrom noon on.\n\nFrom here we saw it.",
        "Flöt.eml": "Two.",
        "Flöt.eml › n.txt": "Three.",
        "Ebb.eml (2)": "Four.",
    }
    path.write_bytes(b"From a Tue Mar  5\nSubject: Fl\xc3\xb6t\n\n" + b"x" * 3_000_000)
    [source] = [each.source for each in load([path]).documents]
    assert source.endswith(" › Flöt.eml")
    path.write_bytes(b"Subject: Ebb\n\nNo mailbox.")
    [bad] = load([path]).bad
    assert "not a mailbox" in bad.reason


def test_a_mail_that_is_too_long_for_memory_is_not_collected() -> None:
    mail = b"From a Tue Mar  5\nSubject: Ebb\n\n" + b"Dry.\n" * 200
    source = Source("a.mbox", lambda: io.BytesIO(mail), allowance=Allowance(bytes_left=500))
    with pytest.raises(CorpusError, match="more than 1 GB"):
        list(read_mbox(source))
    assert source.allowance.bytes_left >= -5
