"""Mails with their attachments: the internet's format, and Outlook's."""

from __future__ import annotations

import re
from base64 import b64decode
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any, Final

from hopyard.indexes.corpus.records import Markup
from hopyard.indexes.documents.readers.base import Content, Found, Notes, Source, parts_of
from hopyard.indexes.documents.readers.text import decoded, plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.state.errors import CorpusError

_Form = tuple[EmailMessage, list[EmailMessage]]
"""One of the alternatives of a text, and its leaves."""
_HTML: Final = "text/html"
_MAIL: Final = "message/rfc822"
_EVENT: Final = "text/calendar"
_STATUS: Final = "message/delivery-status"
_FILES: Final = frozenset(("text/rtf", "text/markdown", "text/csv", "text/xml"))
"""Texts that have a reader of their own."""
_SIGNATURES: Final = frozenset(
    ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
)
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/]=))?")
_LEAST_BASE64: Final = 60
"""Characters of a text in base64 that no header names, at least."""
_STUB: Final = 0.3
"""The share of the longest alternative that the plain text has, and of its words that are in both;
else it is a stub."""
_EVENT_FIELDS: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Begin",
    "DTEND": "End",
    "LOCATION": "Place",
    "DESCRIPTION": "About",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Attendee",
    "RRULE": "Repeats",
    "STATUS": "Status",
    "COMMENT": "Comment",
}
_EVENT_ABOUT: Final = re.compile(r';(?:CN="?([^";]+)|PARTSTAT=(?!NEEDS-ACTION)([A-Z-]+))')
_EVENT_MARKS: Final = {"n": "\n", "N": "\n"}
_EVENT_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_HEADERS: Final = re.compile(rb"\A.*?\r?\n(?=\r?\n)", re.DOTALL)
_EVENT_ZONE: Final = re.compile(r';TZID="?([^";]+)', re.IGNORECASE)


def read_eml(source: Source) -> Iterator[Found]:
    """A mail: its subject is the title; sender, recipients and date are metadata.

    All texts of the mail are its body, however they are nested; every other part is a file.
    """
    mail = BytesParser(EmailMessage, policy=policy.default).parsebytes(
        _HEADERS.sub(_readable_headers, source.read().removeprefix(BOM_UTF8), count=1)
    )
    if not mail.keys():
        raise CorpusError("not a readable mail: it has no headers")
    received = str(mail.get("Received", "")).rpartition(";")[2]
    metadata = {
        "author": str(mail.get("From", "")),
        **{name: ", ".join(map(str, mail.get_all(name, ()))) for name in ("to", "cc")},
        **_dates(str(mail.get("Date", "")) or received),
    }
    leaves = list(_leaves(mail, source.notes))
    texts = [leaf for leaf in leaves if _is_text(leaf)]
    html = any(text.get_content_type() == _HTML for text in texts)
    body = "\n\n".join(filter(None, (_body(text, markdown=html) for text in texts)))
    yield Content(
        str(mail.get("Subject", "")),
        [body],
        "markdown" if html else "text",
        plain_metadata(metadata),
    )
    others = enumerate((leaf for leaf in leaves if not _is_text(leaf)), start=1)
    yield from parts_of(((_file_name(part, at), _payload(part)) for at, part in others), source)


def _leaves(part: EmailMessage, notes: Notes | None = None) -> Iterator[EmailMessage]:
    """The parts that hold something, in order; of alternatives the longest."""
    kind = part.get_content_type()
    inner = [item for item in part.iter_parts() if isinstance(item, EmailMessage)]
    if kind == "multipart/alternative":
        yield from _of_alternatives([(item, [*_leaves(item, notes)]) for item in inner], notes)
    elif inner and part.get_content_maintype() == "multipart":
        for item in inner:
            yield from _leaves(item, notes)
        for around in filter(str.strip, (part.preamble or "", part.epilogue or "")):
            if notes:
                notes.leave_out("surrounding text", around)
    elif kind not in _SIGNATURES:
        yield part


def _of_alternatives(alternatives: Sequence[_Form], notes: Notes | None) -> Iterator[EmailMessage]:
    """The leaves of the best form; of the others all but their texts, which are noted."""
    chosen, inner = _best(alternatives) if alternatives else (None, [])
    texts = (_body(leaf, markdown=True) for leaf in inner if _is_text(leaf))
    said = set(" ".join(texts).split())
    for item, leaves in alternatives:
        for leaf in leaves:
            if item is chosen or not _is_text(leaf) or _is_event(leaf):
                yield leaf
            elif notes and not said.issuperset((other := _body(leaf, markdown=True)).split()):
                notes.leave_out("alternative form", other)


def _best(alternatives: Sequence[_Form]) -> _Form:
    """The plain text, unless it is a stub beside a page that says much more."""
    texts = {
        id(item): " ".join(
            _body(leaf, markdown=True)
            for leaf in leaves
            if _is_text(leaf) and not _is_event(leaf)  # an invitation is read in any case
        )
        for item, leaves in alternatives
    }
    plain = [form for form in alternatives if form[0].get_content_type() == "text/plain"]
    longest = max(alternatives, key=lambda form: len(texts[id(form[0])]))
    if plain:
        said, most = texts[id(plain[0][0])], texts[id(longest[0])]
        words = {*re.findall(r"\w+", said.casefold())}
        shared = words.intersection(re.findall(r"\w+", most.casefold()))
        if len(said) >= _STUB * len(most) and len(shared) >= _STUB * len(words):
            return plain[0]
    return longest


def _is_text(part: EmailMessage) -> bool:
    """Whether a part is shown in the mail, not attached to it."""
    kind = part.get_content_type()
    shown = part.get_content_maintype() in ("text", "multipart") or kind == _STATUS
    shown = shown and kind not in _FILES and not part.is_attachment()
    return shown and (not part.get_filename() or _is_event(part))


def _is_event(part: EmailMessage) -> bool:
    return part.get_content_type() == _EVENT


def _body(part: EmailMessage, *, markdown: bool) -> str:
    if part.get_content_type() == _STATUS:
        return "\n".join(str(each).strip() for each in part.iter_parts()).strip()
    data, declared = _payload(part), str(part.get_content_charset() or "")
    if part.get_content_type() == _HTML:
        from bs4.dammit import EncodingDetector

        declared = declared or EncodingDetector.find_declared_encoding(data, is_html=True) or ""
    text = decoded(base64_text(part, data), declared)
    if str(part.get_param("format")).lower() == "flowed":
        text = _unflowed(text, without_space=str(part.get_param("delsp")).lower() == "yes")
    if part.get_content_type() == _HTML and markdown:
        return html_to_markdown(text)
    return _event(text) if _is_event(part) else text.strip()


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


def _unflowed(text: str, *, without_space: bool) -> str:
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


def _event(text: str) -> str:
    """An invitation as lines: what, when, where, who."""
    unfolded = re.sub(r"\r?\n[ \t]", "", text)
    lines: list[str] = []
    for line in unfolded.splitlines():
        name, _, value = line.partition(":")
        field, zone = name.partition(";")[0].upper(), _EVENT_ZONE.search(name)
        if label := _EVENT_FIELDS.get(field):
            value = re.sub(
                r"\\([,;nN\\])", lambda found: _EVENT_MARKS.get(found[1], found[1]), value
            )
            if time := _EVENT_TIME.fullmatch(value):
                value = f"{time[1]}-{time[2]}-{time[3]}"
                value += f" {time[4]}:{time[5]}" if time[4] else ""
                value += " UTC" if time[6] else f" {zone[1]}" if zone else ""
            about = ", ".join(filter(None, chain.from_iterable(_EVENT_ABOUT.findall(name))))
            value = re.sub("^mailto:", "", value, flags=re.IGNORECASE)
            lines.append(f"{label}: {value} ({about})" if about else f"{label}: {value}")
    return "\n".join(lines)


def _file_name(part: EmailMessage, number: int) -> str:
    """The part's name, with the suffix of its kind if it has none; a forwarded mail's subject."""
    inner: Any = part.get_payload() if part.get_content_type() == _MAIL else ()
    subject = str(inner[0].get("Subject", "")) if inner else ""
    name = part.get_filename() or subject or f"attachment {number}"
    if part.get_content_type() == _MAIL:
        return f"{name.removesuffix('.eml')}.eml"
    return name if re.search(r"\.\w{1,5}$", name) else f"{name}{_suffix(part)}"


def read_msg(source: Source) -> Iterator[Found]:
    """A mail saved by Outlook, or an ordinary one that a program gave the same suffix."""
    from oxmsg import Message as Saved

    with source.open() as stream:
        if stream.read(4) != b"\xd0\xcf\x11\xe0":
            yield from read_eml(source)
            return
        stream.seek(0)
        mail = Saved.load(stream)
        sent = mail.sent_date
        headers = {name.casefold(): value for name, value in mail.message_headers.items()}
        metadata = {
            "author": mail.sender or "",
            "to": headers.get("to", ""),
            "cc": headers.get("cc", ""),
            **_dates(sent if isinstance(sent, datetime) else headers.get("date", "")),
        }
        text = mail.body or (html_to_markdown(mail.html_body) if mail.html_body else "")
        markup: Markup = "text" if mail.body else "markdown"
        yield Content(_ended(mail.subject), [_ended(text)], markup, plain_metadata(metadata))
        files = (
            (_ended(part.file_name) or f"attachment {number}", part.file_bytes or b"")
            for number, part in enumerate(mail.attachments, start=1)
        )
        yield from parts_of(files, source)


def _payload(part: EmailMessage) -> bytes:
    if part.get_content_type() == _MAIL:
        inner: Any = part.get_payload()
        mail = inner[0]
        if not mail.keys() and isinstance(mail.get_payload(), str):  # its base64 was left as it is
            return b64decode(mail.get_payload())
        return bytes(mail)
    data: Any = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _suffix(part: EmailMessage) -> str:
    import mimetypes

    kind = part.get_content_type()
    return ".rtf" if kind == "text/rtf" else mimetypes.guess_extension(kind) or ""


def _dates(value: str | datetime) -> dict[str, str]:
    """A date in the sender's zone, and in UTC if that is another time; other forms as they are."""
    try:
        moment = value if isinstance(value, datetime) else parsedate_to_datetime(value)
    except ValueError:
        return {"date": str(value).strip()}
    dates = {"date": moment.isoformat()}
    if moment.utcoffset():
        dates["date_utc"] = moment.astimezone(UTC).isoformat()
    return dates


def _readable_headers(headers: re.Match[bytes]) -> bytes:
    """The headers in UTF-8; some programs write them in the encoding of their country."""
    return headers[0] if headers[0].isascii() else decoded(headers[0]).encode()


def _ended(text: str | None) -> str:
    return (text or "").rstrip("\0")
