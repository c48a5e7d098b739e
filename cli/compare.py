"""`hopyard compare`: one question, answered by several strategies side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hopyard.cli.console import err, out, print_json, printable
from hopyard.cli.interrupts import run_async
from hopyard.cli.options import (
    IndexOption,
    JsonOption,
    ModelOption,
    SearchOption,
    SetOption,
    StyleOption,
    WhereOption,
    context_from,
)
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.counting import counted
from hopyard.state.usage import about

if TYPE_CHECKING:
    from hopyard.agent.answer import Answer
    from hopyard.agent.comparing import Compared
    from hopyard.nodes.resources import Resources

_MOST_INSIDE: Final = 60
"""Characters of an answer that is a cell of the table."""


def compare_command(
    question: Annotated[str, typer.Argument(help="Your question.")],
    strategies: Annotated[
        str | None,
        typer.Option(
            help="Names with commas between them (default: all that fit the index and the model)."
        ),
    ] = None,
    index: IndexOption = None,
    search: SearchOption = None,
    where: WhereOption = None,
    model: ModelOption = None,
    style: StyleOption = None,
    set_: SetOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before it starts.")] = False,
    json_: JsonOption = False,
) -> None:
    """Answer a question by several strategies, side by side, with what each cost."""
    settings = {
        "index": index,
        "retrieval.method": search,
        "where": where,
        "model": model,
        "answer.style": style,
    }
    context = context_from(settings, set_)
    from hopyard.cli.approve import can_ask
    from hopyard.nodes.lifecycle import check_question
    from hopyard.nodes.resources import Resources

    asked = check_question(question)
    with Resources() as resources:
        named = run_async(_chosen(strategies, context, resources))
        err.print(run_async(_estimate(named, context, resources)), style="dim")
        if not yes and can_ask():
            typer.confirm("Start?", abort=True, err=True)
        compared = run_async(_answers(asked, named, context, resources))
    if json_:
        print_json({"question": asked, "answers": [_as_json(each) for each in compared]})
    else:
        out.print(_drawn(compared))
        for each in compared:
            if each.answer is not None:
                out.print(f"{each.strategy}: hopyard trace {each.answer.thread}", style="dim")


async def _chosen(names: str | None, context: Context, resources: Resources) -> list[str]:
    """The names that were given, else every strategy that fits.

    Raises:
        UsageError: There is no strategy of a name.
        IndexMissingError: The index cannot be read.
    """
    from hopyard.agent.comparing import comparable
    from hopyard.nodes.index_facts import check_index
    from hopyard.nodes.run import Run

    await check_index(Run("", context, resources))
    if names is None:
        return [strategy.name for strategy in await comparable(context, resources)]
    given = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    for name in given:
        if name not in STRATEGIES and name != AUTO:
            raise UsageError(f"There is no strategy {name!r}; there are {', '.join(STRATEGIES)}.")
    return given


async def _estimate(names: Sequence[str], context: Context, resources: Resources) -> str:
    """The usual number of model calls, before a call is made."""
    from hopyard.agent.comparing import usual_calls
    from hopyard.nodes.run import Run

    run, known, open_ = Run("", context, resources), 0.0, list[str]()
    for name in names:
        calls = None
        with suppress(HopyardError):  # its own run will say so
            calls = await usual_calls(name, run)
        if calls is None:
            open_.append(name)
        known += calls or 0
    if len(open_) == len(names):
        return f"{', '.join(names)}: how many model calls they take is not known before."
    more = f" and those of {', '.join(open_)}, which are not known before" if open_ else ""
    return f"{', '.join(names)}: about {counted(round(known), 'model call')}{more}."


async def _answers(
    question: str, names: Sequence[str], context: Context, resources: Resources
) -> list[Compared]:
    from hopyard.agent.comparing import answers_of

    compared = []
    async for each in answers_of(question, names, context, resources):
        err.print(f"{each.strategy} has ended", style="dim")
        compared.append(each)
    return compared


def _as_json(each: Compared) -> dict[str, object]:
    if each.answer is None:
        return {"strategy": each.strategy, "answer": None, "failure": each.failure}
    shown = {"text", "citations", "unconfirmed", "usage", "thread"}
    dumped = each.answer.model_dump(mode="json", include=shown)
    return {"strategy": each.strategy, **dumped, "supported": each.answer.supported}


def _drawn(compared: Sequence[Compared]) -> Group:
    """A table of all strategies; below it the answers, if one is too long for a column of it."""
    from hopyard.cli.render import drawn_answer

    told = {each.strategy: _told(each) for each in compared}
    inside = all("\n" not in text and len(text) <= _MOST_INSIDE for text in told.values())
    table = Table(show_lines=inside)
    for heading in ("strategy", *(("answer",) if inside else ()), "supported"):
        table.add_column(heading, overflow="fold")
    for heading in ("sources", "calls", "tokens", "seconds"):
        table.add_column(heading, justify="right")
    below = []
    for each in compared:
        text, drawn = told[each.strategy], drawn_answer(told[each.strategy])
        if each.answer is None:
            drawn = Text(text, style="yellow")
        table.add_row(each.strategy, *((drawn,) if inside else ()), *_costs(each.answer))
        if not inside:
            below.append(Panel(drawn, title=each.strategy, title_align="left"))
    return Group(table, *below)


def _told(each: Compared) -> str:
    return printable(each.failure if each.answer is None else each.answer.text)


def _costs(answer: Answer | None) -> list[str]:
    if answer is None:
        return []
    usage = answer.usage
    return [
        _supported(answer),
        str(len({citation.passage_id for citation in answer.citations})),
        str(usage.model_calls + usage.cached_calls),
        f"{about(usage.model_dump())}{usage.input_tokens + usage.output_tokens:,}",
        f"{usage.seconds:.1f}",
    ]


def _supported(answer: Answer) -> str:
    if not answer.supported:
        return "no"
    return "yes" if answer.citations else "nothing is cited"
