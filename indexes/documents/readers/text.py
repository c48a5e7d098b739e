"""Plain text, Markdown and source code, in any encoding."""

from __future__ import annotations

import codecs
import io
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any, Final

from hopyard.indexes.corpus.records import MetadataValue
from hopyard.indexes.documents.readers.base import Content, Source, file_of
from hopyard.indexes.documents.readers.encoding import WRONG_BYTES, encoding_of
from hopyard.indexes.passages.markdown import first_heading
from hopyard.state.errors import CorpusError
from hopyard.state.settings.rights import GROUPS

_BLOCK: Final = 1 << 20
_FENCES: Final = {"---": ("---", "..."), "+++": ("+++",)}
"""The line before front matter, and the lines that end it."""
_FIELD: Final = re.compile(r"\s*([\w-]+)\s*[:=]\s*[\"\']?(.*?)[\"\']?\s*$")

_NO_AUTHOR: Final = re.compile(
    r"(?:python-(?:docx|pptx)|openpyxl|xlsxwriter|apache poi|phpword|phpspreadsheet|docx4j|pandoc"
    r"|reportlab|wkhtmltopdf|(?:libre|open)office(?:\.org)?(?: writer| calc| impress| draw)?"
    r"|(?:microsoft|ms)?[ -]?(?:office|word|excel|powerpoint)"
    r"|(?:(?:microsoft|ms)(?: office)?|office|windows)[ -]?(?:user|benutzer|account|konto)"
    r"|utilisateur (?:de )?(?:windows|microsoft office)|(?:default )?user|benutzer|utilisateur"
    r"|administrat(?:or|eur)|admin|owner|root|anonymous|unknown(?: creator)?|unspecified"
    r"|unbekannt|inconnu|author|autor|auteur)(?:[ /]v?\d[\w.]*)?",
    re.IGNORECASE,
)
"""The names that programs write if they know no author, perhaps with their version."""


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
        declared: The encoding that the file itself names; it counts where no byte-order mark and
            no option says another.

    Raises:
        CorpusError: The bytes are not text in the encoding.
    """
    with source.open() as stream:
        encoding, mark, wrong = encoding_of(stream, source.options.encoding, declared)
        source.notes.wrong_bytes = wrong
        stream.seek(mark)
        plain = codecs.getincrementaldecoder(encoding)(WRONG_BYTES if wrong else "strict")
        decoder = io.IncrementalNewlineDecoder(plain, True)
        try:
            while block := stream.read(_BLOCK):
                yield decoder.decode(block)
            yield decoder.decode(b"", final=True)
        except UnicodeError as error:
            reason = f"not valid {encoding.upper()} text ({error}); name it with --encoding"
            raise CorpusError(reason) from error


def decode(data: bytes, source: Source, declared: str = "") -> str:
    """The text of bytes in memory, as `text_blocks` reads a file."""
    return "".join(text_blocks(file_of(data, source.name, source), declared))


def decoded(data: bytes, declared: str = "") -> str:
    """The text of bytes that are a part of a file; signs in no known encoding are U+FFFD."""
    try:
        name, start, _ = encoding_of(io.BytesIO(data), "", declared)
    except CorpusError:
        return data.decode("utf-8", "replace")
    return data[start:].decode(name, WRONG_BYTES if name == "utf-8" else "replace")


def author_name(text: str) -> str:
    """An author; "" for the name of a program, or of an account of a computer."""
    name = " ".join(text.split())
    return "" if _NO_AUTHOR.fullmatch(name.strip("()<>")) else name


def plain_metadata(values: Mapping[Any, Any]) -> dict[str, MetadataValue]:
    """The values that metadata may hold: text, numbers, booleans, dates, lists of them.

    A value in an inner mapping has the outer name before its own: `location.city`. Groups of
    another type are empty groups, which let nobody read the text.
    """
    plain: dict[str, MetadataValue] = {}
    for name, value in values.items():
        named_groups = str(name).casefold() == GROUPS
        if isinstance(value, Mapping) and not named_groups:
            inner = {f"{name}.{key}": entry for key, entry in value.items()}
            plain |= plain_metadata(inner)
        elif isinstance(value, (list, tuple)):
            plain[str(name)] = ", ".join(str(item) for item in value)
        elif isinstance(value, date):
            plain[str(name)] = value.isoformat()
        elif isinstance(value, (str, bool, int)) or (
            isinstance(value, float) and math.isfinite(value)
        ):
            plain[str(name)] = value.strip() if isinstance(value, str) else value
        elif named_groups:  # left out, they would open the text
            plain[str(name)] = ""
    return {name: held for name, held in plain.items() if held != "" or name.casefold() == GROUPS}


def _front_matter(text: str) -> tuple[dict[str, MetadataValue], str]:
    """Metadata and the rest of a text. Lines that are no valid YAML are read one by one."""
    head, _, rest = text.partition("\n")
    if head.rstrip() not in _FENCES:
        return {}, text
    ends = _FENCES[head.rstrip()]
    lines = rest.split("\n")
    end = next((row for row, line in enumerate(lines) if line.rstrip() in ends), None)
    if end is None:
        return {}, text
    read = _toml if head.rstrip() == "+++" else _yaml
    values = read(lines[:end])
    if values is None:
        values = _line_by_line(lines[:end])
        if not values:
            return {}, text
    return plain_metadata(values), "\n".join(lines[end + 1 :])


def _line_by_line(lines: Sequence[str]) -> dict[str, list[str]]:
    """The fields of lines that are no valid YAML; other lines continue the field before them."""
    values: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if found := _FIELD.match(line):
            name = found[1]
            values[name] = [found[2]] if found[2] else []
        elif name and (more := line.strip().removeprefix("- ")):
            values[name].append(more)
    return values


def _yaml(lines: Sequence[str]) -> dict[Any, Any] | None:
    """The fields, or None; `01234` and `1.10` stay as they are written."""
    import yaml

    try:
        values = yaml.load("\n".join(lines), yaml.BaseLoader)  # noqa: S506 - it makes texts alone
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return (
        {name: _typed(value) for name, value in values.items()}
        if isinstance(values, dict)
        else None
    )


def _typed(value: Any) -> Any:
    """A text as the number or truth value that is written so, or the value itself.

    In a mapping, all values.
    """
    if isinstance(value, dict):
        return {name: _typed(entry) for name, entry in value.items()}
    if not isinstance(value, str):
        return value
    if value in ("true", "false"):
        return value == "true"
    for kind in (int, float):
        try:
            if str(kind(value)) == value:
                return kind(value)
        except ValueError:
            continue
    return value


def _toml(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return None
