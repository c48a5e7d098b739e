"""Corpus files: a document in each line, as JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import IO, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.indexes.corpus.records import BadItem, Document, Markup, MetadataValue
from hopyard.indexes.documents.readers.base import Source
from hopyard.state.errors import CorpusError
from hopyard.state.text.unicode import storable_text, valid_unicode

_ID_DIGITS: Final = 16
"""Hex digits of a derived id: 64 bits keep two of a billion documents apart."""

_LONGEST_LINE: Final = 100
"""Megabytes of a line of a corpus file: it is in memory several times while it is parsed."""

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""The beginning of an escape in JSON that is half of a character."""


class _Line(BaseModel):
    """One line of a corpus file. Other keys are ignored."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    id: str | int | None = None
    title: str = ""
    text: str
    metadata: dict[str, str | int | float | bool | None] = {}
    markup: Markup = "text"


def read_lines(source: Source, place: str, key: str) -> Iterator[tuple[int, Document] | BadItem]:
    """The documents of a file, each with the number of its line.

    Args:
        place: Its name for reports.
        key: Its name in the index.
    """
    limit = source.options.largest or _LONGEST_LINE
    with source.open() as stream:
        for number, line in enumerate(_lines(stream, limit * 1_000_000), start=1):
            if line is None:
                reason = f"a line of more than {limit} MB, which is read at once: cut the document"
                yield BadItem(place, reason, number)
                continue
            content = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not content.strip():
                continue
            try:
                yield number, _parse_line(content, key)
            except CorpusError as error:
                yield BadItem(place, str(error), number, settled=True)


def _lines(stream: IO[bytes], limit: int) -> Iterator[bytes | None]:
    """Lines; None for one that is longer than the limit."""
    while line := stream.readline(limit):
        if len(line) < limit or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(limit)
        yield None


def _parse_line(line: bytes, source: str) -> Document:
    try:
        item = _Line.model_validate_json(_whole_escapes(line.decode()))
    except UnicodeDecodeError as error:
        raise CorpusError(f"not valid UTF-8 ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "line"
        raise CorpusError(f"{where}: {first['msg']}") from error
    title, text = storable_text(item.title), storable_text(item.text)
    if not text.strip():
        raise CorpusError("the text is empty")
    given = None if item.id is None else storable_text(str(item.id))
    if given is not None and not given.strip():
        raise CorpusError("the id is empty")
    name = given or derived_id(f"{title}\n{text}")
    return Document(name, title, text, storable(item.metadata), source, item.markup)


def storable(metadata: Mapping[str, MetadataValue | None]) -> dict[str, MetadataValue]:
    """Metadata without what no database stores."""
    return {
        storable_text(name): storable_text(value) if isinstance(value, str) else value
        for name, value in metadata.items()
        if value is not None
    }


def _whole_escapes(line: str) -> str:
    """The line with its escapes as characters, if one may be half of a character."""
    if not _SURROGATE.search(line):
        return line
    with suppress(ValueError, RecursionError):  # told by the validation
        return valid_unicode(json.dumps(json.loads(line), ensure_ascii=False))
    return line


def derived_id(text: str) -> str:
    """An id that a text gives."""
    return hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
