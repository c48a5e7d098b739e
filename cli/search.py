"""`hopyard search`: the evidence for a text, without a model call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from hopyard.cli.console import out, print_json, printable, tell
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    SearchOption,
    SetOption,
    WhereOption,
    context_from,
)
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.passages.excerpt import excerpt
from hopyard.state.metadata import describe
from hopyard.state.schemas import Evidence, Source


def search_command(
    text: Annotated[str, typer.Argument(help="A question or search words.")],
    index: IndexOption = None,
    search: SearchOption = None,
    where: WhereOption = None,
    k: Annotated[
        int | None, typer.Option("-k", "--k", min=1, help="Maximum number of results.")
    ] = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Show the evidence that a search finds, without a chat model."""
    settings = {
        "index": index,
        "retrieval.method": search,
        "retrieval.k": k,
        "where": where,
        "embedding": embedding,
    }
    context = context_from(settings, set_)
    from hopyard.agent.searching import find_evidence
    from hopyard.nodes.resources import Resources

    with Resources() as resources:
        found = run_async(find_evidence(text, context, resources))
    if found.problem:
        tell(found.problem, style="yellow")
    if json_:
        own = {"text": text, "search": context.retrieval.method, "problem": found.problem}
        print_json({**own, "evidence": found.evidence})
        return
    for number, unit in enumerate(found.evidence, 1):
        behind = [found.passages[name] for name in unit["passages"]]
        out.print(*_lines(number, unit, behind, found.sources, text))
    if not found.evidence:
        out.print("Nothing was found.", style="dim")


def _lines(
    number: int,
    unit: Evidence,
    behind: Sequence[Passage],
    sources: Mapping[str, Source],
    asked: str,
) -> tuple[Text, Padding]:
    names = ", ".join(sources[passage.id]["reference"] for passage in behind)
    cut = excerpt(behind[0].text, asked)
    line = Text(f"{number:>2}  {unit['score']:.3f}  ")
    line.append(printable(names), style="bold")
    if unit["kind"] != "passage":
        line.append(f"  {unit['kind']} {printable(unit['id'])}", style="dim")
    elif about := behind[0].header or describe(behind[0].metadata):
        line.append(f"  {printable(about)}", style="dim")
    below = Text(printable(cut))
    if why := unit.get("why"):
        below = Text(f"why: {printable(why)}\n", style="dim").append(below.plain, style="not dim")
    return line, Padding(below, (0, 0, 0, 4), expand=False)
