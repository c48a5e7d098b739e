"""The texts of mails as mail programs write them: lines cut or packed, signatures."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import a2b_uu
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

_PAGES: Final = ("text/html", "application/xhtml+xml")
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/]=))?")
_LEAST_BASE64: Final = 60
"""Characters of a text in base64 that no header names, at least."""
_BASE64_LINE: Final = re.compile(r"[A-Za-z0-9+/=]*+\s*")
_PADDED: Final = re.compile(r"[^=]+=*")
_FILE_IN_TEXT: Final = re.compile(r"begin(-base64)? [0-7]{3,4} (\S.*)")
"""The line before a file in a text. Source: POSIX, uuencode."""
_PGP: Final = {"SIGNATURE": "signature", "PUBLIC KEY BLOCK": "key", "MESSAGE": "encrypted text"}
"""Blocks that are no text. Source: RFC 9580, 6.2."""
_PGP_LINE: Final = re.compile(r"-----BEGIN PGP ([A-Z ]+)-----\s*")
_PGP_HEADER: Final = re.compile(r"(?:Hash|Charset|Comment|Version|NotDashEscaped): ")


class Unpacked(NamedTuple):
    """A text without what mail programs put into it."""

    text: str
    left_out: list[tuple[str, str]]
    """Signatures, keys and encrypted texts, each with its kind."""
    files: list[tuple[str, bytes]]


def unpacked(text: str) -> Unpacked:
    """A text without the files (uuencode) and the blocks of PGP in it."""
    found = Unpacked("", [], [])
    if "begin" not in text and "-----BEGIN PGP " not in text:
        return found._replace(text=text)
    kept: list[str] = []
    lines = deque(text.splitlines())
    is_signed = False
    while lines:
        line = lines.popleft()
        pgp = _PGP_LINE.fullmatch(line)
        if pgp and pgp[1] == "SIGNED MESSAGE":
            is_signed = True
            while lines and _PGP_HEADER.match(lines[0]):  # such as the kind of the signature
                lines.popleft()
        elif pgp and pgp[1] in _PGP:
            is_signed = False
            end, block = f"-----END PGP {pgp[1]}-----", [line]
            while lines and block[-1].rstrip() != end:
                block.append(lines.popleft())
            found.left_out.append((_PGP[pgp[1]], "\n".join(block)))
        elif (file := _FILE_IN_TEXT.fullmatch(line)) and (data := _file_in(lines, bool(file[1]))):
            found.files.append((file[2].strip(), data))
        else:
            kept.append(line.removeprefix("- ") if is_signed else line)
    return found._replace(text="\n".join(kept))


def _file_in(lines: deque[str], is_base64: bool) -> bytes:
    """The file at the beginning of lines, which are taken; "" without a file."""
    data, taken = bytearray(), list[str]()
    while lines:
        taken.append(line := lines.popleft())
        if data and line.rstrip() == ("====" if is_base64 else "end"):
            return bytes(data)
        try:
            data += b64decode(line, validate=True) if is_base64 else _uu(line)
        except ValueError:
            break
    lines.extendleft(reversed(taken))
    return b""


def _uu(line: str) -> bytes:
    """The bytes of a line; it may lack blanks at its end, or have a letter too much."""
    size = (ord(line[:1] or " ") - 32) & 63
    letters = 4 * -(-size // 3)
    if not letters - 2 < len(line.ljust(letters + 1)) - 1 <= letters + 1:
        raise ValueError
    return a2b_uu(line[: letters + 1])


def payload_of(part: Message) -> bytes:
    """The bytes of a part, which has no parts itself.

    A body in base64 may consist of several, each with its padding, and a program may have written
    plain lines below it, such as the footer of a mailing list. Python's decoder ends at the first
    padding, and takes letters of plain lines for base64.
    """
    raw: Any = part.get_payload()
    if str(part.get("Content-Transfer-Encoding")).strip().lower() == "base64" and raw:
        lines = str(raw).splitlines()
        end = next((n for n, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line)), None)
        below = [] if end is None else lines[end:]
        if not any(len(line) >= _LEAST_BASE64 and _BASE64_LINE.fullmatch(line) for line in below):
            pieces = _PADDED.findall("".join("".join(lines[:end]).split()))
            data = b"".join(b64decode(f"{_whole(piece.rstrip('='))}==") for piece in pieces)
            is_text = below and part.get_content_maintype() == "text"
            return data + "\n".join(["", "", *below]).encode("utf-8", "replace") * bool(is_text)
    decoded: Any = part.get_payload(decode=True)
    return decoded if isinstance(decoded, bytes) else b""


def web_pages_of(mail: Message) -> list[Message]:
    """The web pages in a saved page: first the page itself, then those of its frames.

    The parameter `start` names the page; else it is the first. Source: RFC 2387, 3.2.
    """
    start = str(mail.get_param("start") or "").strip()
    pages = [part for part in mail.walk() if part.get_content_type() in _PAGES]
    return sorted(pages, key=lambda part: not start or part.get("Content-ID") != start)


def _whole(letters: str) -> str:
    """Letters of base64 without one at the end that alone stands for no byte."""
    return letters[:-1] if len(letters) % 4 == 1 else letters


def base64_text(part: Message, data: bytes) -> bytes:
    """The text of a body in base64 whose header is lost; other bodies as they are."""
    plain = b"".join(data.split())
    if "Content-Transfer-Encoding" in part or len(plain) < _LEAST_BASE64:
        return data
    if max(map(len, data.split(b"\n"))) < _LEAST_BASE64 or not _BASE64.fullmatch(plain):
        return data
    found = b64decode(plain)
    with suppress(UnicodeDecodeError):
        text = found.decode()
        if " " in text and not re.search(r"[\x00-\x08\x0e-\x1f\x7f]", text):  # words, no key
            return found
    return data


def unflowed(text: str, *, without_space: bool) -> str:
    """Lines that a mail program cut, as one. Source: RFC 3676."""
    joined: list[str] = []
    is_open, before = False, 0
    for line in text.splitlines():
        rest = line.lstrip(">")
        depth, rest = len(line) - len(rest), rest.removeprefix(" ")
        signs = rest == "-- "
        if is_open and depth == before and not signs:
            joined.append(rest)
        else:
            joined.append(f"\n{'>' * depth}{' ' * bool(depth)}{rest}")
        is_open, before = rest.endswith(" ") and not signs, depth
        if is_open and without_space:
            joined[-1] = joined[-1][:-1]
    return "".join(joined).removeprefix("\n")


def dates_of(value: str | datetime) -> dict[str, str]:
    """A date in the sender's zone, and in UTC if that is another time; other forms as they are."""
    try:
        moment = value if isinstance(value, datetime) else parsedate_to_datetime(value)
        in_utc = moment.astimezone(UTC).isoformat() if moment.utcoffset() else ""
    except (ValueError, OverflowError):  # such as a year that no calendar has
        return {"date": str(value).strip()}
    return {"date": moment.isoformat()} | ({"date_utc": in_utc} if in_utc else {})
