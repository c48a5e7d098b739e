"""`hopyard graph show|export|extractions|communities`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from hopyard.cli.console import out, print_json
from hopyard.cli.graph.communities import communities_command
from hopyard.cli.graph.show import show_command
from hopyard.cli.options import JsonOption
from hopyard.state.text.counting import counted, plural

app = typer.Typer(no_args_is_help=True, help="Show and export the graphs of an index.")
app.command("show")(show_command)
app.command("communities")(communities_command)


class Format(StrEnum):
    """Formats for other programs."""

    GRAPHML = "graphml"
    NEO4J = "neo4j"


@app.command("export")
def export_command(
    directory: Annotated[Path, typer.Argument(help="The index directory.")],
    out_: Annotated[Path, typer.Option("--out", help="File (graphml) or folder (neo4j) to write.")],
    format_: Annotated[
        Format, typer.Option("--format", help="graphml, or neo4j: CSV files for neo4j-admin.")
    ] = Format.GRAPHML,
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
    """Write a graph for other programs.

    In a passage graph, each passage is a node, and each edge has its in-coming question. In an
    entity graph, entities and passages are nodes, and edges are mentions, facts and synonyms.
    Entities have their types, descriptions and communities, and facts their strengths, if the
    index has them.
    """
    from hopyard.indexes.arrays.exporting import NEO4J_FILES, write_graphml, write_neo4j
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import KINDS, kind_that

    with Index.open(directory) as index:
        chosen = graph or kind_that("export", index.manifest.kinds).name
        index.reader(chosen)  # raises IndexMissingError if the index lacks it

        def reader(kind: str) -> Any:
            return index.reader(kind) if index.has(kind) else None

        export = KINDS[chosen].export(reader, index.corpus.passages())
        counts = {"passage": index.manifest.counts["passages"], **export.counts}
        if format_ is Format.GRAPHML:
            write_graphml(export, out_)
            files = [out_]
        else:
            write_neo4j(export, out_)
            files = [out_ / name for name in NEO4J_FILES]
    if json_:
        told = {"format": format_.value, "graph": chosen}
        numbers = {plural(noun): count for noun, count in counts.items()}
        print_json({**told, "files": [str(file) for file in files], **numbers})
        return
    names = " and ".join(escape(str(file)) for file in files)
    found = ", ".join(counted(count, noun) for noun, count in counts.items())
    out.print(f"[green]✓[/] {names}: {found}", soft_wrap=True)
    if format_ is Format.NEO4J:
        nodes, relationships = files
        out.print(
            "import with: neo4j-admin database import full "
            f"--nodes={nodes} --relationships={relationships}",
            markup=False,
            soft_wrap=True,
        )
