"""Map passages: those nearest to the question beside the reports, or the whole source text.

The whole source text in place of reports is the condition TS of GraphRAG (section 4.1.3).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import Overwrite, Send

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.global_search.chunks import chunks, shuffled
from hopyard.nodes.global_search.map import MOST_PASSAGES, finish_map, report_tasks
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import heading, one_line, passage_lines
from hopyard.prompts.strategies.global_search import MappedPoint
from hopyard.prompts.strategies.map_reduce import MAP_PASSAGES
from hopyard.state.errors import IndexMissingError
from hopyard.state.global_search import GlobalSettings, GlobalState, PassageTask, Point, map_id
from hopyard.state.schemas import Step, passage_ids
from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of

__all__ = (
    "divide_passages",
    "find_passages",
    "map_passages",
    "map_tasks",
    "passage_tasks",
    "points_from_passages",
)

_FOUND: Final = "found"
"""The step of the search, if the search method asks a model."""


async def find_passages(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Search the passages nearest to the question, as many as fit into the window.

    Reports are written without the question in mind: they leave out what it may ask for. An index
    that lacks what the search needs has reports alone.
    """
    run = await run_of(state, runtime)
    settings = GlobalSettings.of(run.settings).for_profile(profile_of(run.settings))
    if not settings.passages:
        return {"found": []}
    try:
        found = await run.try_find(state["question"], k=settings.passages, step=_FOUND)
    except IndexMissingError:
        return {"found": []}
    passages = await run.passages(passage_ids(found.evidence))
    cut = chunks([tokens_of(_lines([passage], run)) for passage in passages], settings.window)
    return {"found": [passages[place].id for place in cut[0]] if cut else []}


def map_tasks(state: GlobalState) -> list[Send] | Literal["reduce"]:
    """One map call for each chunk of reports, and one for the passages found, side by side."""
    total = len(state["chunks"]) + bool(state["found"])
    tasks = report_tasks(state, total)
    if state["found"]:
        tasks.append(Send("map_passages", _task(state, total, total, state["found"])))
    return tasks or "reduce"


async def divide_passages(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Shuffle all passages that may be found, and cut them into chunks that fit into the window."""
    run = await run_of(state, runtime)
    index, allowed = await run.index(), await run.allowed()
    settings = GlobalSettings.of(run.settings).for_profile(profile_of(run.settings))

    def lengths() -> dict[str, int]:
        return {
            passage.id: tokens_of(_lines([passage], run))
            for passage in index.corpus.passages()
            if allowed is None or passage.id in allowed
        }

    found = await asyncio.to_thread(lengths)
    order = shuffled(found, settings.seed)
    divided = chunks([found[name] for name in order], settings.window)
    return {
        "chunks": [[order[place] for place in chunk] for chunk in divided],
        "points": Overwrite([]),
        "notes": Overwrite([]),
        "truncated": Overwrite(False),
    }


def passage_tasks(state: GlobalState) -> list[Send] | Literal["reduce"]:
    """One map call for each chunk; all of them run side by side."""
    return [
        Send("map", _task(state, number, len(state["chunks"]), chunk))
        for number, chunk in enumerate(state["chunks"], 1)
    ] or "reduce"


def _task(state: GlobalState, number: int, total: int, passages: list[str]) -> PassageTask:
    return PassageTask(
        run=state["run"], question=state["question"], number=number, of=total, passages=passages
    )


async def map_passages(state: PassageTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the points of one chunk that help to answer the question; drop zeros.

    Raises:
        ModelOutputError: The only map call failed: a resumed run may have more luck.
    """
    run, names = await run_of(state, runtime), state["passages"]
    passages = await run.passages(names)
    step = Step(
        id=map_id(state["number"]),
        kind="map",
        title=f"Map {state['number']} of {state['of']}: read {counted(len(names), 'passage')}",
    )
    values = {"question": one_line(state["question"]), "passages": _lines(passages, run)}
    attempt = await run.try_call(MAP_PASSAGES, values, step=step["id"])
    output = attempt.output
    if output is None:
        if state["of"] == 1:
            attempt.check_needed()
        return {"notes": [attempt.mark(step)], "truncated": attempt.truncated}
    points = points_from_passages(run, output.points, names)
    return {"points": points, "notes": [finish_map(step, points, len(output.points), run)]}


def _lines(passages: Sequence[Passage], run: Run) -> str:
    """Passages as a map call reads them."""
    profile = profile_of(run.settings)
    return passage_lines(
        [(heading(one.full_title, one.about, profile), one.text) for one in passages]
    )


def points_from_passages(
    run: Run, given: Sequence[MappedPoint], names: Sequence[str]
) -> list[Point]:
    """The points of a high enough score, with the passages behind them.

    Args:
        run: The run, with the least score.
        given: The points of a call; their findings are numbers of passages.
        names: Ids of the passages that it read, in the order of their numbers.
    """
    least = GlobalSettings.of(run.settings).min_score
    return [_point(point, names) for point in given if point.score >= least]


def _point(point: MappedPoint, names: Sequence[str]) -> Point:
    """A point with the passages that it rests on, which stand for themselves: no report does."""
    cited = [names[number - 1] for number in point.findings if 0 < number <= len(names)]
    passages = list(dict.fromkeys(cited))[:MOST_PASSAGES]
    return Point(text=one_line(point.point), score=point.score, reports=[], passages=passages)
