"""`hopyard graph export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from hopyard.cli.console import out, print_json
from hopyard.cli.index.options import DirectoryArgument
from hopyard.cli.options import JsonOption
from hopyard.state.text.counting import counted, plural

app = typer.Typer(no_args_is_help=True, help="Export the graphs of an index.")


@app.callback()
def group() -> None:
    """Export the graphs of an index."""  # without it, Typer would make its only command the group


@app.command("export")
def export_command(
    directory: DirectoryArgument,
    out_: Annotated[Path, typer.Option("--out", help="The GraphML file to write.")],
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            help="The index kind to write. By default the first that is a graph.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Write a graph as GraphML, for other programs.

    In a passage graph, each passage is a node, and each edge has its in-coming question. In an
    entity graph, entities and passages are nodes, and edges are mentions, facts and synonyms.
    Entities have their types, descriptions and communities, and facts their strengths, if the
    index has them.
    """
    from hopyard.indexes.arrays.exporting import write_graphml
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import KINDS, kind_that

    with Index.open(directory) as index:
        chosen = graph or kind_that("export", index.manifest.kinds).name
        index.reader(chosen)  # raises IndexMissingError if the index lacks it

        def reader(kind: str) -> Any:
            return index.reader(kind) if index.has(kind) else None

        export = KINDS[chosen].export(reader, index.corpus.passages())
        counts = {"passage": index.manifest.counts["passages"], **export.counts}
        write_graphml(export, out_)
    if json_:
        numbers = {plural(noun): count for noun, count in counts.items()}
        print_json({"graph": chosen, "file": str(out_), **numbers})
        return
    found = ", ".join(counted(count, noun) for noun, count in counts.items())
    out.print(f"[green]✓[/] {escape(str(out_))}: {found}", soft_wrap=True)
