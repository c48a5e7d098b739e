"""Reports on the communities of the linked entities: choose them, and write missing ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from langgraph.runtime import Runtime

from hopyard.indexes.kinds.communities.context import with_numbers
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.on_demand import report_of
from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.models.prompt import OutputT, Prompt
from hopyard.nodes.attempt import attempted
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.state.local_search import LocalState
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context
from hopyard.state.verdicts import BUDGET

__all__ = (
    "MOST_WRITTEN",
    "ReportLine",
    "choose_reports",
    "communities_of",
    "missing_reports",
    "next_step",
    "report_lines",
    "write_reports",
)

MOST_WRITTEN: Final = 3
"""Reports that a question has written at most: more do not fit their share of the prompt."""
_SOURCES: Final = 3
"""Passages that a finding refers to at most."""


class ReportLine(NamedTuple):
    """A line of a report, and the ids of the passages that it rests on."""

    community: str
    text: str
    passages: tuple[str, ...] = ()


async def communities_of(run: Run) -> CommunityIndex | None:
    """The communities of the run's index; None if it has none.

    Under a filter there are none either: reports tell of all passages.
    """
    index = await run.index()
    if run.settings.where or not index.has("communities"):
        return None
    reader: CommunityIndex = await asyncio.to_thread(index.reader, "communities")
    return reader


def missing_reports(communities: CommunityIndex, entities: Iterable[int]) -> list[str]:
    """The leaf communities without a report, those with most of the entities first."""
    leaves = Counter(communities.of_entity(entity)[-1] for entity in entities)
    missing = [name for name, _ in leaves.most_common() if communities.report(name) is None]
    return missing[:MOST_WRITTEN]


def choose_reports(
    communities: CommunityIndex, entities: Iterable[int], written: Iterable[Report]
) -> list[Report]:
    """For each entity the report on its smallest community that has one.

    Reports on most entities come first, then those of the highest rating.

    Args:
        communities: The communities of the index.
        entities: Rows of entities.
        written: The reports that the run has had written.
    """
    new = {report.community: report for report in written}
    found: Counter[str] = Counter()
    reports: dict[str, Report] = {}
    for entity in entities:
        for name in reversed(communities.of_entity(entity)):
            if report := new.get(name) or communities.report(name):
                found[name], reports[name] = found[name] + 1, report
                break
    order = sorted(reports, key=lambda name: (-found[name], -reports[name].rating, name))
    return [reports[name] for name in order]


def report_lines(report: Report, sources: Callable[[Finding], Sequence[str]]) -> list[ReportLine]:
    """A report, line by line: its title and summary, then one finding a line.

    Args:
        report: The report.
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


def next_step(state: LocalState) -> Literal["write_reports", "gather"]:
    """Write reports, if some are wanted and missing."""
    return "write_reports" if state["linked"]["missing"] else "gather"


async def write_reports(state: LocalState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Have missing reports written, side by side. The answer does without those that fail."""
    run = await run_of(state, runtime)
    results = await asyncio.gather(*(_write(run, name) for name in state["linked"]["missing"]))
    stopped = any(step.get("verdict") == BUDGET for _, step in results)
    return {
        "written": [report.model_dump() for report, _ in results if report is not None],
        "steps": [*state["steps"], *(step for _, step in results)],
        "truncated": state["truncated"] or stopped,
    }


async def _write(run: Run, community: str) -> tuple[Report | None, Step]:
    step = Step(id=f"report-{community}", kind="report", title=f"Report on community {community}")

    async def call(
        prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = community
    ) -> OutputT:
        return await run.call(prompt, values, step=f"report-{step}")

    attempt = await attempted(report_of(await run.index(), community, run.settings, call))
    report = attempt.output
    if report is None:
        return None, attempt.mark(step)
    return report, {**step, "title": f"Report: {report.title}"}
