"""Tables in a text, the passages of their rows, and what a build carries over."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from building import build

from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.tables import writing
from hopyard.indexes.kinds.tables.find import locate, tables_in
from hopyard.indexes.kinds.tables.reader import FILE, Tables, merged_type
from hopyard.testing.models import WordEmbedder

TEXT = """# Gates

Trucks by day.

| Day | **Gate** | Trucks |
|---|---|---|
| 1 | North \\| West | 12 |
| 2 | South |
| 2 | South |

```
| no | table |
|---|---|
| 1 | 2 |
```

a | b
--- | ---
1 | 2
"""


def passage(text: str) -> Passage:
    return Passage("p", "d", 0, "", text, "", 1)


def test_tables_of_a_text() -> None:
    gates, plain = tables_in(TEXT)
    assert (gates.caption, gates.labels) == ("Trucks by day.", ["Day", "Gate", "Trucks"])
    assert [row.cells for row in gates.rows] == [
        ["1", "North | West", "12"],
        ["2", "South", ""],
        ["2", "South", ""],
    ]
    assert [row.cells for row in plain.rows] == [["1", "2"]]


@pytest.mark.parametrize(
    ("row", "rows"),
    [
        ("| Source: annual report | | |", 1),
        ("| **Quelle:** Bericht | **Quelle:** Bericht | **Quelle:** Bericht |", 1),
        ("| * preliminary | | |\n| 출처: 통계청 | | |", 1),
        ("| Source | West | 3 |", 2),
        ("| Note: | West | 3 |", 2),
        ("| Sources | | |", 2),
    ],
)
def test_a_note_below_a_table_is_no_row(row: str, rows: int) -> None:
    [found] = tables_in(f"| Day | Gate | Trucks |\n|---|---|---|\n| 1 | North | 12 |\n{row}\n")
    assert len(found.rows) == rows


def test_short_lines_above_a_table_are_its_caption() -> None:
    table = "\n\n| A | B |\n|---|---|\n| x | 1 |\n"
    [found] = tables_in(f"# Sales\n\nBy region (in TEUR)\n\nStatus: preliminary{table}")
    assert found.caption == "By region (in TEUR); Status: preliminary"
    [found] = tables_in(f"{'A long sentence. ' * 9}\n\nBy region{table}")
    assert found.caption == "By region"


def test_rows_are_found_in_their_passages() -> None:
    tables = list(
        tables_in("| A | B |\n|---|---|\n| x | 1 |\n| x | 1 |\n| " + "long " * 40 + "| 2 |")
    )
    head = "| A | B |\n|---|---|\n"
    passages = [
        passage(f"{head}| x | 1 |\n| x | 1 |"),
        passage("| " + "long " * 20),
        passage("rest"),
    ]
    assert locate(tables, passages) == [[(0, 20), (0, 30), (1, 0)]]


@pytest.mark.parametrize(
    ("types", "merged"),
    [
        (["BIGINT", "BIGINT"], "BIGINT"),
        (["BIGINT", "DECIMAL(38,2)", "DECIMAL(38,1)"], "DECIMAL(38,2)"),
        (["DATE", "TIMESTAMP"], "TIMESTAMP"),
        (["DOUBLE", "DECIMAL(38,2)"], "DOUBLE"),
        (["BIGINT", "VARCHAR"], "VARCHAR"),
        (["DATE", "BIGINT"], "VARCHAR"),
    ],
)
def test_types_of_tables_that_belong_together(types: Sequence[str], merged: str) -> None:
    assert merged_type(types) == merged


def test_unchanged_documents_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "| Gate | Trucks |\n|---|---|\n| {} | {} |\n"
    first = Document("first", "First", rows.format("North", 12), markup="markdown")
    second = Document("second", "Second", rows.format("South", 3), markup="markdown")
    read: list[str] = []
    own = writing._read
    monkeypatch.setattr(
        writing, "_read", lambda corpus, name: read.append(name) or own(corpus, name)
    )
    for documents in ([first, second], [first, replace(second, title="New")], [second]):
        build(
            documents, directory=tmp_path / "index", embedder=WordEmbedder(), chunk_tokens=0,
            kinds=["dense", "tables"],
        )  # fmt: skip
    assert read == ["first", "second", "second", "second"]
    with Index.open(tmp_path / "index") as index:
        tables: Tables = index.reader("tables")
        assert [table.title for table in tables.tables] == ["Second"]
        assert tables.load(tables.tables[0]) == ([["South"], ["3"]], [("second", 28)])
        file = index.kind_directory("tables") / FILE
    with sqlite3.connect(file) as connection:
        assert "North" not in json.dumps(connection.execute("SELECT * FROM tables").fetchall())
