"""Archives and mailboxes: their files become parts.

Nothing is unpacked under a name that an archive gives.
"""

from __future__ import annotations

import gzip
import re
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from email import message_from_string, policy
from functools import partial
from itertools import chain, pairwise
from pathlib import PurePosixPath
from typing import IO, Final

from hopyard.indexes.documents.readers.base import (
    Allowance,
    Found,
    Part,
    PartNames,
    Source,
    Unread,
    file_of,
    unpacked,
)
from hopyard.state.errors import CorpusError

_UNREADABLE: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError)
_ENCRYPTED: Final = 0x1
_NAME_ENCODINGS: Final = (
    "utf-8", "cp437", "cp850", "cp949", "cp932", "gb18030", "cp866", "cp1251", "cp1252",
)  # fmt: skip
"""Encodings of names, the likelier first. Source: what Windows writes without UTF-8's mark."""
_RARE: Final = frozenset("ÇåæÆÅñÑªº¿¡ƒØøÿ")
"""Letters of Western encodings that other languages' bytes often turn into."""
_COMMON: Final = {
    "cp949": ("euc_kr", b"\xc8\xff"),
    "cp932": ("shift_jis", b"\x98\x72"),
    "gb18030": ("gb2312", b"\xd7\xff"),
}
"""The encoding of the usual letters, and the last of them. Source: KS X 1001, Hangul; JIS X 0208
and GB 2312, level 1."""
_UTF8: Final = 0x800
_EXTRA: Final = struct.Struct("<HH")
_UNICODE_NAME: Final = 0x7075
_BEGIN: Final = b"From "
_NEXT: Final = re.compile(rb"From (?:- |\S* *)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? ")
_LONGEST: Final = 1 << 20
"""Bytes of a line of a mailbox that are read at once."""
_ESCAPED: Final = re.compile(rb">+From ")


def read_zip(source: Source) -> Iterator[Found]:
    """A ZIP archive."""
    with source.open() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except zipfile.BadZipFile as error:
            raise CorpusError(f"not a readable ZIP archive ({error})") from error
        names = PartNames()
        with archive:
            for entry in archive.infolist():
                if entry.is_dir():
                    continue
                source.allowance.take_part()
                file_name = zip_name(entry).replace("\\", "/")  # some Windows programs
                name = names.free(file_name)
                if reason := _hidden(name):
                    yield Unread(name, reason)
                elif entry.flag_bits & _ENCRYPTED:
                    yield Unread(name, "encrypted")
                else:
                    try:
                        with (
                            archive.open(entry) as file,
                            unpacked(file, _last(file_name), source) as part,
                        ):
                            yield Part(name, part)
                    except _UNREADABLE as error:
                        yield Unread(name, f"it cannot be unpacked ({error})")


def read_tar(source: Source) -> Iterator[Found]:
    """A tar archive, compressed or not."""
    with source.open() as stream:
        try:
            names = PartNames()
            with tarfile.open(fileobj=stream, mode="r:*") as archive:
                for entry in archive:
                    if entry.isdir():
                        continue
                    source.allowance.take_part()
                    file_name = _meant(entry.name.encode("utf-8", "surrogateescape"))
                    name = names.free(file_name)
                    reason = _hidden(name) or ("" if entry.isfile() else "not a plain file")
                    file = None if reason else archive.extractfile(entry)
                    if file is None:
                        yield Unread(name, reason or "not a plain file")
                    else:
                        with unpacked(file, _last(file_name), source) as part:
                            yield Part(name, part)
        except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
            raise CorpusError(f"not a readable tar archive ({error})") from error


def read_gzip(source: Source) -> Iterator[Found]:
    """One compressed file."""
    source.allowance.take_part()
    name = source.name[: -len(".gz")]
    try:
        with (
            source.open() as stream,
            gzip.open(stream) as file,
            unpacked(file, name, source) as part,
        ):
            yield Part(name, part)
    except (zlib.error, EOFError, OSError) as error:
        raise CorpusError(f"not a readable gzip file ({error})") from error


def read_mbox(source: Source) -> Iterator[Found]:
    """Each mail of a mailbox is a part that is named by its subject.

    A line `From …` with a day of the week, after a blank line, begins a mail. Source: RFC 4155.
    """
    names = PartNames()
    with source.open() as stream:
        for number, data in enumerate(_mails(stream, source.allowance), start=1):
            source.allowance.take_part()
            top = data.partition(b"\n\n")[0]
            head = message_from_string(top.decode("utf-8", "replace"), policy=policy.default)
            name = f"{head.get('Subject') or f'mail {number}'}.eml"
            yield Part(names.free(name), file_of(data, name, source))


def _mails(stream: IO[bytes], allowance: Allowance) -> Iterator[bytes]:
    kept: list[bytes] = []
    blank = False
    if not stream.readline(_LONGEST).startswith(_BEGIN):
        raise CorpusError("not a mailbox: its first line does not begin with 'From '")
    for line in chain(iter(partial(stream.readline, _LONGEST), b""), [_BEGIN]):
        allowance.take_bytes(len(line))
        plain = line.replace(b"\r\n", b"\n")
        if line is _BEGIN or (blank and _NEXT.match(plain)):
            yield b"".join(kept)
            kept = []
        else:
            kept.append(plain[1:] if _ESCAPED.match(plain) else plain)
        blank = plain == b"\n"


def _hidden(name: str) -> str:
    """Why an entry is left out by its name; "" where it is not."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts:
        return "its path leads out of the archive"
    return "hidden" if any(part.startswith((".", "__MACOSX")) for part in parts) else ""


def _last(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).name


def zip_name(entry: zipfile.ZipInfo) -> str:
    """The name as it was meant: Windows writes it in the encoding of its language."""
    if entry.flag_bits & _UTF8 or entry.filename.isascii():
        return entry.filename
    raw = entry.filename.encode("cp437")
    return _extra_name(entry.extra, raw) or _meant(raw) or entry.filename


def _extra_name(extra: bytes, raw: bytes) -> str:
    """The name in Unicode that some programs write beside it. Source: APPNOTE.TXT, 4.6.9."""
    while len(extra) >= _EXTRA.size:
        kind, size = _EXTRA.unpack_from(extra)
        data, extra = extra[_EXTRA.size :][:size], extra[_EXTRA.size + size :]
        if kind == _UNICODE_NAME and data[1:5] == zlib.crc32(raw).to_bytes(4, "little"):
            return _decoded(data[5:], "utf-8")
    return ""


def _meant(raw: bytes) -> str:
    """The most likely name of bytes in an unknown encoding; "" if they fit no encoding."""
    readable = [
        (_oddness(name, encoding), number, name)
        for number, encoding in enumerate(_NAME_ENCODINGS)
        if (name := _decoded(raw, encoding))
    ]
    return min(readable, default=(0, 0, ""))[2]


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _oddness(name: str, encoding: str) -> int:
    """How unlikely a name is: its signs, rare letters, and changes of script or case in words."""
    kinds = [_script(letter) for letter in name]
    changes = sum(
        each != other
        for each, other in pairwise(kinds)
        if each and other and "digit" not in (each, other)
    )
    cases = sum(each.islower() and other.isupper() for each, other in pairwise(name))
    rare = sum(_is_rare(letter, encoding) for letter in name)
    return 2 * kinds.count("sign") + changes + cases + rare


def _is_rare(letter: str, encoding: str) -> bool:
    """Whether a letter is one that other languages' bytes turn into more often."""
    if letter in _RARE:
        return True
    common, last = _COMMON.get(encoding, ("", b""))
    if not common or letter.isascii():
        return False
    try:
        written = letter.encode(common)
        return len(written) > len(last) or written > last
    except UnicodeEncodeError:
        return True


def _script(letter: str) -> str:
    """The script of a letter; "sign" for what no name has, "" for what any name may have."""
    if letter.isascii():
        return "LATIN" if letter.isalpha() else "digit" if letter.isdigit() else ""
    if not letter.isalpha():
        return (
            "" if unicodedata.category(letter) in ("Lm", "Mn", "Mc", "Pd", "Ps", "Pe") else "sign"
        )
    script = unicodedata.name(letter, "?").split()[0]
    return "CJK" if script in ("HIRAGANA", "KATAKANA") else script
