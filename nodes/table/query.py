"""Run a query over tables, in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.kinds.tables.reader import Tables
from hopyard.nodes.support.words import with_marks
from hopyard.nodes.table.entries import Entry, Loaded, load
from hopyard.state.table import Outcome

SECONDS: Final = 10
"""A query may take so long."""
_PATIENCE: Final = 60
"""Seconds after which the process is ended: loading the tables takes time too."""
_LIFETIME: Final = 2 * _PATIENCE
"""Seconds after which the process ends itself, if nobody is left who would end it."""
_POLL: Final = 0.1
"""Seconds until a cancelled query is ended."""
_WORKER: Final = Path(__file__).with_name("worker.py")
_KEPT_ROWS: Final = 100
_KEPT_SOURCES: Final = 20
_YEARS: Final = frozenset(map(str, range(1000, 2101)))
_CODE: Final = re.compile(r"[1-9]\d{3,}")
_DAY: Final = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-\d\d")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
"""As DuckDB names them."""
_LED: Final = 5
"""Rows of a result that are sure of a row that they came from."""


def run_query(
    tables: Tables,
    entries: Sequence[Entry],
    sql: str,
    keep: Callable[[str], bool],
    stop: threading.Event,
    marks: tuple[str, str] = (",", "."),
) -> Outcome:
    """The result of a query. An error is part of it.

    Args:
        keep: Whether the rows in a passage may be read.
        stop: Set when nobody waits for the result any more.
        marks: The signs between thousands and before decimals of numbers in the result.
    """
    small = sql.lower()
    # A table whose name the query does not have need not be loaded.
    named = [entry for entry in entries if entry.name in small]
    loaded = {entry.name: load(tables, entry, keep) for entry in named}
    request = {
        "tables": [each.request for each in loaded.values()],
        "sql": sql,
        "seconds": SECONDS,
        "lifetime": _LIFETIME,
    }
    result = _ask_worker(request, stop)
    if "error" in result:
        return Outcome(error=result["error"], columns=[], rows=[], more=False, sources=[])
    rows = result["rows"]
    return Outcome(
        error="",
        columns=result["columns"],
        rows=_with_marks(result, loaded.values(), marks),
        more=result["more"] or len(rows) > _KEPT_ROWS,
        sources=_best_sources(loaded, result["sources"], rows[:_KEPT_ROWS]),
    )


def _with_marks(
    result: dict[str, Any], loaded: Iterable[Loaded], marks: tuple[str, str]
) -> list[list[str | None]]:
    """The rows, with decimals and computed numbers as people write them.

    A column has no signs between thousands if all its numbers may be years, or if a whole number is
    in a cell, also as a part of it: it may be a code. A sum of 12.5 and 62.5 is 75.
    """
    cells = {value or "" for each in loaded for column in each.cells for value in column}
    ending = "" if any(cell.endswith(".0") for cell in cells) else ".0"
    codes = {code for cell in cells for code in _CODE.findall(cell)} if result["numbers"] else set()
    columns = dict(enumerate(zip(*result["rows"], strict=True)))
    signs = {}
    for place in {*result["numbers"], *result["decimals"]}:
        values = {value.removesuffix(ending) for value in columns[place] if value}
        is_plain = values <= _YEARS or (place in result["numbers"] and values & codes)
        signs[place] = ("", marks[1]) if is_plain else marks
    return [
        [
            with_marks(value.removesuffix(ending), signs[place])
            if value and place in signs
            else value
            for place, value in enumerate(row)
        ]
        for row in result["rows"][:_KEPT_ROWS]
    ]


def _ask_worker(request: dict[str, Any], stop: threading.Event) -> dict[str, Any]:
    # -P: this folder holds modules; the user's own packages may hold DuckDB
    command = [sys.executable, "-P", str(_WORKER)]
    text: str | None = json.dumps(request)
    end = time.monotonic() + _PATIENCE
    with subprocess.Popen(  # noqa: S603
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as process:
        output = None
        try:
            while output is None and not stop.is_set() and time.monotonic() < end:
                with suppress(subprocess.TimeoutExpired):
                    output = process.communicate(text, timeout=_POLL)[0]
                text = None  # it is being written
        finally:
            process.kill()
    if output is None:
        return {"error": f"The query took more than {_PATIENCE} seconds."}
    try:
        result: dict[str, Any] = json.loads(output)
    except ValueError:
        return {"error": "The query ended without a result: it may need too much memory."}
    return result


def _best_sources(
    loaded: dict[str, Loaded],
    sources: Sequence[Sequence[Any]],
    rows: Sequence[Sequence[str | None]],
) -> list[tuple[str, int]]:
    """The places of rows that a result came from, the best first.

    For each of the result's first rows, it is the row with most of its values. Then come those with
    most values of the whole result.
    """
    by_name = {name.casefold(): each for name, each in loaded.items()}
    found = [(name, number) for name, number in sources]

    def hits(source: tuple[str, int], values: Collection[str | None]) -> int:
        cells = [column[source[1]] for column in by_name[source[0]].cells]
        return sum(any(form in values for form in _forms(cell)) for cell in cells)

    led = [max(found, key=lambda each: hits(each, row)) for row in rows[:_LED] if found]
    values = {value for row in rows for value in row if value}
    best = dict.fromkeys([*led, *sorted(found, key=lambda each: -hits(each, values))])
    return [by_name[name].places[number] for name, number in list(best)[:_KEPT_SOURCES]]


@lru_cache(4096)
def _forms(cell: str | None) -> tuple[str | None, ...]:
    """A cell as a result may have it: a day also by its month and its year."""
    found = _DAY.match(cell or "")
    if not found:
        return (cell,)
    year, month = found[1], int(found[2])
    return cell, year, f"{year}-{found[2]}", f"{year}-{found[2]}-01", _MONTHS[month - 1]
