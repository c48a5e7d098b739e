"""`hopyard graph communities`: the communities of the entity graph at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from hopyard.cli.console import out, print_json, printable
from hopyard.cli.options import JsonOption, SetOption, context_from
from hopyard.state.errors import UsageError
from hopyard.state.settings.sources import home
from hopyard.state.storage.atomic import replacing
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.communities.index import CommunityIndex
    from hopyard.indexes.kinds.communities.records import Community, Report
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
    from hopyard.state.settings.fields import Context

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
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write all levels as one self-contained page to this file."),
    ] = None,
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

    --json lists all of them, each with its ten most frequent entities. --html writes a map that
    opens from level to level, with reports and their sources. Reports that questions had written
    are shown too, if the settings are those of the questions. Give --set what the questions had
    other than the defaults, such as a temperature.

    With --dry-run, it says how many reports a global question at this level has written.
    """
    if json_ and html is not None:
        raise UsageError("--json prints the communities; leave out --html.")
    from hopyard.indexes.index import Index

    context = context_from({}, set_)
    with Index.open(directory) as index:
        communities: CommunityIndex = index.reader("communities", "hopyard graph communities")
        graph: EntityGraph = index.reader("entity-graph", "hopyard graph communities")
        if dry_run:
            _estimate(index, level, context, as_json=json_)
            return
        if html is not None:
            with replacing(html) as temporary:
                temporary.write_text(_page(index, directory, context), encoding="utf-8")
            out.print(f"{html} written", markup=False, soft_wrap=True)
            return
        found = sorted(communities.at(level), key=lambda one: -len(one.entities))
        names = [one.id for one in (found if json_ else found[:limit])]
        asked = _asked(index, names, context)
        communities = communities.with_reports(asked)
        if json_:
            print_json(
                {
                    "level": level,
                    "levels": communities.levels,
                    "modularity": list(communities.modularity),
                    "communities": [
                        {**_plain(name, communities, graph), "asked": name in asked}
                        for name in names
                    ],
                }
            )
            return
    quality = communities.modularity[level]
    head = Text(f"Level {level} of {communities.levels}: ", style="bold")
    head.append(f"{counted(len(found), 'community')}, modularity {quality:.3f}", style="not bold")
    out.print(head)
    for name in names:
        out.print(_line(communities.community(name), asked=name in asked), soft_wrap=True)
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


def _asked(index: Index, names: Sequence[str], context: Context) -> Mapping[str, Report]:
    """The reports of communities that questions had written."""
    from hopyard.models.ledger import LEDGER_FILE

    if not (home() / LEDGER_FILE).exists():
        return {}
    from hopyard.indexes.kinds.communities.on_demand import asked_reports
    from hopyard.nodes.resources import Resources

    with Resources() as resources:
        return asked_reports(index, names, resources.ledger, context)


def _page(index: Index, directory: Path, context: Context) -> str:
    from hopyard.indexes.kinds.communities.overview import overview_of, shown_in
    from hopyard.tracing.index_pages import community_page

    communities: CommunityIndex = index.reader("communities")
    asked = _asked(index, shown_in(communities), context)
    overview = overview_of(
        communities.with_reports(asked),
        index.reader("entity-graph"),
        index.passages,
        asked=asked,
    )
    return community_page(overview, directory.resolve().name)


def _line(one: Community, *, asked: bool) -> Text:
    line = Text(f"{one.id:>7}  ").append(printable(one.title), style="bold")
    told = [counted(len(one.entities), "entity"), counted(one.passages, "passage")]
    if one.children:
        told.append(f"{counted(len(one.children), 'community')} inside")
    if asked:
        told.append("report written for a question")
    return line.append(f"  {', '.join(told)}", style="dim")


def _plain(name: str, communities: CommunityIndex, graph: EntityGraph) -> dict[str, Any]:
    """A community as plain values, with labels instead of rows."""
    one = communities.community(name)
    rows = sorted(one.entities, key=lambda row: -graph.passages_with[row])[:_LABELS]
    return {
        **one.model_dump(mode="json", exclude={"entities"}),
        "entities": len(one.entities),
        "labels": [graph.label(row) for row in rows],
        "report": communities.report(name) is not None,
    }
