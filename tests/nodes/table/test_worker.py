"""Queries over tables: exact results with their rows, and nothing but one SELECT."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import duckdb
import pytest

from hopyard.nodes.table import worker

GATES = {
    "name": "gates",
    "columns": [
        ["gate", "VARCHAR"],
        ["trucks", "BIGINT"],
        ["select", "DECIMAL(38,2)"],
    ],
    "cells": [
        '["North", "South", "North", "East\\"; DROP TABLE gates; --"]',
        '["12", "38", "40", null]',
        '["0.10", "0.20", "0.30", "0.05"]',
    ],
}  # fmt: skip
RATES = {
    "name": "rates",
    "columns": [["gate", "VARCHAR"], ["rate", "DECIMAL(38,3)"]],
    "cells": ['["North", "South"]', '["0.125", "2"]'],
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
        ("SELECT trucks, rate FROM gates NATURAL JOIN rates WHERE trucks > 20 ORDER BY 1",
         [["38", "2.000"], ["40", "0.125"]], [1, 1, 2, 0]),
        ("SELECT {'gate': gate, 'rates': [rate, NULL]} FROM rates LIMIT 1",
         [["gate: North, rates: 0.125"]], [0]),
        ("SELECT TIMESTAMP '2025-05-08 09:00', TIMESTAMP '2025-05-08', TIME '09:30' FROM rates "
         "LIMIT 1", [["2025-05-08 09:00", "2025-05-08", "09:30"]], [0]),
    ],
)  # fmt: skip
def test_results_are_exact_and_name_their_rows(
    sql: str, rows: list[list[str]], sources: list[int]
) -> None:
    result = run(sql)
    assert result["rows"] == rows
    assert [number for _, number in result["sources"]] == sources


def test_equal_rows_are_distinct_once() -> None:  # txtai 379
    table = {"name": "days", "columns": [["day", "BIGINT"]], "cells": ['["1", "1", "2"]']}
    for sql in ("SELECT DISTINCT * FROM days", "SELECT * FROM days UNION SELECT * FROM days"):
        result = worker.run({"tables": [table], "sql": f"{sql} ORDER BY day", "seconds": 10})
        assert (result["columns"], result["rows"]) == (["day"], [["1"], ["2"]])


def test_the_end_of_a_long_value_is_cut_off() -> None:  # databao-agent 247
    [[text], [several]] = (row for row in run(
        "SELECT repeat('a', 5000000) UNION ALL SELECT string_agg(i, ' ') FROM range(9999) t(i)"
    )["rows"])  # fmt: skip
    assert text == "a" * worker.LONGEST_VALUE + "…"
    assert (several[:5], several[-1]) == ("0 1 2", "…")


def test_a_cell_that_does_not_fit_its_type_is_an_error_and_no_empty_cell() -> None:
    table = {"name": "t", "columns": [["n", "BIGINT"]], "cells": ['["1", "99999999999999999999"]']}
    with pytest.raises(duckdb.ConversionException, match="99999999999999999999"):
        worker.run({"tables": [table], "sql": "SELECT sum(n) FROM t", "seconds": 10})


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
        'SELECT * FROM "/etc/hosts", (WITH "/etc/hosts" AS (SELECT 1) SELECT 1)',
        "SELECT Main.Current_Setting('secret_directory')",
        "SELECT getenv('PATH')",
        "SELECT * FROM pragma_version()",
        "SELECT * FROM repeat_row(1, num_rows = 9)",
        "SELECT * FROM (SUMMARIZE gates)",
        "CALL duckdb_settings()",
        "EXPORT DATABASE 'out'",
        "SELECT " + "+".join("1" * 900),
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


ENDLESS = "WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r"


def start(
    sql: str, lifetime: int = 60, before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    request = {"tables": [GATES], "sql": sql, "seconds": 60, "lifetime": lifetime}
    return subprocess.run(
        [*before, sys.executable, "-P", worker.__file__],
        input=json.dumps(request),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_texts_of_gigabytes_end_the_query_alone() -> None:
    done = start("SELECT length(repeat('a', 3000000000))")
    assert "Memory" in json.loads(done.stdout)["error"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_a_lower_limit_of_the_user_stays() -> None:
    limited = ("sh", "-c", 'ulimit -v 3000000; exec "$0" "$@"')
    assert json.loads(start("SELECT 1", before=limited).stdout)["rows"] == [["1"]]


def test_a_value_too_large_for_python_is_an_error() -> None:
    assert "too large" in json.loads(start("SELECT INTERVAL 100000000 YEARS").stdout)["error"]


def test_the_process_ends_itself_if_hopyard_was_killed() -> None:
    done = start(ENDLESS, lifetime=1)
    assert (done.returncode, done.stdout) == (1, "")
