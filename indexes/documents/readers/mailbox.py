"""Mailboxes: mails one after the other, as Thunderbird, Google Takeout and Unix keep them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_string, policy
from functools import partial
from itertools import chain
from typing import IO, Final

from hopyard.indexes.documents.readers.base import (
    Allowance,
    Found,
    Part,
    PartNames,
    Source,
    file_of,
)
from hopyard.state.errors import CorpusError

_BEGIN: Final = b"From "
_NEXT: Final = re.compile(rb"From (?:- |\S* *)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? ")
_LONGEST: Final = 1 << 20
"""Bytes of a line that are read at once."""
_ESCAPED: Final = re.compile(rb">+From ")


def read_mbox(source: Source) -> Iterator[Found]:
    """Each mail is a part that is named by its subject.

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
