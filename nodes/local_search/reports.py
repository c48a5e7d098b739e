"""Community reports in local search: they report connections that single facts do not show."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from hopyard.indexes.kinds.communities.context import with_numbers
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.nodes.run import Run
from hopyard.prompts.passages import one_line

_SOURCES: Final = 3
"""Passages that a finding refers to at most."""


class ReportLine(NamedTuple):
    """A line of a report, and the ids of the passages that it rests on."""

    community: str
    text: str
    passages: tuple[str, ...] = ()


async def lines_of(run: Run, entities: Sequence[int]) -> list[ReportLine]:
    """The lines of all reports on communities of the entities, the best report first.

    Under a filter the list is empty, since reports cover all passages.

    Args:
        entities: Rows of entities.
    """
    index = await run.index()
    if run.settings.where or not index.has("communities"):
        return []

    def sources(finding: Finding) -> list[str]:
        return [name for name, _ in elements_of(index).quotes(finding.elements)]

    def read() -> list[ReportLine]:
        reader: CommunityIndex = index.reader("communities")
        reports = choose_reports(reader, entities)
        return [line for report in reports for line in report_lines(report, sources)]

    return await asyncio.to_thread(read)


def choose_reports(communities: CommunityIndex, entities: Iterable[int]) -> list[Report]:
    """For each entity the report on its smallest community that has one.

    Reports on most entities come first, then those of the highest rating.

    Args:
        entities: Rows of entities.
    """
    found: Counter[str] = Counter()
    reports: dict[str, Report] = {}
    for entity in entities:
        for name in reversed(communities.of_entity(entity)):
            if report := communities.report(name):
                found[name], reports[name] = found[name] + 1, report
                break
    order = sorted(reports, key=lambda name: (-found[name], -reports[name].rating, name))
    return [reports[name] for name in order]


def report_lines(report: Report, sources: Callable[[Finding], Sequence[str]]) -> list[ReportLine]:
    """A report, line by line: its title and summary, then one finding a line.

    Args:
        sources: The ids of the passages that support a finding, the best first.
    """
    head = one_line(f"{report.title}: {report.summary}")
    return [
        ReportLine(report.community, head),
        *(
            ReportLine(
                report.community,
                one_line(f"- {finding.summary}: {with_numbers(finding.explanation, {})}"),
                tuple(dict.fromkeys(sources(finding)))[:_SOURCES],
            )
            for finding in report.findings
        ),
    ]
