"""Undo merges of an entity graph: keep names apart, or merge them again.

    python -m lab.undo_merges DIR --undo NAME --redo NAME

The names are written to a file that every later build reads, and the graph is written again without
a model.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from rich.markup import escape

from hopyard.cli.app import run
from hopyard.cli.console import out, print_json, printable, progress_bar
from hopyard.cli.index.options import DirectoryArgument
from hopyard.cli.options import JsonOption
from hopyard.indexes.build_context import Progress, silent
from hopyard.indexes.building.recipe import Recipe
from hopyard.indexes.building.report import BuildReport
from hopyard.indexes.building.run import open_run
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.entity_graph.read.listing import current_stats
from hopyard.indexes.kinds.entity_graph.resolve import apart
from hopyard.indexes.kinds.entity_graph.resolve.merging import Merge
from hopyard.indexes.kinds.entity_graph.stats import EntityStats
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.models.embedder import Embedder
from hopyard.nodes.resources import Resources
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.counting import counted

app = typer.Typer()


@app.command()
def undo_command(
    directory: DirectoryArgument,
    undo: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Keep a merged name apart, now and in every later build."
        ),
    ] = None,
    redo: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Take back --undo.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Keep names of an entity graph apart, or merge them again. Repeat --undo for several names."""
    before, embedding = current_stats(directory), read_manifest(directory).embedding
    with Resources() as resources, progress_bar() as progress:
        asyncio.run(
            refresh(
                directory=directory,
                change=lambda: change_merges(directory, undo=undo or (), redo=redo or ()),
                embedder=lambda: resources.embedder(embedding),
                progress=progress,
            )
        )
    after = current_stats(directory)
    undone, made = merge_changes(before, after)
    if json_:
        print_json(
            {
                "directory": str(directory),
                "undone": [merge.model_dump(mode="json") for merge in undone],
                "merged": [merge.model_dump(mode="json") for merge in made],
                "apart": after.made_with.apart,
                "entities": after.entities,
            }
        )
        return
    _say(undone, lambda merge: f"{merge.name!r} is apart from {merge.into!r}")
    _say(made, lambda merge: f"{merge.name!r} is merged into {merge.into!r}")
    changed = counted(len(undone) + len(made), "change")
    entities = f"{counted(after.entities, 'entity')}, {before.entities:,} before"
    out.print(f"[green]✓[/] {escape(str(directory))}: {changed}; {entities}", soft_wrap=True)


def _say(merges: Sequence[Merge], sentence: Callable[[Merge], str]) -> None:
    for merge in merges:
        out.print(f"  {printable(sentence(merge))}", markup=False, soft_wrap=True)


_NEAR: Final = 5
"""Names that an error offers at most."""

Pair = tuple[str, str]


class MergeChanges(NamedTuple):
    """How two generations differ in their merges."""

    undone: tuple[Merge, ...]
    """Merges that are there no more."""
    made: tuple[Merge, ...]
    """Merges that are new."""


def merge_changes(before: EntityStats, after: EntityStats) -> MergeChanges:
    """The merges that came and went between two generations."""
    old = {(merge.name, merge.into): merge for merge in before.merges}
    new = {(merge.name, merge.into): merge for merge in after.merges}
    return MergeChanges(
        tuple(merge for pair, merge in old.items() if pair not in new),
        tuple(merge for pair, merge in new.items() if pair not in old),
    )


def change_merges(index: Path, *, undo: Iterable[str] = (), redo: Iterable[str] = ()) -> None:
    """Keep names apart, or no longer, from the next build on. The caller holds the index's lock.

    Args:
        index: The index directory.
        undo: Merged names, in any spelling: each is kept apart from what it is merged into.
        redo: Names that are kept apart: each may be merged again.

    Raises:
        UsageError: There is no such merge; then nothing is changed.
        IndexMissingError: The index has no entity graph, or a file is damaged.
    """
    stats, kept = current_stats(index), set(apart.read(index))
    # A command that was killed has changed the file and not the graph.
    known = kept | set(stats.made_with.apart)
    merged = {merge.name: merge.into for merge in stats.merges}
    for written in undo:
        name = normalise_keyword(written)
        if name in merged:
            kept.add(_pair(name, merged[name]))
        elif not _pairs_with(name, known):
            raise _not_merged(written, merged)
    for written in redo:
        if not (pairs := _pairs_with(normalise_keyword(written), known)):
            raise _not_apart(written, known)
        kept -= pairs
    write_apart(index, kept)


def _pair(name: str, other: str) -> Pair:
    return min(name, other), max(name, other)


def _pairs_with(name: str, pairs: Collection[Pair]) -> set[Pair]:
    return {pair for pair in pairs if name in pair}


def _not_merged(written: str, merged: Mapping[str, str]) -> UsageError:
    name = normalise_keyword(written)
    if inside := [other for other, into in merged.items() if into == name]:
        listed = ", ".join(inside[:_NEAR])
        return UsageError(f"Other names are merged into {written!r}; undo one of them: {listed}.")
    near = _near(name, merged) or "`hopyard index entities DIR --merged` lists the merges."
    return UsageError(f"No merge has the name {written!r}: {near}")


def _not_apart(written: str, known: Collection[Pair]) -> UsageError:
    near = _near(normalise_keyword(written), {part for pair in known for part in pair})
    otherwise = "--undo NAME keeps a merged name apart."
    return UsageError(f"The name {written!r} is kept apart from no other: {near or otherwise}")


def _near(name: str, names: Iterable[str]) -> str:
    """A question that offers the names that contain a name, or are written alike; "" for none."""
    others = sorted(names)
    near = sorted((other for other in others if name and name in other), key=len)
    near += get_close_matches(name, others, n=_NEAR)
    return f"did you mean {' or '.join(list(dict.fromkeys(near))[:_NEAR])}?" if near else ""


async def refresh(
    *,
    directory: Path,
    change: Callable[[], None],
    embedder: Callable[[], Embedder] | None = None,
    progress: Progress = silent,
) -> BuildReport:
    """Change what a kind reads beside the corpus, and build the kinds again.

    The documents stay, and no chat model is asked. After a kill the same call continues.

    Args:
        directory: The index directory.
        change: Called first, when no other build can run: it changes what a kind reads.
        embedder: The embedding model; needed if new texts are embedded.
        progress: Called as the build proceeds.

    Raises:
        IndexMissingError: There is no index, or it cannot be read.
        IndexBusyError: Another build holds the directory.
        HopyardError: The build fails.
    """
    async with open_run(directory, progress, update=True) as run:
        await in_thread(change)
        return await run.finish(Recipe.of_manifest(run.held, Context(), None), embedder)


def write_apart(index: Path, pairs: Iterable[tuple[str, str]]) -> None:
    """Replace the pairs of names that are kept apart."""
    rows = sorted({(min(pair), max(pair)) for pair in pairs})
    write_file(index / apart.APART_FILE, json.dumps(rows, ensure_ascii=False, indent=1).encode())


if __name__ == "__main__":
    run(app)
