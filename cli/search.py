"""`hopyard search`: the evidence for a text, without a model call."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from hopyard.cli.console import err, out, print_json, printable
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    JsonOption,
    SearchOption,
    SetOption,
    WhereOption,
    context_from,
)
from hopyard.indexes.records import Passage
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run, check_question
from hopyard.state.schemas import Evidence, passage_ids

__all__ = ("search_command",)

_LONGEST: Final = 240
"""Characters of a passage that the terminal shows."""


def search_command(
    text: Annotated[str, typer.Argument(help="What to look for: a question, or words.")],
    index: IndexOption = None,
    search: SearchOption = None,
    where: WhereOption = None,
    k: Annotated[int | None, typer.Option("-k", "--k", min=1, help="How many at most.")] = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Show the evidence that a search finds. No chat model is asked."""
    settings = {
        "index": index,
        "retrieval.method": search,
        "retrieval.k": k,
        "where": where,
        "embedding": embedding,
    }
    context = context_from(settings, set_)
    with Resources() as resources:
        run = Run("", context, resources)
        evidence, passages = asyncio.run(_search(run, check_question(text)))
    if json_:
        print_json(
            {
                "text": text,
                "search": context.retrieval.method,
                "evidence": [_as_json(unit, passages) for unit in evidence],
            }
        )
        return
    for number, unit in enumerate(evidence, 1):
        out.print(_line(number, unit, passages))
    if not evidence:
        out.print("Nothing was found.", style="dim")


async def _search(run: Run, text: str) -> tuple[list[Evidence], dict[str, Passage]]:
    evidence = await run.find(text, models=False)
    passages = await run.passages(passage_ids(evidence))
    if run.problem:
        err.print(run.problem, style="yellow", soft_wrap=True)
    return evidence, {passage.id: passage for passage in passages}


def _as_json(unit: Evidence, passages: dict[str, Passage]) -> dict[str, Any]:
    behind = [passages[name] for name in unit["passages"]]
    texts = [
        {
            "id": passage.id,
            "document_id": passage.document_id,
            "title": passage.title,
            "text": passage.text,
            "pages": passage.pages,
            "metadata": dict(passage.metadata),
        }
        for passage in behind
    ]
    return {**unit, "passages": texts}


def _line(number: int, unit: Evidence, passages: dict[str, Passage]) -> Text:
    behind = [passages[name] for name in unit["passages"]]
    titles = ", ".join(dict.fromkeys(passage.heading or passage.id for passage in behind))
    name = unit["id"] if unit["kind"] == "passage" else f"{unit['kind']} {unit['id']}"
    text = " ".join(behind[0].text.split())
    cut = text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(None, 1)[0] + " …"
    line = Text(f"{number:>2}  {unit['score']:.3f}  ")
    line.append(printable(titles), style="bold")
    line.append(f"  {printable(name)}", style="dim")
    return line.append(f"\n    {printable(cut)}")
