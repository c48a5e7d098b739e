"""Reports that are written when a question needs them, those of sub-communities first.

Only the ledger keeps them, and `asked_reports` looks them up there. The ledger's key of a call
holds the model, the wording of the prompt, what it showed and how the model sampled. So the
settings must be those of the question: its temperature and seed. The models are those that the
ledger names.
"""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, get_args

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.plan import NO_LIMIT, Plan, plan_reports
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.communities.writing import (
    Limits,
    Material,
    ReportWriter,
    elements_of,
    limits_for,
    limits_of,
    material_of,
    report_from,
    report_without_call,
    written_of,
)
from hopyard.models.calls.attempt import finished_output
from hopyard.models.ledger import Ledger
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.communities import REPORT, CommunityReport, report_values
from hopyard.prompts.traits import traits_for
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context, Profile

__all__ = (
    "Tell",
    "asked_reports",
    "planned",
    "report_of",
)

Tell = Callable[[Community, Report | ModelOutputError], None]
"""Gets each report about a sub-community, or the reason why it failed."""


def planned(index: Index, community_id: str, settings: Context, most: int = NO_LIMIT) -> Plan:
    """The reports that `report_of` would have written. It reads passages, so it may block.

    Raises:
        UsageError: The index does not have the community.
        IndexMissingError: The index has no communities or no entity graph.
    """
    communities: CommunityIndex = index.reader("communities")
    community, tokens = communities.community(community_id), limits_of(settings).tokens
    return plan_reports(community, communities, elements_of(index), tokens, most)


async def report_of(
    index: Index,
    community_id: str,
    settings: Context,
    call: ModelCall,
    *,
    most: int = NO_LIMIT,
    tell: Tell | None = None,
) -> Report:
    """The report about a community: that of the build, or one that the model writes now.

    One report takes one call. The run's ledger keeps the answer, so the same community costs
    nothing the next time. A community that does not fit its window is written from the reports of
    its largest sub-communities (`plan_reports`). A sub-community whose report fails keeps its
    elements.

    Args:
        index: The opened index.
        community_id: The community.
        settings: The settings of the run.
        call: Asks the model, such as `Run.call`.
        most: Reports written at most, from 1.
        tell: Gets each report about a sub-community.

    Raises:
        UsageError: The index does not have the community.
        IndexMissingError: The index has no communities, or it was removed meanwhile.
        ModelOutputError: The model gave nothing usable.
        BudgetExceededError: The budget is used up.
        ModelUnreachableError: The model does not answer.
    """
    communities: CommunityIndex = await in_thread(index.reader, "communities")
    if report := communities.report(community_id):
        return report
    plan = await in_thread(planned, index, community_id, settings, most)
    return await _write(index, plan, settings, call, tell or _silent)


async def _write(
    index: Index, plan: Plan, settings: Context, call: ModelCall, tell: Tell
) -> Report:
    async def part_of(part: Plan) -> Report | None:
        try:
            report = await _write(index, part, settings, call, tell)
        except ModelOutputError as error:
            tell(part.community, error)
            return None
        tell(part.community, report)
        return report

    # All end before an error is raised: none may run on without a reader.
    given = await asyncio.gather(*map(part_of, plan.parts), return_exceptions=True)
    reports: dict[str, Report] = {}
    for report in given:
        if isinstance(report, BaseException):
            raise report
        if report is not None:
            reports[report.community] = report
    shown = await in_thread(_material, index, plan.community, settings, reports)
    if alone := report_without_call(shown):
        return alone
    _, written = await ReportWriter(settings).write(shown, call)
    return report_from(written, shown)


def _material(
    index: Index, community: Community, settings: Context, reports: dict[str, Report]
) -> Material:
    communities: CommunityIndex = index.reader("communities")
    known = ChainMap(reports, communities.reports)
    return material_of(community, elements_of(index), limits_of(settings), known)


def _silent(community: Community, report: Report | ModelOutputError) -> None:
    del community, report


class _Author(NamedTuple):
    """A model, the wording that it was asked with, and how much its prompts show."""

    model: str
    wording: Prompt[CommunityReport]
    limits: Limits


def asked_reports(
    index: Index, names: Iterable[str], ledger: Ledger, settings: Context
) -> dict[str, Report]:
    """The reports of communities that `report_of` had written for a question.

    It reads passages, so it may block. It asks no model and changes nothing.

    Args:
        index: The opened index.
        names: The ids of communities. A community of one entity has no such report, and where the
            build wrote a report, questions use it.
        ledger: The ledger of finished calls.
        settings: The settings of the questions; their model does not matter.

    Returns:
        Reports by the id of their community. Of several models, the report of the model that wrote
        any report last.

    Raises:
        IndexMissingError: The index has no communities or no entity graph.
    """
    communities: CommunityIndex = index.reader("communities")
    authors = _authors(ledger)
    found: dict[str, Report] = {}
    if not authors:
        return found
    for community in map(communities.community, names):
        if len(community.entities) > 1 and communities.report(community.id) is None:
            report = _find(index, community, authors, ledger, settings)
            found |= {community.id: report} if report else {}
    return found


def _authors(ledger: Ledger) -> list[_Author]:
    """The authors of reports, as far as they had a wording of today."""
    profiles: Mapping[int, Profile] = {REPORT.of(name).version: name for name in get_args(Profile)}
    return [
        _Author(model, REPORT.of(profile), limits_for(traits_for(profile)))
        for version, model in ledger.models_of(REPORT.name)
        if (profile := profiles.get(version)) is not None
    ]


def _find(
    index: Index,
    community: Community,
    authors: Iterable[_Author],
    ledger: Ledger,
    settings: Context,
) -> Report | None:
    """The report of the last author: from its parts, or else of the community like a leaf."""
    communities: CommunityIndex = index.reader("communities")
    elements = elements_of(index)
    for author in authors:
        tokens = author.limits.tokens
        for most in (NO_LIMIT, 1):
            plan = plan_reports(community, communities, elements, tokens, most)
            if report := _planned(plan, communities.reports, elements, author, ledger, settings):
                return report
            if not plan.parts:
                break
    return None


def _planned(
    plan: Plan,
    built: dict[str, Report],
    elements: Elements,
    author: _Author,
    ledger: Ledger,
    settings: Context,
) -> Report | None:
    """The report of an author that follows a plan, if the ledger has it."""
    parts = (_planned(part, built, elements, author, ledger, settings) for part in plan.parts)
    reports = {report.community: report for report in parts if report is not None}
    known = ChainMap(reports, built)
    shown = material_of(plan.community, elements, author.limits, known)
    values = report_values(shown.text, shown.findings)
    output = finished_output(ledger, author.model, author.wording, values, settings)
    return report_from(written_of(output, shown), shown) if output is not None else None
