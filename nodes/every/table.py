"""Merge the rows that several calls found: one row for each item. Write them as Markdown.

The same name is the same item. Names that differ are one item if one is a way to write the other
(`indexes.text.variants`) or adds words to its code, as in `C-7` and
`C-7 Brandt`; if each of these names fits each of the others; and if no column tells them apart. A
wrong merge hides an item, and a missing merge shows one twice: so doubts keep rows apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Final

from hopyard.indexes.kinds.tables.columns import typed_columns
from hopyard.indexes.kinds.tables.numbers import decimal_mark, written_number
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.variants import keys, variant
from hopyard.nodes.support.quantities import CODE
from hopyard.prompts.passages import one_line
from hopyard.state.every import FoundRow

_MARKS: Final = re.compile(r"([\\`*\[\]<>|~#!]|(?<!\w)_|_(?!\w))")
"""Characters that Markdown, HTML or a citation's marker could begin with."""

_WHOLE: Final = re.compile(
    r"\b(?:totale?s?|totaux|altogether|together|combined|sums?|how much|insgesamt|zusammen|"
    r"gesamt(?!schul)\w*|summe|wie ?viel|somme|en tout|en todo|suma|somma|razem|łącznie)\b|"
    r"총(?=[ 액합계])|합계|合計|総額|总(?=[共和计额数量价值])|合计",
    re.IGNORECASE,
)
"""A question with such a word asks for a sum."""
_NUMBERS: Final = ("BIGINT", "DECIMAL")
_YEARS: Final = range(1900, 2101)


@dataclass
class Item:
    """One row of the table.

    Attributes:
        cells: For each column the values found, each with the ids of its passages.
    """

    cells: list[dict[str, list[str]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first value of the first column."""
        return next(iter(self.cells[0]))

    @property
    def passages(self) -> list[str]:
        """The ids of the passages behind all cells, each once."""
        found = (names for cell in self.cells for names in cell.values())
        return list(dict.fromkeys(name for names in found for name in names))

    def values(self, passage: str) -> list[str]:
        """The values that a passage states, in the order of the columns."""
        return [value for cell in self.cells for value, names in cell.items() if passage in names]

    def add(self, other: Item) -> None:
        """Add the values of another row of the same item."""
        for mine, its in zip(self.cells, other.cells, strict=True):
            for value, passages in its.items():
                _put(mine, value, passages)


def merge_rows(rows: Iterable[FoundRow], columns: int) -> list[Item]:
    """The items of some rows, by name: numbers in names count as numbers.

    Args:
        rows: Rows, of which the first cell is the item's name.
        columns: Cells of each item; further cells of a row are left out.
    """
    by_name: dict[str, Item] = {}
    for row in rows:
        item = Item([{} for _ in range(columns)])
        for cell, value, passage in zip(item.cells, row["cells"], row["passages"], strict=False):
            if value:
                _put(cell, value, [passage] if passage else [])
        if item.cells[0]:
            name = item.name.casefold()
            by_name.setdefault(name, Item([{} for _ in range(columns)])).add(item)
    items = []
    for first, *others in _cliques(by_name):
        items.append(by_name[first])
        for other in others:
            items[-1].add(by_name[other])
    return sorted(items, key=lambda item: natural_order(item.name))


def natural_order(name: str) -> list[tuple[int, str]]:
    """Sorts names by their letters, and by the numbers in them: `C-9` comes before `C-10`."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(len(part.lstrip("0")) if part.isdigit() else 0, part.lstrip("0")) for part in parts]


def _cliques(items: Mapping[str, Item]) -> list[list[str]]:
    """The names in groups of one item. Names in a chain, of which the ends differ, stay apart.

    `J. Smith` is no bridge between `John Smith` and `James Smith`.
    """
    order = {name: place for place, name in enumerate(items)}
    alike: dict[str, set[str]] = {name: {name} for name in items}
    for left, right in _pairs(items):
        if _may_be_one(left, right, items):
            alike[left].add(right)
            alike[right].add(left)
    groups, done = [], set[str]()
    for name, near in alike.items():
        if name in done:
            continue
        group = near if all(alike[other] == near for other in near) else {name}
        groups.append(sorted(group, key=order.__getitem__))
        done |= group
    return groups


def _pairs(names: Iterable[str]) -> set[tuple[str, str]]:
    """Pairs of names that are alike, as far as a look-up tells, or have a code in common."""
    holders: dict[str, list[str]] = defaultdict(list)
    for name in names:
        plain = normalise_keyword(name)
        for key in {plain, *keys(plain), *(f"code {code}" for code in CODE.findall(plain))}:
            holders[key].append(name)
    return {pair for held in holders.values() for pair in combinations(held, 2)}


def _may_be_one(left: str, right: str, items: Mapping[str, Item]) -> bool:
    """Whether two names may be names of one item.

    Names of the same letters or with the same code are, if no column tells them apart. For other
    ways to write a name, such as initials, a column has to agree.
    """
    columns = zip(items[left].cells[1:], items[right].cells[1:], strict=True)
    agree = [
        any(_agree(value, other) for value in mine for other in its)
        for mine, its in columns
        if mine and its
    ]
    if not all(agree):
        return False
    short, long = sorted(map(normalise_keyword, (left, right)), key=len)
    same = short == long or (CODE.search(short) and _is_within(short, long))
    reason = variant(short, long)
    return bool(same) or reason == "spelling" or bool(reason and agree)


def _agree(left: str, right: str) -> bool:
    """Whether two values of a cell are the same, or one says more than the other."""
    short, long = sorted(map(normalise_keyword, (left, right)), key=len)
    return short == long or _is_within(short, long) or variant(short, long) is not None


def _is_within(short: str, long: str) -> bool:
    return (
        bool(short)
        and re.search(rf"(?<![\w.,-]){re.escape(short)}(?![\w-]|[.,]\d)", long) is not None
    )


def _put(cell: dict[str, list[str]], value: str, passages: Sequence[str]) -> None:
    """Add a value to a cell. Of two values that agree, the longer value is kept."""
    known = next((other for other in cell if _agree(other, value)), value)
    names = [*cell.pop(known, ()), *passages]
    cell[max(known, value, key=len)] = list(dict.fromkeys(names))


def sums(question: str, columns: Sequence[str], items: Sequence[Item]) -> list[str]:
    """The sums of the columns, in their way to write numbers, if the question asks for them.

    A column has a sum if each row has one number in it, all with one unit, and they are no years or
    percentages; the first column has the names.
    """
    rows = [["; ".join(cell) for cell in item.cells] for item in items]
    if len(rows) < 2 or not _WHOLE.search(question):
        return []
    typed, found = typed_columns(columns, rows), [""] * len(columns)
    numbers = [[*filter(None, map(written_number, cells))] for cells in zip(*rows, strict=True)]
    usual = decimal_mark(number for column in numbers for number in column)
    derived = {column.name for column, _ in typed if column.derived}
    own = [pair for pair in typed if not pair[0].derived]
    for place, (column, values) in enumerate(own[1:], 1):
        mixed = f"{column.name}_unit" in derived or column.unit in ("%", "‰")
        if mixed or not column.type.startswith(_NUMBERS):
            continue
        amounts = [Decimal(value) for value in values if value is not None]
        if len(amounts) < len(rows) or all(amount in _YEARS for amount in amounts):
            continue
        mark = decimal_mark(numbers[place]) or usual
        if not mark and any("." in number.core for number in numbers[place]):
            continue  # 1.200 is 1,200 in some documents
        written = f"{sum(amounts, Decimal()):,}"
        if mark == ",":
            written = written.translate(str.maketrans(",.", ".,"))
        found[place] = f"{written} {column.unit}".rstrip()
    return found if any(found) else []


def as_markdown(
    columns: Sequence[str],
    items: Sequence[Item],
    marks: Callable[[Item, str], str],
    totals: Sequence[str] = (),
) -> str:
    """A Markdown table of the items.

    Args:
        totals: The last row, if there is one: the sums.
        marks: Gives the marker of a passage in a row, such as `[3]`, or "".
    """
    head = [map(_plain, columns), ["---"] * len(columns)]
    last = [["Σ", *map(_plain, totals[1:])]] if totals else []
    return "\n".join(map(_line, [*head, *(_marked(item, marks) for item in items), *last]))


def _marked(item: Item, marks: Callable[[Item, str], str]) -> list[str]:
    """The cells. A marker follows the last value of a row that its passage states."""
    last = {
        name: (column, value)
        for column, cell in enumerate(item.cells)
        for value, names in cell.items()
        for name in names
    }
    shown = []
    for column, cell in enumerate(item.cells):
        values = []
        for value, names in cell.items():
            own = [marks(item, name) for name in names if last[name] == (column, value)]
            values.append(f"{_plain(value)} {''.join(dict.fromkeys(own))}".rstrip())
        shown.append("; ".join(values))
    return shown


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """A text as one cell: nothing in it is read as Markdown, HTML, a cell's end or a marker."""
    return _MARKS.sub(r"\\\1", one_line(text))
