"""Reduce the points to the answer, the most helpful first, and cite passages for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.answer import answer_from_passages, mark_cut
from hopyard.nodes.attempt import Attempt, attempted
from hopyard.nodes.citations import is_unknown, statements
from hopyard.nodes.cited_answer import Cited, cite_answer
from hopyard.nodes.global_search.coverage import read_by_global
from hopyard.nodes.global_search.map import best_points, failed_tasks, map_tasks, window_of
from hopyard.nodes.global_search.points import evidence_of
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.reading import find_to_read
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.global_search import REDUCE, global_style, part_only, point_line
from hopyard.state.errors import IndexMissingError
from hopyard.state.global_search import GlobalState, Point
from hopyard.state.schemas import Step, share_read
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import FALLBACK

_LISTED: Final = 10
"""Points that are the answer if no closing call gives one."""
_CITED: Final = 3
"""Points that support an answer without markers."""


@dataclass(frozen=True)
class _Shown:
    """The points in the closing call, and the passages behind them, which have numbers from 1."""

    points: list[Point]
    passages: list[Passage]

    def lines(self) -> list[str]:
        """The points as the closing call reads them."""
        return [
            point_line(point["text"], point["score"], self._numbers(point)) for point in self.points
        ]

    def as_list(self) -> str:
        """The first points as a Markdown list with markers."""
        marked = [(point["text"], self._numbers(point)) for point in self.points[:_LISTED]]
        return "\n".join(
            f"- {text} {''.join(f'[{number}]' for number in numbers)}".rstrip()
            for text, numbers in marked
        )

    def cite(self, question: str, answer: str) -> Cited:
        """The answer with quotes from the passages that it names, or from those of the points."""
        if is_unknown(answer):
            return Cited(UNKNOWN, [])
        named = {number for _, numbers in statements(answer) for number in numbers}
        by_id = {passage.id: passage for passage in self.passages}
        claims = [
            (point["text"], by_id[name])
            for point in self.points
            for number, name in zip(self._numbers(point), point["passages"], strict=True)
            if number in named or not named
        ]
        return cite_answer(question, answer, self.passages, sorted(named), findings=claims[:_CITED])

    def _numbers(self, point: Point) -> list[int]:
        places = {passage.id: number for number, passage in enumerate(self.passages, 1)}
        return [places[name] for name in point["passages"]]


async def reduce_global(
    state: GlobalState, runtime: Runtime[Context]
) -> dict[str, Any] | Command[Any]:
    """Answer from the points of reports and passages, or repeat the calls that failed."""
    if again := failed_tasks(state, map_tasks(state)):
        return again
    run = await run_of(state, runtime)
    return await reduce_points(
        run, state, await read_by_global(run, state) if state["points"] else None
    )


async def reduce_points(run: Run, state: GlobalState, read: float | None) -> dict[str, Any]:
    """Answer from the best points that fit into the window; Unknown where no point helps.

    A budget that ended before any point was found leaves one call: it answers from one search.

    Args:
        read: The share of the sentences of the documents that they come from; None if unknown.
    """
    question = state["question"]
    points = best_points(state["points"], window_of(run.settings))
    if state["truncated"] and not points:
        cited, step, truncated = await _answer_from_search(run, question)
    else:
        names = list(dict.fromkeys(name for point in points for name in point["passages"]))
        shown = _Shown(points, await run.passages(names) if names else [])
        answer, step, truncated = await _answer(run, question, shown, read)
        cited = shown.cite(question, answer)
        step["facts"] = _facts(points, state["points"], read)
    step["answer"] = cited.answer
    update = {
        "answer": cited.answer,
        "citations": cited.citations,
        "evidence": step["passages"],
        "steps": [*state["notes"], step],
        "truncated": truncated,
        "unconfirmed": cited.unconfirmed,
        "read_share": read,
        "written": Overwrite({}),
        "points": Overwrite([]),
        "notes": Overwrite([]),
    }
    return await close_run(run, update)


async def _answer_from_search(run: Run, question: str) -> tuple[Cited, Step, bool]:
    """The answer from one search in the place of the closing call, and whether it is truncated.

    It is Unknown if the budget leaves no call, or the index cannot be searched.
    """
    step = Step(id="reduce", kind="reduce", title="Answer from one search", question=question)
    step |= {"verdict": FALLBACK, "reason": "the budget left no call to map", "passages": []}
    try:
        found = await find_to_read(run, question, step=step["id"], models=False)
    except IndexMissingError as error:
        return Cited(UNKNOWN, []), Attempt(None, error).mark(step), False
    step["passages"] = found.evidence
    attempt = await attempted(
        answer_from_passages(run, question, found.evidence, step=step["id"], final=True)
    )
    reading = attempt.output
    if reading is None:
        return Cited(attempt.answer_instead(), []), attempt.mark(step), True
    return reading, mark_cut(step) if reading.cut else step, found.truncated


async def _answer(
    run: Run, question: str, shown: _Shown, read: float | None
) -> tuple[str, Step, bool]:
    """The answer of the closing call, the points themselves if it fails, or Unknown.

    The last value says whether the budget left no call.
    """
    step = Step(id="reduce", kind="reduce", title="Answer from the points", question=question)
    step["passages"] = evidence_of(shown.points)
    if not shown.points:
        return UNKNOWN, step | {"reason": "no point helps"}, False
    values = {
        "points": "\n".join(shown.lines()),
        "style": global_style(run.settings.answer, question) + part_only(read, question),
        "question": one_line(question),
    }
    attempt = await run.try_call(REDUCE, values, step=step["id"], final=True)
    output = attempt.output
    if output is None:
        step |= {"verdict": FALLBACK, "reason": f"the best points are the answer: {attempt.reason}"}
        return shown.as_list(), step, attempt.truncated
    return output.answer, mark_cut(step) if output.cut else step, False


def _facts(shown: Sequence[Point], found: Sequence[Point], read: float | None) -> dict[str, str]:
    facts = {"points": str(len(shown))}
    if read is not None:
        facts["sentences read"] = share_read(read) if read < 1 else "all"
    if len(found) > len(shown):
        facts["beyond the window"] = str(len(found) - len(shown))
    return facts
