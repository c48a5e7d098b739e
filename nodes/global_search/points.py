"""The points of a map call, with the reports and the passages behind each."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.nodes.global_search.reading import ReadableReport
from hopyard.nodes.global_search.reports import elements_of
from hopyard.nodes.run import Run
from hopyard.nodes.support.words import units
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.global_search import BEST_SCORE, MappedPoint
from hopyard.state.global_search import Point
from hopyard.state.schemas import Evidence, Step, passage_evidence

_MOST_PASSAGES: Final = 5
"""Passages that a point names at most."""
_QUOTES: Final = 16
"""Sentences among which the best support of a point is looked for."""


async def points_from_reports(
    run: Run, given: Sequence[MappedPoint], reports: Sequence[ReadableReport]
) -> list[Point]:
    """The points with a score above 0 (GraphRAG, section 3.1.6).

    Args:
        reports: The reports that it read, in the order of their numbers.
    """
    shown = [(report.community, names) for report in reports for names in report.elements]
    elements, allowed = await elements_of(run), await run.allowed()

    def read(point: MappedPoint) -> Point:
        numbers = dict.fromkeys(point.findings)
        cited = [shown[number - 1] for number in numbers if 0 < number <= len(shown)]
        names = [name for _, found in cited for name in found]
        return Point(
            text=one_line(point.point),
            score=point.score,
            reports=list(dict.fromkeys(community for community, _ in cited)),
            passages=support_of(point.point, names, elements, allowed),
        )

    return await asyncio.to_thread(lambda: [read(point) for point in given if point.score])


def points_from_passages(given: Sequence[MappedPoint], names: Sequence[str]) -> list[Point]:
    """The points with a score above 0. Their passages stand for themselves: no report does.

    Args:
        given: The points of a call; their findings are numbers of passages.
        names: Ids of the passages that it read, in the order of their numbers.
    """

    def read(point: MappedPoint) -> Point:
        cited = [names[number - 1] for number in point.findings if 0 < number <= len(names)]
        passages = list(dict.fromkeys(cited))[:_MOST_PASSAGES]
        return Point(text=one_line(point.point), score=point.score, reports=[], passages=passages)

    return [read(point) for point in given if point.score]


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
    while found and len(best) < _MOST_PASSAGES:
        passage = max(found, key=lambda name: len(wanted & (held | found[name])))
        more = held | found.pop(passage)
        if best and wanted & more == wanted & held:
            break
        best.append(passage)
        held = more
    return best


def finish_map(step: Step, points: Sequence[Point], given: int, run: Run) -> Step:
    """The step of a map call with its points.

    Args:
        step: Its id, kind and title.
        given: How many points the model gave.
    """
    facts = {"points": str(len(points))}
    if given > len(points):
        facts["dropped"] = str(given - len(points))
    step |= {"facts": facts, "passages": evidence_of(points), "judge": run.settings.model}
    step["score"] = max((point["score"] for point in points), default=0) / BEST_SCORE
    step["answer"] = " ".join(f"({point['score']}) {point['text']}" for point in points)
    return step


def evidence_of(points: Sequence[Point]) -> list[Evidence]:
    """The reports and passages behind some points, each with the score of its best point.

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
