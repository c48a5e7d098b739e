"""Plain text, Markdown and source code, in any encoding."""

from __future__ import annotations

import codecs
import io
import math
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import chain
from typing import IO, Any, Final

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.passages.markdown import first_heading
from hopyard.state.errors import CorpusError

__all__ = ("decode", "plain_metadata", "read_markdown", "read_plain_text", "text_blocks")

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLOCK: Final = 1 << 20
_SAMPLE: Final = 1 << 18
"""Bytes from which an encoding is guessed, where they are no UTF-8."""
_GUESSED: Final = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
    *("koi8_r", "cp932", "gb18030", "euc_jp", "big5", "cp949", "iso2022_jp", "iso2022_kr"),
)
"""In the order in which a text takes one that fits as well as others. Korean text fits the Chinese
and Japanese ones worse, while their texts fit the Korean one as well."""
_FENCES: Final = ("---", "...")


def read_plain_text(source: Source) -> Iterator[Content]:
    """Text as it is; it has no title of its own."""
    yield Content("", text_blocks(source), "text")


def read_markdown(source: Source) -> Iterator[Content]:
    """Markdown as written. Front matter in YAML becomes metadata.

    The title is that of the front matter, else the first heading. Both are looked for in the first
    million bytes.
    """
    blocks = text_blocks(source)
    metadata, text = _front_matter(next(blocks))
    title = str(metadata.pop("title", "")) or first_heading(text)
    yield Content(title, chain([text], blocks), "markdown", metadata)


def text_blocks(source: Source, declared: str = "") -> Iterator[str]:
    """The text of a file, a block at a time, with a line feed after each line.

    Args:
        source: The file.
        declared: The encoding that the file itself names; it counts where no byte-order mark and
            no option says another.

    Raises:
        CorpusError: The bytes are not text in the encoding.
    """
    with source.open() as stream:
        encoding, mark = _encoding(stream, source.options.encoding, declared)
        stream.seek(mark)
        decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), True)
        try:
            while block := stream.read(_BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
        except UnicodeError as error:
            raise _not_in(encoding, error) from error


def decode(data: bytes, source: Source, declared: str = "") -> str:
    """The text of bytes in memory, as `text_blocks` reads a file."""
    from hopyard.indexes.documents.readers.base import file_of

    return "".join(text_blocks(file_of(data, source.name, source), declared))


def plain_metadata(values: Mapping[Any, Any]) -> dict[str, MetadataValue]:
    """What metadata may hold of some values: text, numbers, booleans, dates, lists of them."""
    plain: dict[str, MetadataValue] = {}
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            plain[str(name)] = ", ".join(str(item) for item in value)
        elif isinstance(value, date):
            plain[str(name)] = value.isoformat()
        elif isinstance(value, (str, bool, int)) or (
            isinstance(value, float) and math.isfinite(value)
        ):
            plain[str(name)] = value.strip() if isinstance(value, str) else value
    return {name: value for name, value in plain.items() if value != ""}


def _encoding(stream: IO[bytes], forced: str, declared: str) -> tuple[str, int]:
    """The encoding of a stream, and the length of its byte-order mark."""
    begin = stream.read(4)
    for mark, name in _MARKS:
        if begin.startswith(mark):
            # The codecs `utf-16` and `utf-32` read the mark themselves.
            return name, len(mark) if name == "utf-8" else 0
    if forced:
        return forced, 0
    # A page may declare what it is not.
    fitting = (name for name in (declared, "utf-8") if name and _decodes(stream, name))
    return next(fitting, "") or _guess(stream), 0


def _decodes(stream: IO[bytes], encoding: str) -> bool:
    stream.seek(0)
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        while block := stream.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except (UnicodeError, LookupError):
        return False
    return True


def _guess(stream: IO[bytes]) -> str:
    from charset_normalizer import from_bytes

    stream.seek(0)
    sample = stream.read(_SAMPLE)
    if len(sample) == _SAMPLE:  # cut where no character is
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    matches = list(from_bytes(sample, cp_isolation=[*_GUESSED])) if b"\0" not in sample else []
    if not matches:
        raise CorpusError("not text in a known encoding; name the encoding with --encoding")
    best = min((match.chaos, -match.coherence) for match in matches)
    alike = {
        name
        for match in matches
        if (match.chaos, -match.coherence) == best
        for name in (match.encoding, *match.could_be_from_charset)
    }
    # A short text fits several. The first that is as good as any other is the most widespread.
    return next((name for name in _GUESSED if name in alike), matches[0].encoding)


def _not_in(encoding: str, error: UnicodeError) -> CorpusError:
    return CorpusError(f"not valid {encoding.upper()} text ({error}); name it with --encoding")


def _front_matter(text: str) -> tuple[dict[str, MetadataValue], str]:
    """Metadata and the rest of a text; a beginning that is no mapping in YAML is text."""
    head, _, rest = text.partition("\n")
    if head.rstrip() != _FENCES[0]:
        return {}, text
    lines = rest.split("\n")
    ends = (row for row, line in enumerate(lines) if line.rstrip() in _FENCES)
    if (end := next(ends, None)) is None:
        return {}, text
    import yaml

    try:
        values = yaml.safe_load("\n".join(lines[:end]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(values, dict):
        return {}, text
    return plain_metadata(values), "\n".join(lines[end + 1 :])
