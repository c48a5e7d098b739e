"""JSON and notebooks as text that can be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain, permutations
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Notes, Source, Unread
from hopyard.indexes.documents.readers.text import plain_metadata, text_blocks
from hopyard.indexes.documents.readers.web import html_to_markdown
from hopyard.indexes.passages.markdown import first_heading, table_lines
from hopyard.state.errors import CorpusError

_LONGEST_OUTPUT: Final = 10_000
"""Characters of what a notebook's cell printed."""
_DEEPEST_HEADING: Final = 6
_MOST_FLAT: Final = 12
"""Values of an object or a list that are shown in lines of the object they are in, at most."""
_LONGEST_NAME: Final = 80
_NAMES: Final = (frozenset(("name", "title", "label")), frozenset(("id", "key", "no", "number")))
"""Fields that name an object; those of the first set do so before the others."""
_HEADS: Final = ("columns", "fields", "header", "headers")
OBJECT: Final = re.compile(r"<[\w.]+ object(?: at \w+)?>")
"""The plain form of an output of a notebook that has another form."""
_MOST_BREAKS: Final = 2
"""Ends of lines in a value that is no JSON, at most; otherwise a line is read again and again."""
_MOST_BAD: Final = 500
"""Bad lines in a file, at most: its text is gone through for each."""
_BLANKS: Final = re.compile(r"\s*")


def read_json(source: Source) -> Iterator[Content | Unread]:
    """JSON: names become headings and labels; a list of flat objects becomes a table.

    Each other object of a list is a section, named by its first text. Numbers are as written.
    Several values one after the other are a list; a line among them that is no value is named.
    """
    text = "".join(text_blocks(source))
    read = json.JSONDecoder(
        parse_float=_Number, parse_int=_Number, object_pairs_hook=_all_pairs
    ).raw_decode
    values: list[Any] = []
    bad: list[Unread] = []
    place = _skip_blanks(text, 0)
    while place < len(text) or not values:
        try:
            value, place = read(text, place)
            values.append(value)
        except (json.JSONDecodeError, RecursionError) as error:
            line = text.rfind("\n", 0, place) + 1
            end = end if (end := text.find("\n", place)) >= 0 else len(text)
            lines = source.name.lower().endswith(".ndjson") or values
            # A value that breaks off in a later line is cut off where the next one is whole.
            breaks = text.count("\n", end, getattr(error, "pos", len(text)))
            if not lines or text[line:place].strip() or breaks > _MOST_BREAKS:
                raise CorpusError(f"not valid JSON ({error})") from error
            if len(bad) == _MOST_BAD:
                raise CorpusError(f"more than {_MOST_BAD} lines are not valid JSON") from error
            bad.append(Unread(f"line {text.count(chr(10), 0, line) + 1}", "not valid JSON"))
            place = end
        if place >= len(text) and not values:
            raise CorpusError("no line is valid JSON")
        place = _skip_blanks(text, place)
    yield Content("", _value_text(values if len(values) > 1 else values[0], 1))
    yield from bad


def _skip_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def read_notebook(source: Source) -> Iterator[Content]:
    """A Jupyter notebook: its text, its code, and what the code printed; of errors the message."""
    try:
        book = json.loads("".join(text_blocks(source)))
        cells, about = book["cells"], book.get("metadata", {})
        language = about.get("kernelspec", {}).get("language", "python")
        blocks = [block for cell in cells for block in _cell(cell, language, source.notes)]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CorpusError(f"not a readable notebook ({type(error).__name__}: {error})") from error
    authors = [item.get("name", "") for item in about.get("authors", []) if isinstance(item, dict)]
    metadata = plain_metadata({"author": ", ".join(filter(None, authors))})
    text = "\n\n".join(blocks)
    yield Content(str(about.get("title") or first_heading(text)), [text], "markdown", metadata)


def _cell(cell: dict[str, Any], language: str, notes: Notes) -> Iterator[str]:
    text = _joined(cell.get("source", "")).strip()
    if not text:
        return
    if cell.get("cell_type") != "code":
        yield text
        return
    yield f"```{language}\n{text}\n```"
    for output in cell.get("outputs", []):
        data = output.get("data") or {}
        printed = _joined(output.get("text") or data.get("text/plain") or "")
        if not printed or OBJECT.fullmatch(printed.strip()):  # a name that says nothing
            printed = _joined(data.get("text/markdown") or data.get("text/latex") or "")
            if not printed and (page := _joined(data.get("text/html") or "")):
                yield html_to_markdown(page)
        if output.get("output_type") == "error":
            printed = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        if shown := printed.strip()[:_LONGEST_OUTPUT]:
            yield f"```\n{shown}\n```"
        notes.leave_out("end of a long output", printed.strip()[_LONGEST_OUTPUT:])


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


class _Number(str):
    """A number in JSON, as it is written."""


def _all_pairs(pairs: Sequence[tuple[str, Any]]) -> Any:
    """An object, or its rows if it is a table; of equal names, each is kept."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        count, free = 2, name
        while free in found:
            free, count = f"{name} ({count})", count + 1
        found[free] = value
    return _rows_of(found)


def _rows_of(found: dict[str, Any]) -> Any:
    """An object that is a table by columns, or has names of columns beside rows, as rows."""
    columns = [*found.values()]
    if len(columns) > 1 and all(map(_is_column, columns)) and len({*map(len, columns)}) == 1:
        numeric = {all(isinstance(item, _Number) for item in column) for column in columns}
        if len(numeric) == 2:  # numbers beside texts that say what they are of
            return [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]
    for heads, rows in permutations(found, 2):
        names, body = found[heads], found[rows]
        if heads in _HEADS and _is_column(names) and isinstance(body, list) and body:
            names = [*map(str, names)]
            if len({*names}) == len(names) and all(
                isinstance(row, list) and len(row) == len(names) for row in body
            ):
                return found | {rows: [dict(zip(names, row, strict=True)) for row in body]}
    return found


def _is_column(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 1
        and not any(isinstance(item, (dict, list)) for item in value)
    )


def _value_text(value: Any, level: int) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _flat_lines(value)
        for name, item in value.items():
            if not _is_flat(item):
                yield f"{_heading(name, level)}\n\n"
                yield from _value_text(item, level + 1)
    elif isinstance(value, list) and _is_table(value):
        names = list(dict.fromkeys(name for row in value for name in row))
        rows = ([_scalar(row.get(name, "")) for name in names] for row in value)
        yield from (f"{line}\n" for line in table_lines([names]))
        yield from (f"{next(iter(table_lines([row])))}\n" for row in rows)
        yield "\n"
    elif isinstance(value, list) and not _is_flat(value):
        for number, item in enumerate(value, start=1):
            yield f"{_heading(_called(item) or str(number), level)}\n\n"
            yield from _value_text(item, level + 1)
    elif isinstance(value, list):
        yield from (f"- {_scalar(item)}\n" for item in value)
        yield "\n"
    else:
        yield f"{_scalar(value)}\n\n"


def _flat_lines(value: dict[str, Any], place: str = "") -> Iterator[str]:
    """The values of an object that need no section, a line each."""
    for name, item in value.items():
        if isinstance(item, dict) and item and _is_flat(item):
            yield from _flat_lines(item, f"{place}{name} › ")
        elif isinstance(item, list) and _is_flat(item):
            yield f"{place}{name}: {', '.join(map(_scalar, item))}\n"
        elif not isinstance(item, (dict, list)) or not item:
            yield f"{place}{name}: {'' if item == {} else _scalar(item)}\n"
    if not place:
        yield "\n"


def _is_flat(value: Any) -> bool:
    """Whether a value is plain, or an object or list of few values that are."""
    if isinstance(value, dict):
        return len(value) <= _MOST_FLAT and all(map(_is_flat, value.values()))
    if isinstance(value, list):
        numbers = all(isinstance(item, (_Number, list)) for item in value)
        return (numbers or len(value) <= _MOST_FLAT) and not any(
            isinstance(item, dict) or not _is_flat(item) for item in value
        )
    return True


def _called(value: Any) -> str:
    """The name of an object of a list: what its fields say is a name, or its first short text."""
    if not isinstance(value, dict):
        return ""
    inner = [item for item in value.values() if isinstance(item, dict) and _is_flat(item)]
    named = (
        item
        for names in _NAMES
        for fields in (value, *inner)
        for name, item in fields.items()
        if name.casefold() in names
    )
    texts = (item for item in chain(named, value.values()) if isinstance(item, str))
    return next((item for item in texts if 0 < len(item) <= _LONGEST_NAME), "")


def _heading(name: str, level: int) -> str:
    return f"{'#' * min(level, _DEEPEST_HEADING)} {' '.join(name.split())}"


def _is_table(rows: list[Any]) -> bool:
    return len(rows) > 1 and all(
        isinstance(row, dict) and row and not any(isinstance(v, (dict, list)) for v in row.values())
        for row in rows
    )


def _scalar(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(map(_scalar, value))})"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
