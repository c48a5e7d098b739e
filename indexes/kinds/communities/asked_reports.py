"""The reports that questions had written. Only the ledger keeps them; they are looked up there.

The ledger's key of a call holds the model, the wording of the prompt, what it showed and how the
model sampled. So the settings must be those of the question: its temperature and seed. The models
are those that the ledger names.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.plan import NO_LIMIT, Plan, plan_reports
from hopyard.indexes.kinds.communities.records import Community, Report
from hopyard.indexes.kinds.communities.writing import (
    LIMITS,
    Limits,
    elements_of,
    material_of,
    report_from,
    written_of,
)
from hopyard.models.calls.finished import finished_output
from hopyard.models.ledger import Ledger
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.communities import REPORT, CommunityReport, report_values
from hopyard.state.settings.fields import Context, Profile

__all__ = ("asked_reports",)

_PROFILES: Final[tuple[Profile, ...]] = ("builtin", "capable")


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
    profiles: Mapping[int, Profile] = {REPORT.of(name).version: name for name in _PROFILES}
    return [
        _Author(model, REPORT.of(profile), LIMITS[profile])
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
