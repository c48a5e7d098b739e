"""`hopyard graph communities`: the communities of the entity graph at a level."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hopyard.cli.console import out, print_json, printable
from hopyard.cli.index.options import DirectoryArgument
from hopyard.cli.options import JsonOption, SetOption, context_from
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.communities.index import CommunityIndex
    from hopyard.indexes.kinds.communities.records import Community
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
    from hopyard.state.settings.fields import Context


def communities_command(
    directory: DirectoryArgument,
    level: Annotated[
        int, typer.Option("--level", min=0, help="0 has the largest communities.")
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="Maximum number of communities to print.")
    ] = 20,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Estimate the reports that a global question has written; ask nothing.",
        ),
    ] = False,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """List the communities of the entity graph at a level, the largest first.

    --json lists all of them, each with its ten most frequent entities and the report of the build.

    With --dry-run, it says how many reports a global question at this level has written.
    """
    from hopyard.indexes.index import Index

    with Index.open(directory) as index:
        communities: CommunityIndex = index.reader("communities", "hopyard graph communities")
        graph: EntityGraph = index.reader("entity-graph", "hopyard graph communities")
        if dry_run:
            _estimate(index, level, context_from({}, set_), as_json=json_)
            return
        found = sorted(communities.at(level), key=lambda community: -len(community.entities))
        if json_:
            print_json(
                {
                    "level": level,
                    "levels": communities.levels,
                    "modularity": list(communities.modularity),
                    "communities": [communities.plain(each, graph) for each in found],
                }
            )
            return
    quality = communities.modularity[level]
    head = Text(f"Level {level} of {communities.levels}: ", style="bold")
    head.append(f"{counted(len(found), 'community')}, modularity {quality:.3f}", style="not bold")
    out.print(head)
    for community in found[:limit]:
        out.print(_line(community), soft_wrap=True)
    if len(found) > limit:
        out.print(Text(f"and {len(found) - limit:,} more", style="dim"))


def _estimate(index: Index, level: int, context: Context, *, as_json: bool) -> None:
    from hopyard.nodes.global_search.plan import estimate_level

    found = estimate_level(index, level, context)
    if as_json:
        print_json({"level": level, **asdict(found)})
        return
    out.print(
        f"A global question at level {level} has {counted(found.reports, 'report')} written, "
        f"{found.parts:,} of them about parts: about {counted(found.input_tokens, 'token')} in.",
        soft_wrap=True,
    )
    out.print(
        Text(
            f"{counted(found.short, 'community')} read as they are, {found.left_out:,} left out. "
            "The ledger keeps the reports for the next question.",
            style="dim",
        ),
        soft_wrap=True,
    )


def _line(community: Community) -> Text:
    line = Text(f"{community.id:>7}  ").append(printable(community.title), style="bold")
    told = [counted(len(community.entities), "entity"), counted(community.passages, "passage")]
    if community.children:
        told.append(f"{counted(len(community.children), 'community')} inside")
    return line.append(f"  {', '.join(told)}", style="dim")
