"""Mails with their attachments: the internet's format, and Outlook's."""

from __future__ import annotations

import re
from base64 import b64decode
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import EmailPolicy
from itertools import chain
from typing import Any, Final

from hopyard.indexes.documents.readers.base import (
    Content,
    Found,
    Notes,
    Source,
    Unread,
    file_of,
    parts_of,
)
from hopyard.indexes.documents.readers.cards import event_text
from hopyard.indexes.documents.readers.mail.envelopes import ENVELOPES, mail_within
from hopyard.indexes.documents.readers.mail.outlook import (
    PackageDefect,
    mail_of_msg,
    mail_of_package,
)
from hopyard.indexes.documents.readers.mail.text import (
    base64_text,
    dates_of,
    payload_of,
    unflowed,
    unpacked,
    web_pages_of,
)
from hopyard.indexes.documents.readers.text import decode, decoded, plain_metadata
from hopyard.indexes.documents.readers.web import html_to_markdown, read_html
from hopyard.indexes.text.language import detect_language
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
_PACKAGES: Final = ("application/ms-tnef", "application/vnd.ms-tnef")
_MOST_ENVELOPES: Final = 3
_SEALED: Final = "it is encrypted: save it without"
_OTHER_FORM: Final = "alternative form"
_BARE_NAME: Final = re.compile(r"name=(=\?[^\s?]+\?[bBqQ]\?[^\s?]*\?=)")
"""An encoded name without the quotation marks that it needs."""
_MOST_PARTS: Final = 10_000
_LONGEST_HEADERS: Final = 100_000
_STUB: Final = 0.3
"""The share of the longest alternative that the plain text has, and of its words that are in both;
else it is a stub."""
_HEADERS: Final = re.compile(rb"\A.*?\r?\n(?=\r?\n)", re.DOTALL)
_ABOVE: Final = re.compile(
    rb"\A(?:[ \t]*\r?\n)*+(?:(?!From |[!-9;-~]+:)[^\r\n]+\r?\n)?"
    rb"(?=From |(?:from|to|cc|date|subject|sender|reply-to|return-path|received|delivered-to|path|"
    rb"message-id|newsgroups|mime-version|envelope-to|content-[a-z-]+|x-[\w-]+)[ \t]*:)",
    re.IGNORECASE,
)
"""Empty lines and one line of a program above the headers; a text without headers has neither."""
_GAP: Final = re.compile(rb"\r?\n(?:\r?\n)+")
_KIND: Final = re.compile(
    rb"^content-type:[ \t]*[\w.+-]+/[\w.+-]+[ \t]*(?:;|\r?$)", re.MULTILINE | re.IGNORECASE
)


def read_eml(source: Source) -> Iterator[Found]:
    """A mail: its subject is the title; sender, recipients and date are metadata.

    All texts of the mail are its body, however they are nested; every other part is a file.
    """
    mail = _parsed(from_headers(source.read()))
    if not mail.keys():
        raise CorpusError("not a readable mail: it has no headers")
    yield from _read(mail, source)


def read_mhtml(source: Source) -> Iterator[Found]:
    """A web page that a browser saved in one file; the pages of its frames are files in it."""
    pages = web_pages_of(_parsed(from_headers(source.read())))
    if not pages:
        raise CorpusError("it holds no web page")
    page = file_of(payload_of(pages[0]), source.name, source)
    yield from read_html(page, str(pages[0].get_content_charset() or ""))
    frames = (
        (f"frame {number}.html", _page_of(each, source)) for number, each in enumerate(pages[1:], 1)
    )
    yield from parts_of(frames, source)


def _page_of(part: Message, source: Source) -> bytes:
    """A page as a file that says its encoding itself."""
    data, charset = payload_of(part), str(part.get_content_charset() or "")
    return BOM_UTF8 + decode(data, source, charset).encode() if charset else data


def read_msg(source: Source) -> Iterator[Found]:
    """A mail saved by Outlook, or an ordinary one that a program gave the same suffix."""
    from olefile import isOleFile  # of python-oxmsg
    from oxmsg import Message as Saved

    if not isOleFile(data=source.read()):
        yield from read_eml(source)
        return
    with source.open() as stream:
        yield from _read(mail_of_msg(Saved.load(stream), source), source)


def read_tnef(source: Source) -> Iterator[Found]:
    """A mail in Outlook's package that was saved as a file."""
    yield from _read(mail_of_package(source), source)


def _read(mail: EmailMessage, source: Source) -> Iterator[Found]:
    names = ("subject", "from", "to", "cc", "date", "received")
    heads = {name: _headers(mail, name) for name in names}
    subject, sender, *_, date, received = ("".join(values[:1]) for values in heads.values())
    metadata = {
        "author": sender,
        **{name: ", ".join(heads[name]) for name in ("to", "cc")},
        **dates_of(date or received.rpartition(";")[2]),
    }
    found = _Leaves(source)
    leaves = list(found.of(mail))
    html = any(_is_text(leaf) and leaf.get_content_type() == _HTML for leaf in leaves)
    bodies, files, said = list[str](), list[tuple[str, bytes]](), set[str]()
    for text in filter(_is_text, leaves):
        plain = unpacked(_body(text, markdown=html))
        words = set(plain.text.split())
        if id(text) in found.packed and 2 * len(words & said) >= len(words):
            source.notes.leave_out(_OTHER_FORM, plain.text)
            continue
        said |= words
        bodies.append(plain.text.strip())
        files += plain.files
        for kind, block in plain.left_out:
            source.notes.leave_out(kind, block)
            found.unread += [Unread(kind, _SEALED)] * (kind == "encrypted text")
    yield Content(
        subject,
        ["\n\n".join(filter(None, bodies))],
        "markdown" if html else "text",
        plain_metadata(metadata),
    )
    yield from found.unread
    others = enumerate((leaf for leaf in leaves if not _is_text(leaf)), start=1)
    yield from parts_of(
        chain(files, ((_file_name(part, at), _payload(part)) for at, part in others)), source
    )


def _headers(mail: EmailMessage, name: str) -> list[str]:
    """The headers of a name; decoding a very long header would take minutes."""
    raw = [value for key, value in mail.raw_items() if key.lower() == name]
    if sum(map(len, raw)) > _LONGEST_HEADERS:
        return [" ".join(value.split()) for value in raw]
    return [str(value) for value in mail.get_all(name, ())]


class _Leaves:
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
            self.unread.append(Unread("encrypted text", _SEALED))
        elif inner and part.get_content_maintype() == "multipart":
            for item in inner:
                yield from self.of(item, depth)
            for around in filter(str.strip, (part.preamble or "", part.epilogue or "")):
                notes.leave_out("surrounding text", around)
        elif kind in ENVELOPES:
            yield from self._within(part, depth)
        elif kind in _PACKAGES or str(part.get_filename()).lower() == "winmail.dat":
            file = file_of(_payload(part), part.get_filename() or "winmail.dat", self._source)
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
            mail = mail_within(_payload(envelope))
        except CorpusError as error:
            self.unread.append(Unread("enclosed mail", str(error)))
            return
        if mail is None:
            self.unread.append(Unread("encrypted text", _SEALED))
        elif mail:
            yield from self.of(_parsed(mail), depth + 1)


def _of_alternatives(alternatives: Sequence[_Form], notes: Notes) -> Iterator[EmailMessage]:
    """The leaves of the best forms; of the others all but their texts, which are noted."""
    best = _best(alternatives)
    texts = (_body(leaf, markdown=True) for _, leaves in best for leaf in leaves if _is_text(leaf))
    said = set(" ".join(texts).split())
    for form in alternatives:
        for leaf in form[1]:
            if form in best or not _is_text(leaf) or _is_event(leaf):
                yield leaf
            elif not said.issuperset((other := _body(leaf, markdown=True)).split()):
                notes.leave_out(_OTHER_FORM, other)


def _best(alternatives: Sequence[_Form]) -> list[_Form]:
    """The plain text, unless it is a stub beside a page that says much more.

    Both, if they are in two languages.
    """
    texts = {
        id(item): " ".join(
            _body(leaf, markdown=True)
            for leaf in leaves
            if _is_text(leaf) and not _is_event(leaf)  # an invitation is read in any case
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
        text = unflowed(text, without_space=str(part.get_param("delsp")).lower() == "yes")
    if part.get_content_type() == _HTML and markdown:
        return html_to_markdown(text)
    return event_text(text) if _is_event(part) else text.strip()


def _file_name(part: EmailMessage, number: int) -> str:
    """The part's name, with the suffix of its kind if it has none; a forwarded mail's subject."""
    inner: Any = part.get_payload() if part.get_content_type() == _MAIL else ()
    subject = str(inner[0].get("Subject", "")) if inner else ""
    if bare := _BARE_NAME.search(" ".join(value for _, value in part.raw_items())):
        part.set_param("name", str(make_header(decode_header(bare[1]))))
    name = part.get_filename() or subject or f"attachment {number}"
    if part.get_content_type() == _MAIL:
        return f"{name.removesuffix('.eml')}.eml"
    return name if re.search(r"\.\w{1,5}$", name) else f"{name}{_suffix(part)}"


def _payload(part: EmailMessage) -> bytes:
    if part.get_content_type() == _MAIL:
        inner: Any = part.get_payload()
        mail = inner[0]
        if not mail.keys() and isinstance(mail.get_payload(), str):  # its base64 was left as it is
            with suppress(ValueError):
                return b64decode(f"{mail.get_payload()}==")  # it may end too early
        return bytes(mail)
    return payload_of(part)


def _suffix(part: EmailMessage) -> str:
    import mimetypes

    kind = part.get_content_type()
    if kind == "application/octet-stream":
        return ""
    return ".rtf" if kind == "text/rtf" else mimetypes.guess_extension(kind) or ""


class _Lenient(EmailPolicy):
    """Reads headers without what is broken in them."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        for part in (value, value.partition(";")[0]):
            with suppress(Exception):  # Python's parser meets some headers with any exception
                return super().header_fetch_parse(name, part)
        return self.header_factory("Subject", " ".join(value.split()))


def from_headers(data: bytes) -> bytes:
    """A mail without what programs write above its headers, or empty lines between them."""
    data = data.removeprefix(BOM_UTF8)
    above = _ABOVE.match(data)
    data = data[above.end() :] if above else data
    gap = _GAP.search(data, 0, _LONGEST_HEADERS)
    if gap and _KIND.match(data, gap.end()) and not _KIND.search(data, 0, gap.start()):
        return data[: gap.start()] + b"\r\n" + data[gap.end() :]
    return data


def _parsed(data: bytes) -> EmailMessage:
    lenient: Any = _Lenient()
    readable = _HEADERS.sub(_readable_headers, data, count=1)
    mail: EmailMessage = BytesParser(EmailMessage, policy=lenient).parsebytes(readable)
    return mail


def _readable_headers(headers: re.Match[bytes]) -> bytes:
    """The headers in UTF-8; some programs write them in the encoding of their country."""
    return headers[0] if headers[0].isascii() else decoded(headers[0]).encode()
