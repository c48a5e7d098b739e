"""The kind `tables`: every table of the documents, with typed columns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import IndexKind, count_problem
from hopyard.state.extras import require
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.tables.reader import Tables


class _Tables(IndexKind):
    name = "tables"
    about = "All tables with typed columns, for queries in SQL. Read by the strategy table."

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Read the tables of new documents; those of unchanged documents are carried over.

        Raises:
            UsageError: DuckDB, without which nothing reads them, is not installed.
        """
        from hopyard.indexes.kinds.tables.writing import write

        require("The index kind tables", "tables")
        return await in_thread(write, context)

    def open(self, directory: Path) -> Tables:
        """Open the tables."""
        from hopyard.indexes.kinds.tables.reader import Tables

        return Tables(directory)

    def readable(self, reader: Tables, index: Index) -> Tables:
        """The tables of the documents that a caller may read."""
        return reader.part({name for name, *_ in index.corpus.names()})

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether this version of Hopyard read the cells."""
        from hopyard.indexes.kinds.tables.writing import is_of_this_version

        del options
        return is_of_this_version(directory)

    def check(self, reader: Tables, counts: Mapping[str, int]) -> str:
        """See that every table is there."""
        return count_problem(len(reader), counts["tables"], "table")

    def status(self, directory: Path) -> Mapping[str, Any]:
        """The largest tables."""
        tables = sorted(self.open(directory).tables, key=lambda table: -table.rows)
        places = ((filter(None, (each.title, each.section)), each.rows) for each in tables)
        names = (f"{' › '.join(place)} ({counted(rows, 'row')})" for place, rows in places)
        return {"largest": "; ".join(islice(names, 3))}


KIND: Final = _Tables()
