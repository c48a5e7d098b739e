"""Mails with their attachments: the internet's format, and Outlook's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import Any, Final

from hopyard.indexes.corpus.records import Markup
from hopyard.indexes.documents.readers.base import Content, Found, Part, Source, file_of
from hopyard.indexes.documents.readers.text import plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.state.errors import CorpusError

__all__ = ("read_eml", "read_msg")

_HTML: Final = "text/html"


def read_eml(source: Source) -> Iterator[Found]:
    """A mail: its subject is the title; sender, recipients and date are metadata."""
    with source.open() as stream:
        mail = BytesParser(EmailMessage, policy=policy.default).parse(stream)
    if not mail.keys():
        raise CorpusError("not a readable mail: it has no headers")
    body = mail.get_body(("plain", "html"))
    text = body.get_content() if body else ""
    html = body is not None and body.get_content_type() == _HTML
    metadata = {
        "author": str(mail.get("From", "")),
        "to": str(mail.get("To", "")),
        "date": _date(str(mail.get("Date", ""))),
    }
    yield Content(
        str(mail.get("Subject", "")),
        [html_to_markdown(text) if html else text],
        "markdown" if html else "text",
        plain_metadata(metadata),
    )
    for number, part in enumerate(mail.iter_attachments(), start=1):
        source.allowance.take_part()
        data = _payload(part)
        source.allowance.take_bytes(len(data))
        name = part.get_filename() or f"attachment {number}{_suffix(part)}"
        yield Part(name, file_of(data, name, source))


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
        for number, part in enumerate(mail.attachments, start=1):
            source.allowance.take_part()
            data = part.file_bytes or b""
            source.allowance.take_bytes(len(data))
            name = _ended(part.file_name) or f"attachment {number}"
            yield Part(name, file_of(data, name, source))


def _payload(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner: Any = part.get_payload()
        return bytes(inner[0])
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
