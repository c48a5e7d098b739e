"""`hopyard graph extractions`: the names and facts of an index as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hopyard.cli.console import out, print_json
from hopyard.cli.options import JsonOption
from hopyard.state.text.counting import counted

__all__ = ("extractions_command",)


def extractions_command(
    directory: Annotated[Path, typer.Argument(help="The index directory.")],
    out_: Annotated[Path, typer.Option("--out", help="The JSONL file to write.")],
    json_: JsonOption = False,
) -> None:
    """Write the names and facts of each passage, for the setting entity_graph.extractions."""
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import kind_that

    with Index.open(directory) as index:
        kind = kind_that("write_extractions", index.manifest.kinds)
        index.kind_directory(kind.name)  # raises IndexMissingError if the index lacks it
        lines = kind.write_extractions(directory, index.corpus, out_)
    if json_:
        print_json({"file": str(out_), "passages": lines})
        return
    found = counted(lines, "passage")
    out.print(f"[green]✓[/] {escape(str(out_))}: {found}", soft_wrap=True)
