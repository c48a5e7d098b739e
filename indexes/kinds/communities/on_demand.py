"""Reports that are written when a question needs them, those of sub-communities first.

Only the ledger keeps them, for the next question.
"""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Callable

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.plan import NO_LIMIT, Plan, plan_reports
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.communities.writing import (
    Material,
    ReportWriter,
    elements_of,
    limits_of,
    material_of,
    report_from,
    report_without_call,
)
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context

__all__ = ("Tell", "planned", "report_of")

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
