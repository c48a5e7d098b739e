"""The things that a reader takes and gives.

A reader is a generator: a file may hold one text, several parts that are files themselves (the
attachments of a mail), and places that cannot be read (a scanned page). Whatever keeps the whole
file from being read is a `CorpusError` whose message is the reason alone; the loader knows the
file.
"""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import IO, Final, NamedTuple

from hopyard.indexes.corpus.records import Markup, MetadataValue
from hopyard.state.errors import CorpusError

_IN_MEMORY: Final = 16 << 20
"""Bytes of a part that are kept in memory; a larger one lies in a temporary file."""
_BLOCK: Final = 1 << 20


@dataclass(slots=True)
class Allowance:
    """How much may be unpacked from one file, all its parts and their parts together."""

    bytes_left: int = 1 << 30
    parts_left: int = 10_000
    depth_left: int = 3
    """Archives in archives, attachments in mails in mails."""

    def take_part(self) -> None:
        """Count a part.

        Raises:
            CorpusError: There are too many.
        """
        self.parts_left -= 1
        if self.parts_left < 0:
            raise CorpusError("it has more than 10,000 parts; unpack it and name its folder")

    def take_bytes(self, count: int) -> None:
        """Count bytes that were unpacked.

        Raises:
            CorpusError: There are too many.
        """
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise CorpusError("its parts have more than 1 GB; unpack it and name its folder")


@dataclass(frozen=True, slots=True)
class Options:
    """How files are read."""

    encoding: str = ""
    """The encoding of text files; "" recognises it."""
    ocr: str = ""
    """The languages of scanned pages, as tesseract names them (`deu+eng`); "" leaves them out."""
    largest: int = 0
    """Megabytes of a file that are read at once; 0 takes what its format says."""


class LeftOut(NamedTuple):
    """A text that a reader leaves out on purpose."""

    kind: str
    """Its kind, in the singular: a menu, a running line."""
    text: str
    times: int = 1
    """How often it is there."""


@dataclass(slots=True)
class Notes:
    """Notes of a reader beside its text, for reports and the comparison with the file (`kept`)."""

    left_out: list[LeftOut] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    """The characters of each page as the library gives them, if the file's extractor needs them:
    a PDF is not opened twice."""
    wrong_bytes: int = 0
    """How many bytes of the text that was read last are wrong in its encoding."""

    def leave_out(self, kind: str, text: str) -> None:
        """Note a text that is left out on purpose; an empty one is nothing."""
        if plain := " ".join(text.split()):
            self.left_out.append(LeftOut(kind, plain))


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a part of one."""

    name: str
    """Its name, without folders."""
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    """Opens it at its beginning, for a `with` block. The stream can seek."""
    options: Options = Options()
    allowance: Allowance = field(default_factory=Allowance)
    notes: Notes = field(default_factory=Notes, compare=False)

    def read(self) -> bytes:
        """All of it at once, for formats that cannot be read in parts."""
        with self.open() as stream:
            return stream.read()


class Content(NamedTuple):
    """The text of a file."""

    title: str
    """"" where the file has none; then it is called by its name."""
    text: Iterable[str]
    """The parts of the text, in order. A form feed ends each page."""
    markup: Markup = "markdown"
    metadata: Mapping[str, MetadataValue] = {}
    pages: int = 0
    """How many parts there will be, where each is a page; 0 where it is not known."""
    boxes: Sequence[bytes] = ()
    """The places of the words of each page (`corpus.boxes`). They are there once the text is
    read."""


class Part(NamedTuple):
    """A file in a file."""

    name: str
    """Its name there, with the folders it has there."""
    source: Source


class PartNames:
    """The names of the parts of a file, which may give one name to several parts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def free(self, name: str) -> str:
        """The name, with a number if another part has it."""
        self._counts[name] += 1
        return name if self._counts[name] == 1 else f"{name} ({self._counts[name]})"


class Unread(NamedTuple):
    """A place in a file that was left out, and why."""

    place: str
    reason: str


Found = Content | Part | Unread
Reader = Callable[[Source], Iterator[Found]]


def file_of(data: bytes, name: str, like: Source) -> Source:
    """A part that is in memory, read with the options of the file that it is in."""
    return replace(like, name=name, open=lambda: io.BytesIO(data))


def parts_of(files: Iterable[tuple[str, bytes]], like: Source) -> Iterator[Part]:
    """The files of a file that are in memory, by name; equal names get a number.

    Raises:
        CorpusError: They are more than the file may give.
    """
    names = PartNames()
    for name, data in files:
        like.allowance.take_part()
        like.allowance.take_bytes(len(data))
        yield Part(names.free(name), file_of(data, name, like))


@contextmanager
def unpacked(stream: IO[bytes] | io.BufferedIOBase, name: str, like: Source) -> Iterator[Source]:
    """A part that is unpacked from a stream, no further than allowed, for as long as it is read.

    Raises:
        CorpusError: More is unpacked than the file may give.
    """
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as kept:
        while block := stream.read(_BLOCK):
            like.allowance.take_bytes(len(block))
            kept.write(block)

        @contextmanager
        def again() -> Iterator[IO[bytes]]:
            kept.seek(0)
            yield kept

        yield replace(like, name=name, open=again)
