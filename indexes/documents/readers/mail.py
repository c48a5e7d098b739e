"""Mails with their attachments: the internet's format, and Outlook's."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import Any, Final

from hopyard.indexes.corpus.records import Markup
from hopyard.indexes.documents.readers.base import (
    Content,
    Found,
    Notes,
    Part,
    PartNames,
    Source,
    file_of,
)
from hopyard.indexes.documents.readers.text import plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.state.errors import CorpusError

__all__ = ("read_eml", "read_msg")

_HTML: Final = "text/html"
_MAIL: Final = "message/rfc822"
_EVENT: Final = "text/calendar"
_TEXTS: Final = frozenset(("text/plain", _HTML, _EVENT))
_SIGNATURES: Final = frozenset(
    ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
)
_STUB: Final = 0.3
"""The share of the longest alternative that the plain text has; a shorter one is a stub."""
_EVENT_FIELDS: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Begin",
    "DTEND": "End",
    "LOCATION": "Place",
    "DESCRIPTION": "About",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Attendee",
}
_EVENT_MARKS: Final = {"n": "\n", "N": "\n"}
_EVENT_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_EVENT_ZONE: Final = re.compile(r';TZID="?([^";]+)', re.IGNORECASE)


def read_eml(source: Source) -> Iterator[Found]:
    """A mail: its subject is the title; sender, recipients and date are metadata.

    All texts of the mail are its body, however they are nested; every other part is a file.
    """
    with source.open() as stream:
        mail = BytesParser(EmailMessage, policy=policy.default).parse(stream)
    if not mail.keys():
        raise CorpusError("not a readable mail: it has no headers")
    metadata = {
        "author": str(mail.get("From", "")),
        "to": str(mail.get("To", "")),
        "date": _date(str(mail.get("Date", ""))),
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
    names = PartNames()
    others = (leaf for leaf in leaves if not _is_text(leaf))
    for number, part in enumerate(others, start=1):
        source.allowance.take_part()
        data = _payload(part)
        source.allowance.take_bytes(len(data))
        name = _file_name(part, number)
        yield Part(names.free(name), file_of(data, name, source))


def _leaves(part: EmailMessage, notes: Notes | None = None) -> Iterator[EmailMessage]:
    """The parts that hold something, in order; of alternatives the longest."""
    kind = part.get_content_type()
    inner = [item for item in part.iter_parts() if isinstance(item, EmailMessage)]
    if kind == "multipart/alternative":
        if chosen := _best(inner):
            yield from _of_alternatives(inner, chosen, notes)
    elif part.get_content_maintype() == "multipart":
        for item in inner:
            yield from _leaves(item, notes)
    elif kind not in _SIGNATURES:
        yield part


def _of_alternatives(
    alternatives: Sequence[EmailMessage], chosen: EmailMessage, notes: Notes | None
) -> Iterator[EmailMessage]:
    """The leaves of the chosen form; of the others all but their texts, which are noted."""
    texts = (_body(leaf, markdown=True) for leaf in _leaves(chosen) if _is_text(leaf))
    said = set(" ".join(texts).split())
    for item in alternatives:
        for leaf in _leaves(item, notes):
            if item is chosen or not _is_text(leaf) or _is_event(leaf):
                yield leaf
            elif notes and not said.issuperset((other := _body(leaf, markdown=True)).split()):
                notes.leave_out("other form of the text", other)


def _best(alternatives: Sequence[EmailMessage]) -> EmailMessage | None:
    """The plain text, unless it is a stub beside a page that says much more."""
    lengths = {
        id(item): sum(
            len(_body(leaf, markdown=True))
            for leaf in _leaves(item)
            if _is_text(leaf) and not _is_event(leaf)  # an invitation is read in any case
        )
        for item in alternatives
    }
    plain = [item for item in alternatives if item.get_content_type() == "text/plain"]
    longest = max(alternatives, key=lambda item: lengths[id(item)], default=None)
    if plain and longest and lengths[id(plain[0])] >= _STUB * lengths[id(longest)]:
        return plain[0]
    return longest


def _is_text(part: EmailMessage) -> bool:
    """Whether a part is shown in the mail, not attached to it."""
    shown = part.get_content_type() in _TEXTS and not part.is_attachment()
    return shown and (not part.get_filename() or _is_event(part))


def _is_event(part: EmailMessage) -> bool:
    return part.get_content_type() == _EVENT


def _body(part: EmailMessage, *, markdown: bool) -> str:
    try:
        text = str(part.get_content())
    except (LookupError, UnicodeError):  # an encoding that Python does not know
        text = _payload(part).decode("utf-8", "replace")
    if part.get_content_type() == _HTML and markdown:
        return html_to_markdown(text)
    return _event(text) if _is_event(part) else text.strip()


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
            lines.append(f"{label}: {value.removeprefix('mailto:')}")
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
    """A mail saved by Outlook."""
    from oxmsg import Message

    with source.open() as stream:
        mail = Message.load(stream)
        sent = mail.sent_date
        headers = {name.casefold(): value for name, value in mail.message_headers.items()}
        metadata = {
            "author": mail.sender or "",
            "to": headers.get("to", ""),
            "date": sent.isoformat()
            if isinstance(sent, datetime)
            else _date(headers.get("date", "")),
        }
        text = mail.body or (html_to_markdown(mail.html_body) if mail.html_body else "")
        markup: Markup = "text" if mail.body else "markdown"
        yield Content(_ended(mail.subject), [_ended(text)], markup, plain_metadata(metadata))
        names = PartNames()
        for number, part in enumerate(mail.attachments, start=1):
            source.allowance.take_part()
            data = part.file_bytes or b""
            source.allowance.take_bytes(len(data))
            name = _ended(part.file_name) or f"attachment {number}"
            yield Part(names.free(name), file_of(data, name, source))


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
    return ".eml" if kind == "message/rfc822" else mimetypes.guess_extension(kind) or ""


def _date(value: str) -> str:
    try:
        return parsedate_to_datetime(value).isoformat()
    except ValueError:
        return ""


def _ended(text: str | None) -> str:
    return (text or "").rstrip("\0")
