"""JSON, XML and notebooks as text that can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html.entities import html5
from itertools import chain
from typing import Any, Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import plain_metadata, text_blocks
from hopyard.indexes.passages.markdown import first_heading, table_lines
from hopyard.state.errors import CorpusError

__all__ = ("read_json", "read_notebook", "read_xml")

_LONGEST_OUTPUT: Final = 10_000
"""Characters of what a notebook's cell printed."""
_DEEPEST_HEADING: Final = 6
_MOST_FLAT: Final = 12
"""Values of an object or a list that are shown in lines of the object they are in, at most."""
_LONGEST_NAME: Final = 80
_NAMES: Final = (frozenset(("name", "title", "label")), frozenset(("id", "key", "no", "number")))
"""Fields that name an object; those of the first set do so before the others."""
_LONGEST_LINE: Final = 4000
"""Characters of an element whose text is one line, at most."""
_PIECE: Final = 1 << 14
"""Characters that a parser reads at once: their elements are in memory together."""
_DECLARATION: Final = 200
"""Bytes in which an XML file declares its encoding."""
_DECLARED: Final = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']""")
_BLANKS: Final = re.compile(r"\s*")
_ENTITY: Final = re.compile(r"&([A-Za-z][\w.-]*);")
_DECLARED_ENTITY: Final = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+["']([^"']*)["']\s*>""")
_XML_NAMES: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
_LONGEST_ENTITY: Final = 64
_MOST_NESTED: Final = 20
"""Names in the texts of other names, at most."""
_LONGEST_TEXTS: Final = 10_000
"""Characters of all texts that a file has names for, at most."""
_RAISED: Final = frozenset(("sup", "superscript"))


def read_json(source: Source) -> Iterator[Content]:
    """JSON: names become headings and labels; a list of flat objects becomes a table.

    Each other object of a list is a section, named by its first text. Numbers are as written.
    Several values one after the other are a list.
    """
    text = "".join(text_blocks(source))
    read = json.JSONDecoder(
        parse_float=_Number, parse_int=_Number, object_pairs_hook=_all_pairs
    ).raw_decode
    values: list[Any] = []
    place = _skip_blanks(text, 0)
    try:
        while not values or place < len(text):
            value, place = read(text, place)
            values.append(value)
            place = _skip_blanks(text, place)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorpusError(f"not valid JSON ({error})") from error
    yield Content("", _value_text(values if len(values) > 1 else values[0], 1))


def _skip_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def read_xml(source: Source) -> Iterator[Content]:
    """XML: a line for each element that holds text, with its name, attributes and all its text.

    An element with text beside inner elements is one line, in the order of the document.
    """
    from defusedxml import ExternalReferenceForbidden
    from defusedxml.ElementTree import iterparse

    def lines() -> Iterator[str]:
        root: Element | None = None
        depth = 0
        entry: Element | None = None  # ended, but the text behind it may not be read yet
        for event, element in iterparse(
            _Stream(_plain_names(blocks)), events=("start", "end"), forbid_entities=False
        ):
            if root is None:
                root = element
            if entry is not None:
                yield from _entry(root, entry)
                entry = None
            depth += 1 if event == "start" else -1
            if event == "end" and depth == 1 and not _says(root.text):
                entry = element
        if root is not None:
            yield from _element_lines(root)

    with source.open() as stream:
        declared = _DECLARED.search(stream.read(_DECLARATION))
    blocks = text_blocks(source, declared[1].decode() if declared else "")

    def checked() -> Iterator[str]:
        try:
            yield from lines()
        except ExternalReferenceForbidden as error:
            raise CorpusError("it takes text from another file, which is not read") from error

    yield Content("", checked(), "text")


def _plain_names(blocks: Iterator[str]) -> Iterator[str]:
    """Blocks of XML with the signs that HTML names, `&nbsp;`, unless the file itself names them.

    Raises:
        CorpusError: Its own names stand for too much text: a few may stand for gigabytes.
    """
    own: frozenset[str] | None = None
    rest = ""
    for block in chain(blocks, [""]):
        text = rest + block
        if own is None:
            own = _own_names(text)
        cut = text.rfind("&", max(0, len(text) - _LONGEST_ENTITY)) if block else -1
        text, rest = (text, "") if cut < 0 else (text[:cut], text[cut:])
        yield _ENTITY.sub(partial(_sign, own), text)


def _sign(own: frozenset[str], found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name in own or name in _XML_NAMES else html5.get(f"{name};", found[0])


def _own_names(text: str) -> frozenset[str]:
    """The names that a file declares for texts of its own."""
    declared = dict(_DECLARED_ENTITY.findall(text))
    nested = [name for value in declared.values() for name in _ENTITY.findall(value)]
    if len(nested) > _MOST_NESTED or sum(map(len, declared.values())) > _LONGEST_TEXTS:
        raise CorpusError("its entities stand for too much text: replace them by their text")
    return frozenset(declared)


class _Stream:
    """Blocks of text as a stream that a parser reads in small pieces."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self._pieces = (
            block[start : start + _PIECE]
            for block in blocks
            for start in range(0, len(block), _PIECE)
        )

    def read(self, _: int = -1) -> str:
        return next(self._pieces, "")


def _entry(root: Element, entry: Element) -> Iterator[str]:
    """The lines of an element in the outermost one, which then is not needed any more."""
    if root[0] is entry and root.attrib and not _says(root.text):
        yield f"{_name(root)}\n"
        root.attrib.clear()
    yield from _element_lines(entry)
    if _says(entry.tail):
        yield f"{_one_line(entry.tail)}\n"
    yield "\n"
    root.remove(entry)


def _element_lines(element: Element) -> Iterator[str]:
    mixed = _says(element.text) or any(_says(child.tail) for child in element)
    text = _one_line("".join(_strings(element))) if mixed else ""
    if text and (len(text) <= _LONGEST_LINE or not len(element)):
        yield f"{_name(element)}: {text}\n"
        return
    if element.attrib:
        yield f"{_name(element)}\n"
    for part in (element.text, *element):
        if isinstance(part, str):
            parts: Iterable[str] = [part]
        elif part is not None:
            yield from _element_lines(part)
            parts = [part.tail or ""]
        else:
            continue
        yield from (f"{_one_line(words)}\n" for words in parts if _says(words))


def _strings(element: Element) -> Iterator[str]:
    """All text in an element, in order; an empty element is a space or its attributes."""
    yield element.text or ""
    for child in element:
        if _local(child.tag).casefold() in _RAISED:
            yield "^"
        if len(child) or child.text:
            yield from _strings(child)
        else:
            yield f" {' '.join(child.attrib.values())} "
        yield child.tail or ""


def _name(element: Element) -> str:
    about = ", ".join(f"{_local(key)} {value}" for key, value in element.attrib.items())
    return f"{_local(element.tag)} ({about})" if about else _local(element.tag)


def _says(text: str | None) -> bool:
    return bool(text and text.strip())


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def read_notebook(source: Source) -> Iterator[Content]:
    """A Jupyter notebook: its text, its code, and what the code printed."""
    try:
        book = json.loads("".join(text_blocks(source)))
        cells, about = book["cells"], book.get("metadata", {})
        language = about.get("kernelspec", {}).get("language", "python")
        blocks = [block for cell in cells for block in _cell(cell, language)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorpusError(f"not a readable notebook ({type(error).__name__}: {error})") from error
    authors = [one.get("name", "") for one in about.get("authors", []) if isinstance(one, dict)]
    metadata = plain_metadata({"author": ", ".join(filter(None, authors))})
    text = "\n\n".join(blocks)
    yield Content(str(about.get("title") or first_heading(text)), [text], "markdown", metadata)


def _cell(cell: dict[str, Any], language: str) -> Iterator[str]:
    text = _joined(cell.get("source", "")).strip()
    if not text:
        return
    if cell.get("cell_type") != "code":
        yield text
        return
    yield f"```{language}\n{text}\n```"
    for output in cell.get("outputs", []):
        printed = output.get("text") or output.get("data", {}).get("text/plain", "")
        if shown := _joined(printed).strip()[:_LONGEST_OUTPUT]:
            yield f"```\n{shown}\n```"


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


class _Number(str):
    """A number in JSON, as it is written."""


def _all_pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of equal names, each is kept."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        count, free = 2, name
        while free in found:
            free, count = f"{name} ({count})", count + 1
        found[free] = value
    return found


def _value_text(value: Any, level: int) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _flat_lines(value)
        for name, one in value.items():
            if not _is_flat(one):
                yield f"{_heading(name, level)}\n\n"
                yield from _value_text(one, level + 1)
    elif isinstance(value, list) and _is_table(value):
        names = list(dict.fromkeys(name for row in value for name in row))
        rows = ([_scalar(row.get(name, "")) for name in names] for row in value)
        yield from (f"{line}\n" for line in table_lines([names]))
        yield from (f"{line}\n" for row in rows for line in _row(row))
        yield "\n"
    elif isinstance(value, list) and not _is_flat(value):
        for number, one in enumerate(value, start=1):
            if isinstance(one, (dict, list)):
                yield f"{_heading(_called(one) or str(number), level)}\n\n"
            yield from _value_text(one, level + 1)
    elif isinstance(value, list):
        yield from (f"- {_scalar(one)}\n" for one in value)
        yield "\n"
    else:
        yield f"{_scalar(value)}\n"


def _flat_lines(value: dict[str, Any], place: str = "") -> Iterator[str]:
    """The values of an object that need no section, a line each."""
    for name, one in value.items():
        if isinstance(one, dict) and _is_flat(one):
            yield from _flat_lines(one, f"{place}{name} › ")
        elif isinstance(one, list) and _is_flat(one):
            yield f"{place}{name}: {', '.join(map(_scalar, one))}\n"
        elif not isinstance(one, (dict, list)):
            yield f"{place}{name}: {_scalar(one)}\n"
    if not place:
        yield "\n"


def _is_flat(value: Any) -> bool:
    """Whether a value is plain, or an object or list of few values that are."""
    if isinstance(value, dict):
        return len(value) <= _MOST_FLAT and all(map(_is_flat, value.values()))
    if isinstance(value, list):
        numbers = all(isinstance(one, (_Number, list)) for one in value)
        return (numbers or len(value) <= _MOST_FLAT) and not any(
            isinstance(one, dict) or not _is_flat(one) for one in value
        )
    return True


def _called(value: Any) -> str:
    """The name of an object of a list: what its fields say is a name, or its first short text."""
    if not isinstance(value, dict):
        return ""
    inner = [one for one in value.values() if isinstance(one, dict) and _is_flat(one)]
    for names in _NAMES:
        for fields in (value, *inner):
            for name, one in fields.items():
                if (
                    name.casefold() in names
                    and isinstance(one, str)
                    and 0 < len(one) <= _LONGEST_NAME
                ):
                    return one
    texts = (one for one in value.values() if isinstance(one, str))
    return next((one for one in texts if 0 < len(one) <= _LONGEST_NAME), "")


def _heading(name: str, level: int) -> str:
    return f"{'#' * min(level, _DEEPEST_HEADING)} {_one_line(name)}"


def _is_table(rows: list[Any]) -> bool:
    return len(rows) > 1 and all(
        isinstance(row, dict) and row and not any(isinstance(v, (dict, list)) for v in row.values())
        for row in rows
    )


def _row(row: list[str]) -> list[str]:
    return list(table_lines([row]))[:1]


def _scalar(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_scalar, value))})"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
