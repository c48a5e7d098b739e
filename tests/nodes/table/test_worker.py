"""Queries over tables: exact results with their rows, and nothing but one SELECT."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import duckdb
import pytest

from hopyard.nodes.table import worker

GATES = {
    "name": "gates",
    "columns": [
        ["_row", "BIGINT"],
        ["gate", "VARCHAR"],
        ["trucks", "BIGINT"],
        ["select", "DECIMAL(38,2)"],
    ],
    "cells": [
        "[0, 1, 2, 3]",
        '["North", "South", "North", "East\\"; DROP TABLE gates; --"]',
        '["12", "38", "40", null]',
        '["0.10", "0.20", "0.30", "0.05"]',
    ],
}  # fmt: skip
RATES = {
    "name": "rates",
    "columns": [["_row", "BIGINT"], ["gate", "VARCHAR"], ["rate", "DECIMAL(38,3)"]],
    "cells": ["[0, 1]", '["North", "South"]', '["0.125", "2"]'],
}


def run(sql: str, seconds: float = 10) -> dict[str, Any]:
    return worker.run({"tables": [GATES, RATES], "sql": sql, "seconds": seconds})


@pytest.mark.parametrize(
    ("sql", "rows", "sources"),
    [
        ('SELECT sum("select") FROM gates', [["0.65"]], [0, 1, 2, 3]),  # not 0.6500000000000001
        ("SELECT gate FROM gates ORDER BY trucks DESC NULLS LAST LIMIT 1", [["North"]], [2]),
        ("SELECT count(*) FROM gates WHERE trucks > 20;", [["2"]], [1, 2]),
        ("SELECT g.trucks * r.rate FROM gates g JOIN rates r USING (gate) WHERE trucks = 38",
         [["76.000"]], [1, 1]),
        ("WITH few AS (SELECT 1 FROM gates WHERE trucks < 20) SELECT count(*) FROM few",
         [["1"]], [0]),
        ("SELECT avg(trucks) / 7 FROM gates", [["4.28571428571"]], [0, 1, 2, 3]),
        ("SELECT gate FROM gates WHERE trucks > 99", [], []),
    ],
)  # fmt: skip
def test_results_are_exact_and_name_their_rows(
    sql: str, rows: list[list[str]], sources: list[int]
) -> None:
    result = run(sql)
    assert result["rows"] == rows
    assert [number for _, number in result["sources"]] == sources


SECRET = [{"password": "not for queries"}]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hosts')",  # agno 8643
        "SELECT * FROM read_csv('/etc/hosts')",
        "SELECT * FROM '/etc/hosts'",
        "SELECT * FROM glob('/*')",
        "COPY gates TO 'out.csv'",
        "ATTACH 'other.db'",
        "INSTALL httpfs",
        "SET memory_limit = '99GB'",
        "PRAGMA database_list",
        "SELECT 1; DROP TABLE gates",  # senrigan 46
        "DELETE FROM gates",
        "CREATE TABLE mine AS SELECT 1",
        "WITH gone AS (DELETE FROM gates RETURNING *) SELECT * FROM gone",
        "EXPLAIN SELECT 1",
        "DESCRIBE gates",
        "SELECT * FROM SECRET",  # duckdb 1771
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('gates')",
        "SELECT (SELECT content FROM read_text('/etc/hosts'))",
        "",
        "(" * 2000 + "1",
    ],
)
def test_all_but_one_select_over_the_tables_is_refused(sql: str) -> None:
    with pytest.raises((worker.RefusedError, duckdb.Error)):
        run(sql)


def test_a_query_without_end_is_stopped() -> None:
    with pytest.raises(worker.RefusedError, match=r"0\.05 seconds"):
        run(
            "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
            0.05,
        )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_texts_of_gigabytes_end_the_query_alone() -> None:
    request = {"tables": [GATES], "sql": "SELECT length(repeat('a', 3000000000))", "seconds": 10}
    done = subprocess.run(
        [sys.executable, "-I", worker.__file__],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "Memory" in json.loads(done.stdout)["error"]
