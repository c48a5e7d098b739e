"""Divide the reports into chunks, and map each chunk to points (GraphRAG, section 3.1.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Send

from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.nodes.global_search.chunks import chunks, shuffled
from hopyard.nodes.global_search.reading import ReadableReport, readable_reports
from hopyard.nodes.global_search.reports import elements_of
from hopyard.nodes.run import Run, run_of
from hopyard.nodes.support.words import units
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.global_search import BEST_SCORE, MAP, MappedPoint, finding_lines
from hopyard.state.global_search import GlobalSettings, GlobalState, MapTask, Point, map_id
from hopyard.state.schemas import Evidence, Step, passage_evidence
from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of

__all__ = (
    "MOST_PASSAGES",
    "divide",
    "evidence_of",
    "finish_map",
    "map_reports",
    "numbered_reports",
    "points_from_reports",
    "report_tasks",
    "support_of",
)

MOST_PASSAGES: Final = 5
"""Passages that a point names at most."""
_QUOTES: Final = 16
"""Sentences among which the best support of a point is looked for."""


async def divide(state: GlobalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Shuffle the reports, and cut them into chunks that fit into the window."""
    run = await run_of(state, runtime)
    settings = GlobalSettings.of(run.settings).for_profile(profile_of(run.settings))
    order = shuffled(state["chosen"], settings.seed)
    reports = await readable_reports(run, order, state["written"])
    lengths = [tokens_of(numbered_reports([report])) for report in reports]
    return {
        "chunks": [
            [reports[place].community for place in chunk]
            for chunk in chunks(lengths, settings.window)
        ]
    }


def report_tasks(state: GlobalState, total: int) -> list[Send]:
    """One map call for each chunk of reports.

    Args:
        state: With the chunks.
        total: How many map calls there are in all.
    """
    return [
        Send(
            "map",
            MapTask(
                run=state["run"],
                question=state["question"],
                number=number,
                of=total,
                communities=chunk,
                written={
                    name: state["written"][name] for name in chunk if name in state["written"]
                },
            ),
        )
        for number, chunk in enumerate(state["chunks"], 1)
    ]


async def map_reports(state: MapTask, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find the points of one chunk that help to answer the question; drop zeros.

    Raises:
        ModelOutputError: The only map call failed: a resumed run may have more luck.
    """
    run, count = await run_of(state, runtime), counted(len(state["communities"]), "report")
    reports = await readable_reports(run, state["communities"], state["written"])
    step = Step(
        id=map_id(state["number"]),
        kind="map",
        title=f"Map {state['number']} of {state['of']}: read {count}",
    )
    values = {"question": one_line(state["question"]), "reports": numbered_reports(reports)}
    attempt = await run.try_call(MAP, values, step=step["id"])
    output = attempt.output
    if output is None:
        if state["of"] == 1:
            attempt.check_needed()
        return {"notes": [attempt.mark(step)], "truncated": attempt.truncated}
    points = await points_from_reports(run, output.points, reports)
    return {"points": points, "notes": [finish_map(step, points, len(output.points), run)]}


def numbered_reports(reports: Sequence[ReadableReport]) -> str:
    """Reports as a call reads them; their findings are numbered from 1."""
    lines, first = [], 1
    for report in reports:
        lines.append(finding_lines(report.heading, report.findings, first, report.sources))
        first += len(report.findings)
    return "\n\n".join(lines)


async def points_from_reports(
    run: Run, given: Sequence[MappedPoint], reports: Sequence[ReadableReport]
) -> list[Point]:
    """The points of a high enough score, with the reports and passages behind them.

    Args:
        run: The run, with the least score.
        given: The points of a call.
        reports: The reports that it read, in the order of their numbers.
    """
    least = GlobalSettings.of(run.settings).min_score
    kept = [point for point in given if point.score >= least]
    elements, allowed = await elements_of(run), await run.allowed()
    return await asyncio.to_thread(
        lambda: [_point(point, reports, elements, allowed) for point in kept]
    )


def finish_map(step: Step, points: Sequence[Point], given: int, run: Run) -> Step:
    """The step of a map call with its points.

    Args:
        step: Its id, kind and title.
        points: Those that are kept.
        given: How many points the model gave.
        run: With the model's name.
    """
    facts = {"points": str(len(points))}
    if given > len(points):
        facts["dropped"] = str(given - len(points))
    step |= {"facts": facts, "passages": evidence_of(points), "judge": run.settings.model}
    step["score"] = max((point["score"] for point in points), default=0) / BEST_SCORE
    step["answer"] = " ".join(f"({point['score']}) {point['text']}" for point in points)
    return step


def _point(
    point: MappedPoint,
    reports: Sequence[ReadableReport],
    elements: Elements,
    allowed: Collection[str] | None,
) -> Point:
    """A point with the reports and the passages behind it."""
    shown = [(report.community, names) for report in reports for names in report.elements]
    cited = [
        shown[number - 1] for number in dict.fromkeys(point.findings) if 0 < number <= len(shown)
    ]
    names = [name for _, found in cited for name in found]
    return Point(
        text=one_line(point.point),
        score=point.score,
        reports=list(dict.fromkeys(community for community, _ in cited)),
        passages=support_of(point.point, names, elements, allowed),
    )


def support_of(
    claim: str, names: Sequence[str], elements: Elements, allowed: Collection[str] | None
) -> list[str]:
    """The passages of some elements whose sentences support a claim.

    The passage that adds most words of the claim comes first; one that adds none is left out.
    """
    wanted, held = units(claim), frozenset[str]()
    found: dict[str, frozenset[str]] = {}
    for passage, quote in elements.quotes(names, _QUOTES) if names else ():
        if allowed is None or passage in allowed:
            found[passage] = found.get(passage, frozenset()) | units(quote)
    best: list[str] = []
    while found and len(best) < MOST_PASSAGES:
        passage = max(found, key=lambda name: len(wanted & (held | found[name])))
        more = held | found.pop(passage)
        if best and wanted & more == wanted & held:
            break
        best.append(passage)
        held = more
    return best


def evidence_of(points: Sequence[Point]) -> list[Evidence]:
    """What some points come from, each with the score of its best point, best first.

    This is a report, or a passage if the point comes from no report. A report without a passage is
    left out: it cannot be cited.
    """
    found: dict[tuple[str, str], Evidence] = {}
    for point in sorted(points, key=lambda point: -point["score"]):
        for name in point["reports"] if point["passages"] else ():
            report = Evidence(kind="report", id=name, score=float(point["score"]), passages=[])
            held = found.setdefault(("report", name), report)["passages"]
            held += [passage for passage in point["passages"] if passage not in held]
        for name in () if point["reports"] else point["passages"]:
            found.setdefault(("passage", name), passage_evidence(name, point["score"]))
    return list(found.values())
