"""`hopyard graph show|export|extractions|communities`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from hopyard.cli.console import out, print_json
from hopyard.cli.graph.communities import communities_command
from hopyard.cli.graph.extractions import extractions_command
from hopyard.cli.graph.show import show_command
from hopyard.cli.options import JsonOption
from hopyard.state.text.counting import counted, plural

if TYPE_CHECKING:
    from hopyard.indexes.arrays.exporting import Export
    from hopyard.indexes.index import Index

app = typer.Typer(no_args_is_help=True, help="Show and export the graphs of an index.")
app.command("show")(show_command)
app.command("communities")(communities_command)
app.command("extractions")(extractions_command)


class Format(StrEnum):
    """Formats for other programs."""

    GRAPHML = "graphml"
    NEO4J = "neo4j"


class Graph(StrEnum):
    """The index kinds that are graphs."""

    PASSAGES = "passage-graph"
    ENTITIES = "entity-graph"


@app.command("export")
def export_command(
    directory: Annotated[Path, typer.Argument(help="The index directory.")],
    out_: Annotated[Path, typer.Option("--out", help="File (graphml) or folder (neo4j) to write.")],
    format_: Annotated[
        Format, typer.Option("--format", help="graphml, or neo4j: CSV files for neo4j-admin.")
    ] = Format.GRAPHML,
    graph: Annotated[
        Graph | None,
        typer.Option(
            "--graph",
            help="passage-graph or entity-graph. By default the graph that the index has, and "
            "passage-graph if it has both.",
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

    with Index.open(directory) as index:
        chosen = graph or _graph_of(index)
        export, counts = _export(index, chosen)
        if format_ is Format.GRAPHML:
            write_graphml(export, out_)
            files = [out_]
        else:
            write_neo4j(export, out_)
            files = [out_ / name for name in NEO4J_FILES]
    if json_:
        told = {"format": format_.value, "graph": chosen.value}
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


def _graph_of(index: Index) -> Graph:
    return next((graph for graph in Graph if index.has(graph)), Graph.PASSAGES)


def _export(index: Index, graph: Graph) -> tuple[Export, dict[str, int]]:
    """The graph for a writer, and its numbers by noun."""
    reader = index.reader(graph)
    counts = {"passage": index.manifest.counts["passages"]}
    if graph is Graph.PASSAGES:
        from hopyard.indexes.kinds.passage_graph import export as passage_graph

        edges = {"edge": len(reader)}
        return passage_graph.export_of(reader, index.corpus.passages()), counts | edges
    from hopyard.indexes.kinds.entity_graph.read import export as entity_graph

    numbers = {
        "entity": reader.entities,
        "mention": reader.counts.nnz,
        "fact": len(reader.files.facts),
        "synonym": len(reader.files.synonyms),
    }
    paths = []
    if index.has("communities"):
        paths = list(map(index.reader("communities").of_entity, range(reader.entities)))
    return entity_graph.export_of(reader, index.corpus.passages(), paths), counts | numbers
