"""Divide reports and passages into chunks, and map each chunk to points (GraphRAG, section 3.1.6).

Reports are written without the question in mind and leave out what it may ask for, so the passages
nearest to the question are mapped beside them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite, Send

from hopyard.indexes.corpus.records import Passage
from hopyard.models.prompt import Prompt
from hopyard.nodes.global_search.points import finish_map, points_from_passages, points_from_reports
from hopyard.nodes.global_search.reading import numbered_reports, readable_reports, report_tokens
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import heading, one_line, passage_lines
from hopyard.prompts.strategies.global_search import MAP, MappedPoint
from hopyard.prompts.strategies.map_passages import MAP_PASSAGES
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import IndexMissingError
from hopyard.state.global_search import (
    GlobalSettings,
    GlobalState,
    MapTask,
    PassageTask,
    Point,
    map_id,
)
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of
from hopyard.state.verdicts import FAILED

ItemT = TypeVar("ItemT")
_FOUND: Final = "found"
"""The step of the search, if the search method asks a model."""


def shuffled(names: Iterable[str]) -> list[str]:
    """Names in an order without meaning, so that related reports are spread over the chunks.

    A new name changes no other name's order.
    """
    return sorted(
        names, key=lambda name: hashlib.blake2b(f"0:{name}".encode(), digest_size=8).digest()
    )


def window_of(settings: Context) -> int:
    """The tokens of a map call's reports, and of the points in the closing call."""
    return GlobalSettings.of(settings).window or traits_of(settings).global_tokens


def chunks(
    items: Iterable[ItemT], length: Callable[[ItemT], int], window: int
) -> list[list[ItemT]]:
    """Cut a sequence into chunks that fit into a window.

    Args:
        length: Gives the tokens of an item.
        window: Tokens of a chunk at most. A longer item is a chunk of its own.
    """
    found: list[list[ItemT]] = []
    room = 0
    for item in items:
        tokens = length(item)
        if not found or tokens > room:
            found.append([])
            room = window
        found[-1].append(item)
        room -= tokens
    return found


def first_chunk(items: Iterable[ItemT], length: Callable[[ItemT], int], window: int) -> list[ItemT]:
    """The first items that fit into a window together; the first even if it does not."""
    return next(iter(chunks(items, length, window)), [])


def best_points(points: Sequence[Point], window: int) -> list[Point]:
    """The points in descending order of score, as many as fit into a window.

    Equals stay in the order of the map calls. The best point is kept even if it is too long.
    """
    ranked = sorted(points, key=lambda point: -point["score"])
    return first_chunk(ranked, lambda point: tokens_of(point["text"]), window)


async def divide(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Shuffle the reports, and cut them into chunks that fit into the window."""
    run = await run_of(state, runtime)
    reports = await readable_reports(run, shuffled(state["chosen"]), state["written"])
    divided = chunks(reports, report_tokens, window_of(run.settings))
    return {"chunks": [[report.community for report in chunk] for chunk in divided]}


async def find_passages(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search the passages nearest to the question, as many as fit into the window.

    The built-in model reads reports alone, and so does an index that lacks what the search needs.
    """
    run = await run_of(state, runtime)
    nearest = traits_of(run.settings).global_passages
    if state.get("published") or not nearest:
        return {"found": []}
    try:
        found = await run.try_find(state["question"], k=nearest, step=_FOUND)
    except IndexMissingError:
        return {"found": []}
    passages = await run.passages(passage_ids(found.evidence))
    fitting = first_chunk(
        passages, lambda passage: tokens_of(lines_of([passage], run)), window_of(run.settings)
    )
    return {"found": [passage.id for passage in fitting]}


def map_tasks(state: GlobalState) -> list[Send] | Literal["reduce"]:
    """One map call for each chunk of reports, and one for the passages found, side by side."""
    total, written = len(state["chunks"]) + bool(state["found"]), state["written"]
    tasks = []
    for number, chunk in enumerate(state["chunks"], 1):
        own = {name: written[name] for name in chunk if name in written}
        task = MapTask(
            run=state["run"],
            question=state["question"],
            number=number,
            of=total,
            communities=chunk,
            written=own,
        )
        tasks.append(Send("map", task))
    if state["found"]:
        found = PassageTask(
            run=state["run"],
            question=state["question"],
            number=total,
            of=total,
            passages=state["found"],
        )
        tasks.append(Send("map_passages", found))
    return tasks or "reduce"


def failed_tasks(
    state: GlobalState, tasks: Sequence[Send] | Literal["reduce"]
) -> Command[Any] | None:
    """Repeat the map calls that failed if no call found a point; None if the budget is used up.

    Without them nobody knows whether the documents say it. A call that fails again ends the run,
    and a resumed run repeats only the calls that failed.
    """
    failed = {step["id"] for step in state["notes"] if step.get("verdict") == FAILED}
    again = [
        Send(task.node, {**task.arg, "needed": True})
        for task in tasks
        if isinstance(task, Send) and map_id(task.arg["number"]) in failed
    ]
    if state["truncated"] or state["points"] or not again:
        return None
    repeated = {map_id(task.arg["number"]) for task in again}
    notes = [step for step in state["notes"] if step["id"] not in repeated]
    return Command(goto=again, update={"notes": Overwrite(notes)})


async def map_reports(state: MapTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the points of one chunk of reports that help to answer the question; drop zeros."""
    run, names = await run_of(state, runtime), state["communities"]
    reports = await readable_reports(run, names, state["written"])

    async def points(given: Sequence[MappedPoint]) -> list[Point]:
        return await points_from_reports(run, given, reports)

    shown, read = {"reports": numbered_reports(reports)}, counted(len(names), "report")
    return await _map(run, state, MAP, shown, read, points)


async def map_passages(state: PassageTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the points of one chunk of passages; see `map_reports`."""
    run, names = await run_of(state, runtime), state["passages"]
    passages = await run.passages(names)

    async def points(given: Sequence[MappedPoint]) -> list[Point]:
        return points_from_passages(given, names)

    shown, read = {"passages": lines_of(passages, run)}, counted(len(names), "passage")
    return await _map(run, state, MAP_PASSAGES, shown, read, points)


async def _map(
    run: Run,
    task: MapTask | PassageTask,
    prompt: Prompt[Any],
    shown: Mapping[str, str],
    read: str,
    points_of: Callable[[Sequence[MappedPoint]], Awaitable[list[Point]]],
) -> dict[str, Any]:
    """The update of one map call.

    Args:
        read: Its reading matter, such as "3 reports".
    """
    step = Step(id=map_id(task["number"]), kind="map")
    step["title"] = f"Map {task['number']} of {task['of']}: read {read}"
    values = {"question": one_line(task["question"]), **shown}
    attempt = await run.try_call(prompt, values, step=step["id"])
    if attempt.output is None:
        if task["of"] == 1 or task.get("needed"):
            attempt.check_needed()
        return {"notes": [attempt.mark(step)], "truncated": attempt.truncated}
    given = attempt.output.points
    points = await points_of(given)
    return {"points": points, "notes": [finish_map(step, points, len(given), run)]}


def lines_of(passages: Sequence[Passage], run: Run) -> str:
    """Passages as a map call reads them."""
    metadata = traits_of(run.settings).reads_metadata
    return passage_lines(
        [
            (heading(passage.full_title, passage.about if metadata else ""), passage.text)
            for passage in passages
        ]
    )
