"""`hopyard graph show|export|communities`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.rule import Rule
from rich.text import Text

from hopyard.cli.console import out, print_json, printable, say
from hopyard.cli.index.options import DirectoryArgument
from hopyard.cli.options import JsonOption, SetOption, context_from
from hopyard.state.text.counting import counted, plural

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.communities.index import CommunityIndex
    from hopyard.indexes.kinds.communities.records import Community
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
    from hopyard.indexes.kinds.entity_graph.read.neighbourhood import Neighbourhood
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
        say(_line(community))
    if len(found) > limit:
        out.print(Text(f"and {len(found) - limit:,} more", style="dim"))


def _estimate(index: Index, level: int, context: Context, *, as_json: bool) -> None:
    from hopyard.nodes.global_search.plan import estimate_level

    found = estimate_level(index, level, context)
    if as_json:
        print_json({"level": level, **asdict(found)})
        return
    say(
        f"A global question at level {level} has {counted(found.reports, 'report')} written, "
        f"{found.parts:,} of them about parts: about {counted(found.input_tokens, 'token')} in."
    )
    say(
        f"{counted(found.short, 'community')} read as they are, {found.left_out:,} left out. "
        "The ledger keeps the reports for the next question.",
        style="dim",
    )


def _line(community: Community) -> Text:
    line = Text(f"{community.id:>7}  ").append(printable(community.title), style="bold")
    told = [counted(len(community.entities), "entity"), counted(community.passages, "passage")]
    if community.children:
        told.append(f"{counted(len(community.children), 'community')} inside")
    return line.append(f"  {', '.join(told)}", style="dim")


app = typer.Typer(no_args_is_help=True, help="Show and export the graphs of an index.")


@app.command("show")
def show_command(
    directory: DirectoryArgument,
    name: Annotated[str, typer.Argument(metavar="ENTITY", help="A name, in any spelling.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum length of each list.")] = 10,
    choice: Annotated[
        int,
        typer.Option(
            "--choice",
            min=0,
            help="Number of the entity if the name means several; 0 lists them.",
        ),
    ] = 0,
    json_: JsonOption = False,
) -> None:
    """Show an entity of the entity graph: its passages, neighbours, facts and synonyms."""
    from hopyard.indexes.index import Index
    from hopyard.indexes.kind import kind_that

    with Index.open(directory) as index:
        kind = kind_that("entities", index.manifest.kinds)
        reader = index.reader(kind.name, "hopyard graph show")
        hoods = kind.look_up(reader, name, index.passages, limit, choice)
    if len(hoods) > 1:
        _list_choices(name, hoods, json_=json_)
    elif json_:
        print_json(hoods[0].plain())
    else:
        out.print(_draw(hoods[0]))


def _list_choices(name: str, hoods: Sequence[Neighbourhood], *, json_: bool) -> None:
    if json_:
        print_json({"name": name, "choices": [hood.plain() for hood in hoods]})
        return
    meant = counted(len(hoods), "entity")
    out.print(f"{printable(name)!r} means {meant}; --choice N shows one of them:", markup=False)
    for number, hood in enumerate(hoods, 1):
        line = Text(f"{number:>2}  ").append(printable(hood.entity.label), style="bold")
        line.append(f"  {counted(hood.totals['passages'], 'passage')}", style="dim")
        beside = ", ".join(each.entity.label for each in hood.neighbours)
        line.append(f"\n    beside {printable(beside)}" if beside else "", style="dim")
        line.append(
            f"\n    in {printable(', '.join(each.name for each in hood.places))}", style="dim"
        )
        out.print(line)


def _draw(hood: Neighbourhood) -> RenderableType:
    numbers = ", ".join(
        counted(number, noun)
        for noun, number in zip(
            ("mention", "passage", "neighbour", "fact", "synonym"),
            hood.totals.values(),
            strict=True,
        )
    )
    head = Text(printable(hood.entity.label), style="bold")
    head.append(f"  {printable(hood.type)}" if hood.type else "", style="not bold cyan")
    head.append(f"\n{printable(', '.join(hood.names))} · {numbers}", style="not bold dim")
    for each in hood.descriptions:
        head.append(f"\n{printable(each.text)}", style="not bold")
        head.append(f"  {printable(hood.titles[each.passage])}", style="not bold dim")
    parts: list[RenderableType] = [head]
    for title, lines in (
        ("passages", list(_passages(hood))),
        ("named beside it", list(_neighbours(hood))),
        ("facts", list(_facts(hood))),
        ("synonyms", list(_synonyms(hood))),
    ):
        if lines:
            parts += [Rule(title, style="dim", align="left"), *lines]
    return Group(*parts)


def _passages(hood: Neighbourhood) -> Iterator[Text]:
    for place in hood.places:
        line = Text(printable(place.name), style="bold")
        line.append(f"  {counted(place.mentions, 'mention')}", style="not bold dim")
        if place.sentences:
            line.append(f"\n  “{printable(place.sentences[0])}”", style="not bold italic")
        yield line
    yield from _rest(hood, "passages", len(hood.places))


def _neighbours(hood: Neighbourhood) -> Iterator[Text]:
    for each in hood.neighbours:
        line = Text(printable(each.entity.label))
        yield line.append(f"  {each}", style="dim")
    yield from _rest(hood, "neighbours", len(hood.neighbours))


def _facts(hood: Neighbourhood) -> Iterator[Text]:
    for fact in hood.facts:
        line = Text(printable(fact.subject.label)).append(" ")
        line.append(printable(fact.relation), style="cyan").append(" ")
        line.append(printable(fact.object.label))
        more = f" and {len(fact.passages) - 1} more" if len(fact.passages) > 1 else ""
        strength = "" if fact.strength is None else f"strength {fact.strength:g}, "
        title = printable(hood.titles[fact.passages[0]])
        line.append(f"  {strength}{title}{more}", style="dim")
        yield line.append(f"\n  {printable(fact.description)}" if fact.description else "")
    yield from _rest(hood, "facts", len(hood.facts))


def _synonyms(hood: Neighbourhood) -> Iterator[Text]:
    for synonym in hood.synonyms:
        line = Text(printable(synonym.entity.label))
        yield line.append(f"  {synonym.cosine:.2f}", style="dim")
    yield from _rest(hood, "synonyms", len(hood.synonyms))


def _rest(hood: Neighbourhood, name: str, shown: int) -> Iterator[Text]:
    if more := hood.totals[name] - shown:
        yield Text(f"and {more:,} more", style="dim")


app.command("communities")(communities_command)


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
