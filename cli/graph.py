"""`hopyard graph`: the graphs of an index as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hopyard.cli.console import out, print_json
from hopyard.cli.options import JsonOption
from hopyard.state.counting import counted

app = typer.Typer(no_args_is_help=True, help="Export the graphs of an index.")


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
    json_: JsonOption = False,
) -> None:
    """Write the passage graph. Each passage is a node, and each edge has its in-coming question."""
    from hopyard.indexes.corpus_index import Index
    from hopyard.indexes.kinds.passage_graph.export import (
        NEO4J_FILES,
        export_graphml,
        export_neo4j,
    )
    from hopyard.indexes.kinds.passage_graph.graph import GraphIndex

    with Index.open(directory) as index:
        edges: GraphIndex = index.reader("passage-graph")
        if format_ is Format.GRAPHML:
            export_graphml(edges, index.corpus.passages(), out_)
            files = [out_]
        else:
            export_neo4j(edges, index.corpus.passages(), out_)
            files = [out_ / name for name in NEO4J_FILES]
        passages = index.manifest.counts["passages"]
    if json_:
        print_json(
            {
                "format": format_.value,
                "files": [str(file) for file in files],
                "passages": passages,
                "edges": len(edges),
            }
        )
        return
    names = " and ".join(escape(str(file)) for file in files)
    found = f"{counted(passages, 'passage')}, {counted(len(edges), 'edge')}"
    out.print(f"[green]✓[/] {names}: {found}", soft_wrap=True)
    if format_ is Format.NEO4J:
        nodes, relationships = files
        out.print(
            "import with: neo4j-admin database import full "
            f"--nodes={nodes} --relationships={relationships}",
            markup=False,
            soft_wrap=True,
        )


@app.command("extractions")
def extractions_command(
    directory: Annotated[Path, typer.Argument(help="The index directory.")],
    out_: Annotated[Path, typer.Option("--out", help="The JSONL file to write.")],
    json_: JsonOption = False,
) -> None:
    """Write the names and facts of each passage, for `hopyard index build --extractions`."""
    from hopyard.indexes.corpus_index import Index
    from hopyard.indexes.kinds.entity_graph.extraction_file import (
        export_extractions,
        stored_extractions,
    )

    with Index.open(directory) as index:
        index.kind_directory("entity-graph")
        lines = export_extractions(stored_extractions(directory, index.corpus), out_)
    if json_:
        print_json({"file": str(out_), "passages": lines})
        return
    found = counted(lines, "passage")
    out.print(f"[green]✓[/] {escape(str(out_))}: {found}", soft_wrap=True)
