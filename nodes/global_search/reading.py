"""Communities as a map call reads them: reports, or excerpts of the documents.

A corpus has many small communities, about which a report would be longer than what the documents
say. They are read as they are, without a call. LazyGraphRAG maps text in place of reports too
(Edge, Trinh and Larson, "LazyGraphRAG: Setting a new standard for quality and cost", 2024).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.kinds.communities import on_demand
from hopyard.indexes.kinds.communities.context import fits, in_rows, leaf, with_numbers
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.records import Community, Finding, Report
from hopyard.nodes.global_search.reports import communities_of, elements_of
from hopyard.nodes.run import Run
from hopyard.prompts.strategies.global_search import finding_lines
from hopyard.state.global_search import WrittenReport
from hopyard.state.text.tokens import tokens_of

LONGEST_EXCERPT: Final = 300
"""Tokens of an excerpt at most, about those of a short report."""
_FEW: Final = 10
"""A community in more passages is not short. So most communities need not be read to know it."""


@dataclass(frozen=True)
class ReadableReport:
    """A report as a map call reads it."""

    community: str
    heading: str
    findings: tuple[str, ...]
    elements: tuple[tuple[str, ...], ...]
    """The elements that support each finding."""
    sources: tuple[str, ...] = ()
    """The passages that the lines of an excerpt are from."""
    read: tuple[str, ...] = ()
    """Ids of the elements that a report was written from, or that an excerpt shows."""


async def readable_reports(
    run: Run, names: Sequence[str], written: Mapping[str, WrittenReport]
) -> list[ReadableReport]:
    """The reports of some communities, and excerpts for those that have none.

    Where a filter is set, only findings with a passage that matches it are read, and no summary.
    """
    reader, elements, allowed = (
        await communities_of(run),
        await elements_of(run),
        await run.allowed(),
    )
    index, found = await run.index(), []
    for name in names:
        report = reader.report(name)
        if report is None and name in written:
            if kept := written[name]:
                report = Report.model_validate(kept)
            else:
                report = await on_demand.report_of(index, name, run.settings, run.call)
        found.append((reader.community(name), report))

    def read() -> list[ReadableReport]:
        reports = (
            _readable(community, report, elements, allowed)
            if report is not None
            else excerpt(community, elements, allowed)
            for community, report in found
        )
        return [report for report in reports if report.findings]

    return await asyncio.to_thread(read)


def excerpt(
    community: Community, elements: Elements, allowed: Collection[str] | None = None
) -> ReadableReport:
    """Lines of the documents about a community, chosen by combined degree. It reads passages.

    Args:
        allowed: Only lines that one of these passages supports; None for all.
    """
    shown = leaf(elements.groups(community.entities), LONGEST_EXCERPT, tokens_of)
    lines = [
        line
        for line in in_rows(shown.elements)
        if not line.is_name and (allowed is None or _in_passages((line.id,), elements, allowed))
    ]
    return ReadableReport(
        community=community.id,
        heading=f"{community.title} (lines of the documents)",
        findings=tuple(line.text for line in lines),
        elements=tuple((line.id,) for line in lines),
        sources=tuple(line.source for line in lines),
        read=tuple(line.id for line in lines),
    )


def is_short(community: Community, elements: Elements) -> bool:
    """Whether an excerpt holds all that the documents say of a community. It reads passages."""
    if community.passages > _FEW:
        return False
    return fits([*elements.groups(community.entities)], LONGEST_EXCERPT, tokens_of)


async def excerpts_within(run: Run, names: Sequence[str], budget: int) -> tuple[str, ...]:
    """The first communities whose excerpts fit into a budget of tokens together."""
    reader, elements = await communities_of(run), await elements_of(run)

    def fitting() -> tuple[str, ...]:
        room, kept = budget, []
        for name in names:
            shown = excerpt(reader.community(name), elements)
            lines = finding_lines(shown.heading, shown.findings, sources=shown.sources)
            room -= tokens_of(lines)
            if room < 0:
                break
            kept.append(name)
        return tuple(kept)

    return await asyncio.to_thread(fitting)


def numbered_reports(reports: Sequence[ReadableReport]) -> str:
    """Reports as a call reads them; their findings are numbered from 1."""
    lines, first = [], 1
    for report in reports:
        lines.append(finding_lines(report.heading, report.findings, first, report.sources))
        first += len(report.findings)
    return "\n\n".join(lines)


def report_tokens(report: ReadableReport) -> int:
    """The tokens of a report as a call reads it."""
    return tokens_of(numbered_reports([report]))


def _readable(
    community: Community, report: Report, elements: Elements, allowed: Collection[str] | None
) -> ReadableReport:
    findings = [*report.findings]
    if not findings:  # the summary is all that it says
        members = tuple(f"E{entity}" for entity in community.entities)
        findings = [Finding(summary=report.title, explanation=report.summary, elements=members)]
    if allowed is not None:
        findings = [find for find in findings if _in_passages(find.elements, elements, allowed)]
    heading = f"{report.title} (importance {report.rating:g}/10)"
    if allowed is None and report.findings:
        heading += f": {report.summary}"
    return ReadableReport(
        community=community.id,
        heading=heading,
        findings=tuple(_text(finding) for finding in findings),
        elements=tuple(finding.elements for finding in findings),
        read=report.read,
    )


def _text(finding: Finding) -> str:
    return f"{finding.summary.rstrip('.')}: {with_numbers(finding.explanation, {})}"


def _in_passages(names: Sequence[str], elements: Elements, allowed: Collection[str]) -> bool:
    return any(source.passage in allowed for name in names for source in elements.sources(name))
