"""The parts of a mail that hold something: texts, of alternatives the best, and files."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email.message import EmailMessage
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Notes, Source, Unread, file_of
from hopyard.indexes.documents.readers.cards import event_text
from hopyard.indexes.documents.readers.mail.envelopes import ENVELOPES, mail_within
from hopyard.indexes.documents.readers.mail.headers import parsed
from hopyard.indexes.documents.readers.mail.outlook import PackageDefect, mail_of_package
from hopyard.indexes.documents.readers.mail.text import base64_text, payload_of, unflowed
from hopyard.indexes.documents.readers.text import decoded
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.indexes.text.language import detect_language
from hopyard.state.errors import CorpusError

_Form = tuple[EmailMessage, list[EmailMessage]]
"""One of the alternatives of a text, and its leaves."""
HTML: Final = "text/html"
MAIL: Final = "message/rfc822"
_EVENT: Final = "text/calendar"
_STATUS: Final = "message/delivery-status"
_FILES: Final = frozenset(("text/rtf", "text/markdown", "text/csv", "text/xml"))
"""Texts that have a reader of their own."""
_SIGNATURES: Final = frozenset(
    ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
)
_PACKAGES: Final = ("application/ms-tnef", "application/vnd.ms-tnef")
_MOST_ENVELOPES: Final = 3
SEALED: Final = "it is encrypted: save it without"
OTHER_FORM: Final = "alternative form"
_MOST_PARTS: Final = 10_000
_STUB: Final = 0.3
"""The share of the longest alternative that the plain text has, and of its words that are in both;
else it is a stub."""


class Leaves:
    """The parts of a mail that hold something.

    Attributes:
        packed: The ids of those that were in Outlook's package, which may say a text again.
        unread: Those that are encrypted or broken.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.packed: set[int] = set()
        self.unread: list[Unread] = []
        self._count = 0

    def of(self, part: EmailMessage, depth: int = 0) -> Iterator[EmailMessage]:
        """The parts of a part, in order; of alternatives the longest."""
        self._count += 1
        if self._count > _MOST_PARTS:
            raise CorpusError("it has more than 10,000 parts")
        kind, notes = part.get_content_type(), self._source.notes
        inner = [item for item in part.iter_parts() if isinstance(item, EmailMessage)]
        broken = (str(each) for each in part.defects if isinstance(each, PackageDefect))
        self.unread += [Unread("winmail.dat", reason) for reason in broken]
        if kind == "multipart/alternative":
            yield from _of_alternatives([(item, [*self.of(item, depth)]) for item in inner], notes)
        elif kind == "multipart/encrypted":
            self.unread.append(Unread("encrypted text", SEALED))
        elif inner and part.get_content_maintype() == "multipart":
            for item in inner:
                yield from self.of(item, depth)
            for around in filter(str.strip, (part.preamble or "", part.epilogue or "")):
                notes.leave_out("surrounding text", around)
        elif kind in ENVELOPES:
            yield from self._within(part, depth)
        elif kind in _PACKAGES or str(part.get_filename()).lower() == "winmail.dat":
            file = file_of(bytes_of(part), part.get_filename() or "winmail.dat", self._source)
            try:
                leaves = [*self.of(mail_of_package(file), depth)]
            except CorpusError as error:
                self.unread.append(Unread(file.name, str(error)))
            else:
                self.packed.update(map(id, leaves))
                yield from leaves
        elif kind not in _SIGNATURES:
            yield part

    def _within(self, envelope: EmailMessage, depth: int) -> Iterator[EmailMessage]:
        """The parts of the mail in an envelope of S/MIME."""
        try:
            if depth == _MOST_ENVELOPES:
                raise CorpusError("envelopes (S/MIME) are nested too deeply: save it without")
            mail = mail_within(bytes_of(envelope))
        except CorpusError as error:
            self.unread.append(Unread("enclosed mail", str(error)))
            return
        if mail is None:
            self.unread.append(Unread("encrypted text", SEALED))
        elif mail:
            yield from self.of(parsed(mail), depth + 1)


def _of_alternatives(alternatives: Sequence[_Form], notes: Notes) -> Iterator[EmailMessage]:
    """The leaves of the best forms; of the others all but their texts, which are noted."""
    best = _best(alternatives)
    texts = (body_of(leaf, markdown=True) for _, leaves in best for leaf in leaves if is_text(leaf))
    said = set(" ".join(texts).split())
    for form in alternatives:
        for leaf in form[1]:
            if form in best or not is_text(leaf) or _is_event(leaf):
                yield leaf
            elif not said.issuperset((other := body_of(leaf, markdown=True)).split()):
                notes.leave_out(OTHER_FORM, other)


def _best(alternatives: Sequence[_Form]) -> list[_Form]:
    """The plain text, unless it is a stub beside a page that says much more.

    Both, if they are in two languages.
    """
    texts = {
        id(item): " ".join(
            body_of(leaf, markdown=True)
            for leaf in leaves
            if is_text(leaf) and not _is_event(leaf)  # an invitation is read in any case
        )
        for item, leaves in alternatives
    }
    by_length = sorted(alternatives, key=lambda form: -len(texts[id(form[0])]))
    plain = [form for form in alternatives if form[0].get_content_type() == "text/plain"][:1]
    for other in [form for form in by_length if form not in plain][: len(plain)]:
        said, most = texts[id(plain[0][0])], texts[id(other[0])]
        words = {*re.findall(r"\w+", said.casefold())}
        shared = words.intersection(re.findall(r"\w+", most.casefold()))
        if len(said) >= _STUB * len(most) and len(shared) >= _STUB * len(words):
            return plain
        is_long = most and _STUB * len(most) <= len(said) <= len(most) / _STUB
        if is_long and detect_language([said]) != detect_language([most]):
            return [*plain, other]
    return by_length[:1]


def is_text(part: EmailMessage) -> bool:
    """Whether a part is shown in the mail, not attached to it."""
    kind = part.get_content_type()
    shown = part.get_content_maintype() in ("text", "multipart") or kind == _STATUS
    shown = shown and kind not in _FILES and not part.is_attachment()
    return shown and (not part.get_filename() or _is_event(part))


def _is_event(part: EmailMessage) -> bool:
    return part.get_content_type() == _EVENT


def body_of(part: EmailMessage, *, markdown: bool) -> str:
    """The text of a part that is shown."""
    if part.get_content_type() == _STATUS:
        return "\n".join(str(each).strip() for each in part.iter_parts()).strip()
    data, declared = bytes_of(part), str(part.get_content_charset() or "")
    if part.get_content_type() == HTML:
        from bs4.dammit import EncodingDetector

        declared = declared or EncodingDetector.find_declared_encoding(data, is_html=True) or ""
    text = decoded(base64_text(part, data), declared)
    if str(part.get_param("format")).lower() == "flowed":
        text = unflowed(text, without_space=str(part.get_param("delsp")).lower() == "yes")
    if part.get_content_type() == HTML and markdown:
        return html_to_markdown(text)
    return event_text(text) if _is_event(part) else text.strip()


def bytes_of(part: EmailMessage) -> bytes:
    """A part as a file."""
    if part.get_content_type() == MAIL:
        inner: Any = part.get_payload()
        mail = inner[0]
        if not mail.keys() and isinstance(mail.get_payload(), str):  # its base64 was left as it is
            with suppress(ValueError):
                return b64decode(f"{mail.get_payload()}==")  # it may end too early
        return bytes(mail)
    return payload_of(part)
