"""Read groups of passages into rows: the first decides the form of the table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Send

from hopyard.indexes.corpus.records import Passage
from hopyard.models.servers.failures import Failure
from hopyard.nodes.attempt import Attempt
from hopyard.nodes.every.choose import document_lines
from hopyard.nodes.every.recall import asker
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.every import MOST_COLUMNS, OPEN, READ, Opened, Row, form_of
from hopyard.state.errors import CallFailedError
from hopyard.state.every import EveryState, FoundRow, ReadTask, Table, read_id
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

_MOST_OPENINGS: Final = 2
"""Groups that are tried until one decides the form of the table."""
_MOST_PARTS: Final = 8
"""Parts of a group, at most, if it is too long for one call."""
_LONGEST_CELL: Final = 300
"""Characters."""
_STOPPED: Final = "the model stopped before the last item"


@dataclass(frozen=True)
class _Reading:
    """The rows of a group, and the passages that were not read.

    Attributes:
        table: The form of the table; None if no call gave it.
        unread: Ids of passages that no call has read whole.
        failed: A call that gave nothing, if there was one.
    """

    table: Table | None
    rows: list[FoundRow]
    unread: list[str]
    failed: Attempt[Any] | None = None

    def update(self, step: Step) -> dict[str, Any]:
        """The update of the state."""
        if self.failed is not None:
            step = self.failed.mark(step)
        elif self.unread:
            step["reason"] = _STOPPED
        if self.failed is None or self.rows:
            step["facts"] = {"rows": str(len(self.rows))}
        return {
            "rows": self.rows,
            "unread": self.unread,
            "notes": [step],
            "truncated": self.failed is not None and self.failed.truncated,
        }


async def open_table(state: EveryState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Read the most promising group, and decide the form of the table.

    If the call fails, the next group decides it.
    """
    run, opened = await run_of(state, runtime), state["opened"] + 1
    group = await run.passages(state["groups"][opened - 1])
    step = _step(opened, len(state["groups"]), len(group))
    reading = await _read(run, state["asked"], None, group, step["id"])
    if reading.table is None and reading.failed and _were_tried(opened, state):
        reading.failed.check_needed()
    if table := reading.table:
        table = Table({**table, **state["said"]})  # type: ignore[typeddict-item]
        keep, name = (await run.caller()).ledger.keep_question, await asker(run)
        await asyncio.to_thread(keep, name, run.id, state["asked"])
    return {**reading.update(step), "table": table, "opened": opened}


def next_tasks(state: EveryState) -> list[Send] | str:
    """Read the other groups side by side, once the form of the table is decided."""
    opened, table = state["opened"], state["table"]
    if table is None:
        return "close" if state["truncated"] or _were_tried(opened, state) else "open"
    return [
        Send(
            "read",
            ReadTask(
                run=state["run"],
                question=state["question"],
                number=number,
                of=len(state["groups"]),
                passages=group,
                table=table,
            ),
        )
        for number, group in enumerate(state["groups"], 1)
        if number > opened
    ] or "close"


def _were_tried(opened: int, state: EveryState) -> bool:
    """Whether no other group is to decide the form of the table."""
    return opened >= min(_MOST_OPENINGS, len(state["groups"]))


async def read_group(state: ReadTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Read one group into rows of the table."""
    run, number = await run_of(state, runtime), state["number"]
    group = await run.passages(state["passages"])
    step = _step(number, state["of"], len(group))
    reading = await _read(run, state["question"], state["table"], group, step["id"])
    return reading.update(step)


def _step(number: int, of: int, passages: int) -> Step:
    title = f"Read {number} of {of}: {counted(passages, 'passage')}"
    return Step(id=read_id(number), kind="read", title=title)


async def _read(
    run: Run,
    question: str,
    table: Table | None,
    passages: Sequence[Passage],
    step: str,
    parts: int = _MOST_PARTS,
) -> _Reading:
    """Read passages in one call, or in two parts if they or their rows are too long for it.

    A part that is too long is divided again, into `parts` in all at most.
    """
    attempt = await _call(run, question, table, passages, step)
    output, ids = attempt.output, [passage.id for passage in passages]
    if isinstance(output, Opened):
        table = _table(output)
    rows = _rows(output.rows, passages) if output and table else []
    if output and output.complete:
        return _Reading(table, rows, [])
    if min(len(passages), parts) == 1 or not (output or _is_too_long(attempt)):
        return _Reading(table, rows, ids, None if output else attempt)
    middle, parts = len(passages) // 2, parts // 2
    first = await _read(run, question, table, passages[:middle], step, parts)
    second = await _read(run, question, first.table, passages[middle:], step, parts)
    return _Reading(
        second.table,
        [*rows, *first.rows, *second.rows],
        [*first.unread, *second.unread],
        first.failed or second.failed,
    )


async def _call(
    run: Run, question: str, table: Table | None, passages: Sequence[Passage], step: str
) -> Attempt[Any]:
    """Make one call. No call closes the run, so the place that the budget keeps for it is used.

    A budget of tokens or seconds keeps it for the call that decides the form of the table.
    """
    prompt: Any = OPEN if table is None else READ
    values = {"documents": document_lines(passages)}
    values |= {"question": one_line(question)} if table is None else {"form": form_of(table)}
    attempt = await run.try_call(prompt, values, step=step)
    budget = run.settings.budget
    if attempt.truncated and (table is None or not (budget.tokens or budget.seconds)):
        return await run.try_call(prompt, values, step=step, final=True)
    return attempt


def _is_too_long(attempt: Attempt[Any]) -> bool:
    error = attempt.error
    return isinstance(error, CallFailedError) and error.reason == Failure.TOO_LONG.value


def _table(opened: Opened) -> Table:
    return Table(
        item=one_line(opened.item),
        columns=[one_line(column) for column in opened.columns[:MOST_COLUMNS]],
        count=opened.kind == "count",
        sentence=one_line(opened.sentence),
    )


def _rows(rows: Sequence[Row], passages: Sequence[Passage]) -> list[FoundRow]:
    """The rows that name an item, with the ids of the passages behind their cells.

    A number that no passage has stands for none. A row without any passage gets the first that has
    the item's name, and is left out if none has.
    """
    found = []
    for row in rows:
        cells = [one_line(cell)[:_LONGEST_CELL] for cell in row.cells]
        if not cells or not cells[0]:
            continue
        numbers = [*row.passages, *[0] * len(cells)]
        behind = [
            passages[number - 1].id if cell and 1 <= number <= len(passages) else ""
            for cell, number in zip(cells, numbers, strict=False)
        ]
        if not any(behind):
            behind[0] = next((each.id for each in passages if _names(each, cells[0])), "")
        if any(behind):
            found.append(FoundRow(cells=cells, passages=behind))
    return found


def _names(passage: Passage, item: str) -> bool:
    name = rf"(?<!\w){re.escape(item)}(?!\w)"
    return re.search(name, one_line(document_lines([passage]))) is not None
