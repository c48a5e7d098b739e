"""Parts of office files and books: ZIP archives whose files name each other."""

from __future__ import annotations

import posixpath
import re
import unicodedata
import zipfile
from typing import IO, Final, NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.archives import zip_name
from hopyard.indexes.documents.readers.text import author_name, plain_metadata
from hopyard.state.errors import CorpusError

_LONGEST: Final = 256 << 20
"""Bytes of one unpacked part of an office file; a tiny file may claim to hold far more."""
_COMPOUND: Final = b"\xd0\xcf\x11\xe0"
"""The first bytes of an OLE file. Source: MS-CFB, 2.2."""
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_CORE: Final = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{http://purl.org/dc/elements/1.1/}creator",
    "date": "{http://purl.org/dc/terms/}modified",
}
"""The properties of a Microsoft Office file. Source: ECMA-376, part 2, 11.1."""
_TEMPLATES: Final = {"2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z", "Untitled Spreadsheet"}
"""The values that python-docx, python-pptx and PhpSpreadsheet write until their user says more."""


class Related(NamedTuple):
    """A part that another part names."""

    kind: str
    """The last word of the relationship's type, such as `notesSlide`."""
    name: str
    """Its name in the archive; "" if it is missing or outside."""


class Parts:
    """The parts of an open file, found also by names that are written oddly.

    References may be percent-encoded, have backslashes, `..`, a fragment, or another case or
    Unicode form than the name in the archive.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        """Read the list of parts.

        Raises:
            CorpusError: The file is no ZIP archive, or protected with a password.
        """
        start = stream.read(len(_COMPOUND))
        stream.seek(0)
        if start == _COMPOUND:
            raise CorpusError(
                "it is protected with a password or in the format of Office 97; save it without a "
                "password in the current format"
            )
        try:
            self._archive = zipfile.ZipFile(stream)
        except zipfile.BadZipFile as error:
            raise CorpusError(f"not a readable file of its kind ({error})") from error
        self._entries = {entry.filename: entry for entry in self._archive.infolist()}
        self._names = {_folded(zip_name(entry)): name for name, entry in self._entries.items()}
        self._related: dict[str, dict[str, Related]] = {}

    @property
    def names(self) -> list[str]:
        """The names of all parts, in the order of the archive."""
        return list(self._entries)

    def find(self, reference: str, base: str = "") -> str:
        """The name in the archive of the part that another part refers to; "" if it has none.

        Args:
            reference: As it is written.
            base: The part that refers to it.
        """
        if _ADDRESS.match(reference):
            return ""
        folder = posixpath.dirname(base.replace("\\", "/"))
        for path in (reference, reference.partition("#")[0].partition("?")[0]):
            for node in (path, unquote(path)):
                whole = _folded(posixpath.join(folder, node.replace("\\", "/")))
                if path and whole in self._names:
                    return self._names[whole]
        return ""

    def read(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            CorpusError: There is no such part, it is encrypted or broken, or too long.
        """
        try:
            with self.open(name) as file:
                data = file.read(_LONGEST + 1)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise CorpusError(f"its part {name!r} cannot be unpacked ({error})") from error
        if len(data) > _LONGEST:
            raise CorpusError(f"its part {name!r} is longer than 256 MB")
        return data

    def open(self, name: str) -> IO[bytes]:
        """A part as a stream.

        Raises:
            CorpusError: There is no such part.
        """
        if name not in self._entries:
            raise CorpusError(f"it has no part {name!r}")
        return self._archive.open(self._entries[name])

    def xml(self, name: str) -> Element:
        """A part that is XML.

        Raises:
            CorpusError: It cannot be read, or is no XML.
        """
        return parsed(self.read(name), name)

    def optional(self, reference: str) -> Element:
        """A part that is XML; an empty element if it is missing or cannot be read."""
        found = self.find(reference)
        try:
            return self.xml(found) if found else Element("none")
        except CorpusError:
            return Element("none")

    def document(self, usual: str) -> str:
        """The main part of a Microsoft Office file; its usual name if the file does not say it."""
        links = (link.name for link in self.related("").values() if link.kind == "officeDocument")
        return next(links, "") or self.find(usual) or usual

    def properties(self) -> dict[str, MetadataValue]:
        """Title, author and date of a Microsoft Office file."""
        root = self.optional("docProps/core.xml")
        found = {name: (root.findtext(f".//{tag}") or "").strip() for name, tag in _CORE.items()}
        found = {name: "" if value in _TEMPLATES else value for name, value in found.items()}
        author = author_name(found["author"])
        return plain_metadata(found | {"author": author, "date": found["date"][:10]})

    def related(self, name: str) -> dict[str, Related]:
        """The parts that a part of a Microsoft Office file names, by their ids.

        Source: ECMA-376, part 2, 9.3. A name of "" gives those of the whole file.
        """
        if name not in self._related:
            self._related[name] = {}  # also if they are no readable XML
            folder, file = posixpath.split(name.replace("\\", "/"))
            rels = self.find(f"{folder}/_rels/{file}.rels".lstrip("/"))
            self._related[name] = {
                node.get("Id", ""): Related(
                    node.get("Type", "").rpartition("/")[2],
                    self.find(node.get("Target", ""), name),
                )
                for node in (self.xml(rels) if rels else ())
            }
        return self._related[name]


def parsed(data: bytes, name: str) -> Element:
    """The XML of a part.

    Raises:
        CorpusError: It is no XML, or refers to other files.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        found: Element = fromstring(data)
    except (ParseError, DefusedXmlException) as error:
        raise CorpusError(f"its part {name!r} is no readable XML ({error})") from error
    return found


def local(element: Element) -> str:
    """The name of an element without its namespace; "" for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _folded(name: str) -> str:
    path = posixpath.normpath(f"/{name}".replace("\\", "/"))
    return unicodedata.normalize("NFC", path.lstrip("/")).casefold()
