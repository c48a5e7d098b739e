"""Runs one SELECT over tables in DuckDB: a program of its own, which can be ended at any time.

It reads a request from its input and writes the result to its output, both JSON. DuckDB has no
files, no extensions and no settings to change. A text of gigabytes, which DuckDB's limits
miss, ends this process alone. It ends itself if Hopyard, which would end it, was killed. It imports
nothing of Hopyard.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, time
from decimal import Decimal
from typing import Any

import duckdb

ROW = "rowid"
"""DuckDB's number of each row, from 0. `*`, DISTINCT and NATURAL JOIN do not see it."""
TABLE_FUNCTIONS = frozenset(("unnest", "range", "generate_series"))
NODES = frozenset(("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"))
"""The parts of a query. Others write: DuckDB allows `WITH x AS (DELETE …)`."""
MEMORY = 1 << 30
"""Bytes that DuckDB may use."""
ADDRESSES = 4 << 30
"""Bytes of address space of this process."""
MOST_ROWS = 500
"""Rows of a result."""
LONGEST_VALUE = 2000
"""Characters of a value. If a value is longer, its end is cut off and marked with "…"."""
MOST_SOURCES = 2000
"""Rows that a result came from, at most."""
LOCKED = (
    "SET python_enable_replacements=false",
    "SET enable_external_access=false",
    "SET lock_configuration=true",
)


class RefusedError(Exception):
    """The query is not a SELECT over the given tables."""


def main() -> None:
    """Run the request."""
    request = json.load(sys.stdin)
    faulthandler.dump_traceback_later(request["lifetime"], exit=True)
    _limit_memory()
    try:
        result = run(request)
    except (duckdb.Error, RefusedError, MemoryError, ValueError, OverflowError) as error:
        result = {"error": str(error).partition("\n\n")[0][:600] or "out of memory"}
    json.dump(result, sys.stdout)


def run(request: dict[str, Any]) -> dict[str, Any]:
    """The columns and rows of the result, and the rows of the tables that they came from."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{MEMORY}B",
            "threads": 2,
            "temp_directory": "",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            "allow_community_extensions": "false",
        },
    )
    for table in request["tables"]:
        _load(connection, **table)
    for statement in LOCKED:
        connection.execute(statement)
    names = {table["name"].casefold() for table in request["tables"]}
    tree = _checked(connection, request["sql"], names)
    timer = threading.Timer(request["seconds"], connection.interrupt)
    timer.start()
    try:
        cursor = connection.execute(request["sql"])
        columns = [column[0] for column in cursor.description or ()]
        rows = cursor.fetchmany(MOST_ROWS + 1)
        return {
            "columns": columns,
            "rows": [[_shown(value) for value in row] for row in rows[:MOST_ROWS]],
            "decimals": _places(rows, float | Decimal),
            "numbers": [*set(_places(rows, int)).difference(_places(rows, bool))],
            "more": len(rows) > MOST_ROWS,
            "sources": _sources(connection, tree, names),
        }
    except duckdb.InterruptException:
        raise RefusedError(f"The query took more than {request['seconds']} seconds.") from None
    finally:
        timer.cancel()


def _places(rows: list[Any], kind: Any) -> list[int]:
    """The columns that have a value of a type."""
    columns = enumerate(zip(*rows, strict=True))
    return [place for place, column in columns if any(isinstance(value, kind) for value in column)]


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with suppress(OSError, ValueError):  # macOS, or a lower limit of the user's
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, hard))


def _load(connection: Any, name: str, columns: list[list[str]], cells: list[str]) -> None:
    """Make a table from a JSON list of texts a column. A text of another type is an error."""
    defined = ", ".join(f"{quoted(column)} {kind}" for column, kind in columns)
    connection.execute(f"CREATE TABLE {quoted(name)} ({defined})")
    texts = "unnest(from_json(?, '[\"VARCHAR\"]'))"
    lists = ", ".join(f"CAST({texts} AS {kind})" for _, kind in columns)
    connection.execute(f"INSERT INTO {quoted(name)} SELECT {lists}", cells)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _checked(connection: Any, sql: str, names: set[str]) -> Any:
    """The query as DuckDB's parser reads it: one SELECT over the given tables."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise RefusedError("The query is not a single SELECT statement.")
    text = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()[0]
    try:
        tree = json.loads(text)
    except RecursionError:
        raise RefusedError("The query is nested too deeply.") from None
    if tree["error"]:
        raise RefusedError(tree["error_message"])
    defined = {
        entry["key"].casefold()
        for node in _nodes(tree)
        for entry in node.get("cte_map", {}).get("map", ())
    }
    for node in _nodes(tree):
        kind = node.get("type")
        if kind == "BASE_TABLE":
            table = node["table_name"]
            if node["schema_name"] or table.casefold() not in names | defined:
                raise RefusedError(f"There is no table {table!r}.")
        elif kind == "TABLE_FUNCTION":
            function = node["function"]["function_name"]
            if function not in TABLE_FUNCTIONS:
                raise RefusedError(f"The table function {function!r} is not allowed.")
        elif kind == "FUNCTION" and node["function_name"] == "current_setting":
            raise RefusedError("The function 'current_setting' is not allowed.")  # it tells paths
        elif kind == "SHOW_REF" or (str(kind).endswith("_NODE") and kind not in NODES):
            raise RefusedError("The query is not a SELECT over the tables.")
    return tree


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a tree, the outer before the inner."""
    waiting = [tree]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, dict):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def _sources(connection: Any, tree: Any, names: set[str]) -> list[tuple[str, int]]:
    """The rows of the tables that a result came from: those of the outer selects first.

    Each select over tables is run again for the numbers of its rows: as it is with its order and
    limit, or, where it groups, without these.
    """
    found: dict[tuple[str, int], None] = {}
    outer = tree["statements"][0]["node"]
    for node in _nodes(tree):
        if node.get("type") != "SELECT_NODE":
            continue
        tables = {
            found["alias"] or found["table_name"]: found["table_name"].casefold()
            for found in _joined(node["from_table"])
            if found["table_name"].casefold() in names
        }
        if not tables:
            continue
        above = [] if node is outer else outer.get("cte_map", {}).get("map", [])
        try:
            rows = _rows_of(connection, node, above, list(tables))
        except duckdb.InterruptException:  # the time is over
            break
        pairs = (zip(tables.values(), row, strict=True) for row in rows)
        found |= dict.fromkeys(pair for row in pairs for pair in row if pair[1] is not None)
    return list(found)[:MOST_SOURCES]


def _joined(source: Any) -> Iterator[dict[str, Any]]:
    """The tables of a FROM clause, joined or alone."""
    if source.get("type") == "BASE_TABLE":
        yield source
    elif source.get("type") == "JOIN":
        yield from _joined(source["left"])
        yield from _joined(source["right"])


def _rows_of(connection: Any, node: Any, above: list[Any], aliases: list[str]) -> list[Any]:
    """The numbers of the rows of one select; `above` are the definitions of the outer one."""
    numbers = [
        {"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "column_names": [alias, ROW]}
        for alias in aliases
    ]
    kept = [item for item in node["modifiers"] if item["type"] != "DISTINCT_MODIFIER"]
    plain = {
        **node,
        "group_expressions": [],
        "group_sets": [],
        "having": None,
        "aggregate_handling": "STANDARD_HANDLING",
    }
    tries = [
        {**plain, "select_list": [*node["select_list"], *numbers], "modifiers": kept},
        {**plain, "select_list": numbers, "modifiers": [], "qualify": None},
    ]
    if node["group_expressions"] or node["having"]:
        tries.pop(0)
    for select in tries:
        select["cte_map"] = {"map": [*above, *node["cte_map"]["map"]]}
        statement = {"error": False, "statements": [{"node": select, "named_param_map": []}]}
        try:
            [sql] = connection.execute(
                "SELECT json_deserialize_sql(?::JSON)", [json.dumps(statement)]
            ).fetchone()
            rows = connection.execute(sql).fetchmany(MOST_SOURCES)
        except duckdb.InterruptException:
            raise
        except duckdb.Error:  # it groups, or refers to a select around it
            continue
        return [row[-len(aliases) :] for row in rows]
    return []


def _shown(value: Any) -> str | None:
    text = _plain(value)
    return f"{text[:LONGEST_VALUE]}…" if text and len(text) > LONGEST_VALUE else text


def _plain(value: Any) -> str | None:
    """A value as text: numbers with all their digits."""
    match value:
        case None | str():
            text = value
        case bool():
            text = str(value).lower()
        case float():
            text = f"{Decimal(f'{value:.12g}'):f}"
        case datetime():
            text = value.isoformat(sep=" ").removesuffix(" 00:00:00")
            text = text.removesuffix(":00") if value.second == 0 and " " in text else text
        case time():
            text = value.isoformat()
            text = text.removesuffix(":00") if value.second == 0 else text
        case Decimal():
            text = f"{value:f}"
        case list():
            text = ", ".join(filter(None, map(_plain, value)))
        case dict():
            text = ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
        case _:
            text = str(value)
    return text


if __name__ == "__main__":
    main()
