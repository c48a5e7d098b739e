"""Tables of values between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.sheets import sheet_text
from hopyard.indexes.documents.readers.text import text_blocks
from hopyard.state.errors import CorpusError

_DELIMITERS: Final = ",;\t|"
_NONE: Final = "\x1f"
"""The delimiter of a table of one column: a sign that no text has."""
_SAMPLE: Final = 50
"""Lines that show the delimiter."""
_LONGEST: Final = 1 << 24
"""Characters of a line, at most."""
_MOST_LINES: Final = 1000
"""Lines of a value between quotation marks, at most."""
_NAMED: Final = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_DECIMAL: Final = re.compile(r"(?<![\d,])\d[\d.]*,\d+(?![\d,])")
_SINGLE: Final = re.compile(r"(?:^|[,;\t|]) *'(?:[^'\n]|'')*' *(?:[,;\t|]|$)", re.MULTILINE)
_LEAST_SHARE: Final = 0.5
"""Share of the rows that a delimiter cuts into the same number of values, at least."""


def read_csv(source: Source) -> Iterator[Content]:
    """Values between commas, semicolons, tabs or bars: one table, its first row the header."""
    yield Content("", _text(source, ""))


def read_tsv(source: Source) -> Iterator[Content]:
    """Values between tabs."""
    yield Content("", _text(source, "\t"))


def _text(source: Source, delimiter: str) -> Iterator[str]:
    csv.field_size_limit(_LONGEST)
    lines = _lines_of(text_blocks(source))
    first = list(islice(lines, _SAMPLE))
    swap = str.maketrans("'\"", "\"'") if _has_single_marks(first) else {}
    first, lines = (
        [line.translate(swap) for line in first],
        (line.translate(swap) for line in lines),
    )
    if first and (named := _NAMED.fullmatch(first[0])):  # Excel writes and reads this line
        delimiter = named[1]
        first.pop(0)
    elif not delimiter or not any(delimiter in line for line in first):
        delimiter = _delimiter(first)
    width = _fit(first, delimiter)[1]
    rows = _rows(chain(first, lines), delimiter, width)
    above = list(islice(rows, _SAMPLE))
    whole = chain(_with_head(above, delimiter, width), rows)
    return sheet_text("", ([cell.translate(swap) for cell in row] for row in whole))


def _has_single_marks(lines: Sequence[str]) -> bool:
    """Whether most lines have a value between single quotation marks, and none has double marks."""
    marked = sum(bool(_SINGLE.search(line)) for line in lines)
    return marked > len(lines) / 2 and not any('"' in line for line in lines)


def _lines_of(blocks: Iterable[str]) -> Iterator[str]:
    """Lines, with their ends, of a text that comes in blocks.

    Raises:
        CorpusError: A line is longer than a row of a table may be.
    """
    rest = ""
    for block in blocks:
        *whole, rest = f"{rest}{block}".split("\n")
        if len(rest) > _LONGEST:
            raise CorpusError("it has a line of more than 16 million characters, so it is no table")
        yield from (f"{line}\n" for line in whole)
    if rest:
        yield rest


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the most lines into the same number of values, the more the better.

    A comma that is only in decimal numbers is no delimiter.
    """
    fits = {item: _fit(lines, item) for item in _DELIMITERS}
    text = "".join(lines)
    others = max(share for item, (share, _) in fits.items() if item != ",")
    if others >= _LEAST_SHARE and 2 * len(_DECIMAL.findall(text)) > text.count(","):
        del fits[","]
    best = max(fits, key=lambda item: (round(fits[item][0], 1), fits[item][1]))
    return best if fits[best][0] >= _LEAST_SHARE else _NONE


def _fit(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """The share of the rows with the usual number of values, and this number."""
    widths = [len(row) for row in _rows(iter(lines), delimiter, 0) if any(map(str.strip, row))]
    several = Counter(width for width in widths if width > 1)
    if not several:
        return 0.0, 1
    usual = max(several, key=lambda width: (several[width], width))
    is_ragged = widths[0] > 1 and several.total() > 0.9 * len(widths)
    return max(several[usual] / len(widths), _LEAST_SHARE * is_ragged), usual


def _rows(lines: Iterator[str], delimiter: str, width: int) -> Iterator[list[str]]:
    """The values of each row.

    A quotation mark may be missing: a value continues on the next line only if that gives a row
    that fits the others. The usual number of values, `width`, is 0 if it is not known.
    """
    back: deque[str] = deque()

    def following() -> str:
        return back.popleft() if back else next(lines, "")

    while line := following():
        if '"' not in line:
            yield line.rstrip("\n").split(delimiter)
            continue
        cells, is_open = _quoted(line, delimiter)
        if '\\"' in line and (is_open or not cells or (width > 1 and len(cells) != width)):
            escaped, is_cut = _quoted(line, delimiter, escapechar="\\", doublequote=False)
            if escaped and not is_cut and width in (0, 1, len(escaped)):
                yield escaped
                continue
        taken: list[str] = []
        while is_open and len(taken) < _MOST_LINES and (more := following()):
            taken.append(more)
            if '"' in more:
                cells, is_open = _quoted(line + "".join(taken), delimiter)
        if not cells or (taken and width > 1 and len(cells) != width):
            back.extendleft(reversed(taken))
            cells = _loose(line, delimiter, width)
        yield cells


def _quoted(text: str, delimiter: str, **how: Any) -> tuple[list[str], bool]:
    """The values of a row, none if its quotation marks are wrong, and whether one is missing."""
    lines = text.splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True, **how)
    try:
        return next(reader, []), False
    except csv.Error as error:
        return [], "unexpected end" in str(error)


def _loose(line: str, delimiter: str, width: int) -> list[str]:
    """The values of a line whose quotation marks are wrong, as they fit the other rows best."""
    whole = line.rstrip("\n")
    plain = whole.split(delimiter)
    if len(plain) == width:
        return plain
    for how in ({"escapechar": "\\"}, {"skipinitialspace": True}):
        cells = next(csv.reader([whole], delimiter=delimiter, **how), [])
        if len(cells) == width:
            return cells
    return plain


def _with_head(rows: list[list[str]], delimiter: str, width: int) -> Iterator[list[str]]:
    """The rows with those above the header as single cells.

    A header with one name less names all but the first column, as R writes it.
    """
    first = next((place for place, row in enumerate(rows) if len(row) == width), 0)
    for place, row in enumerate(rows):
        if place >= first or not any(map(str.strip, row)):
            yield row
        elif place == first - 1 and len(row) == width - 1 > 1:
            yield ["", *row]
        else:
            yield [f"{delimiter} ".join(cell.strip() for cell in row)]
