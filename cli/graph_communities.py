"""`hopyard graph communities`: the communities of the entity graph at a level."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from hopyard.cli.console import out, print_json, printable
from hopyard.cli.options import JsonOption
from hopyard.state.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.kinds.communities.index import CommunityIndex
    from hopyard.indexes.kinds.communities.records import Community
    from hopyard.indexes.kinds.entity_graph.graph import EntityGraph

__all__ = ("communities_command",)

_LABELS: Final = 10
"""Labels of a community in the JSON output."""


def communities_command(
    directory: Annotated[Path, typer.Argument(help="The index directory.")],
    level: Annotated[
        int, typer.Option("--level", min=0, help="0 has the largest communities.")
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="Maximum number of communities to print.")
    ] = 20,
    json_: JsonOption = False,
) -> None:
    """List the communities of the entity graph at a level, the largest first.

    --json lists all of them, each with its ten most frequent entities.
    """
    from hopyard.indexes.corpus_index import Index

    with Index.open(directory) as index:
        communities: CommunityIndex = index.reader("communities", "hopyard graph communities")
        graph: EntityGraph = index.reader("entity-graph", "hopyard graph communities")
        found = sorted(communities.at(level), key=lambda one: -len(one.entities))
        if json_:
            print_json(
                {
                    "level": level,
                    "levels": communities.levels,
                    "modularity": list(communities.modularity),
                    "communities": [_plain(one, communities, graph) for one in found],
                }
            )
            return
    quality = communities.modularity[level]
    head = Text(f"Level {level} of {communities.levels}: ", style="bold")
    head.append(f"{counted(len(found), 'community')}, modularity {quality:.3f}", style="not bold")
    out.print(head)
    for one in found[:limit]:
        out.print(_line(one), soft_wrap=True)
    if len(found) > limit:
        out.print(Text(f"and {len(found) - limit:,} more", style="dim"))


def _line(one: Community) -> Text:
    line = Text(f"{one.id:>7}  ").append(printable(one.title), style="bold")
    told = [counted(len(one.entities), "entity"), counted(one.passages, "passage")]
    if one.children:
        told.append(f"{counted(len(one.children), 'community')} inside")
    return line.append(f"  {', '.join(told)}", style="dim")


def _plain(one: Community, communities: CommunityIndex, graph: EntityGraph) -> dict[str, Any]:
    """A community as plain values, with labels instead of rows."""
    rows = sorted(one.entities, key=lambda row: -graph.passages_with[row])[:_LABELS]
    return {
        **one.model_dump(mode="json", exclude={"entities"}),
        "entities": len(one.entities),
        "labels": [graph.label(row) for row in rows],
        "report": communities.report(one.id) is not None,
    }
