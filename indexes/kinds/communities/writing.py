"""The material of a prompt about a community, and the report that the model writes about it.

A report depends only on what its prompt showed. So reports are kept by the hash of that text, with
the numbers of the prompt in place of rows of the graph (`report_store.WrittenReport`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.corpus.records import text_hash
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.context import (
    leaf,
    numbered,
    references,
    with_numbers,
    with_reports,
)
from hopyard.indexes.kinds.communities.elements import Element, Elements
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import (
    REPORTED,
    Community,
    Finding,
    Report,
    ReportStore,
    WrittenReport,
)
from hopyard.indexes.written.store import WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.communities import REPORT, CommunityReport, report_values
from hopyard.prompts.passages import one_line
from hopyard.prompts.traits import traits_of
from hopyard.state.settings.fields import Context
from hopyard.state.text.tokens import tokens_of

_SHARE: Final = 8
"""The longest line takes an eighth of the budget, so every community shows a few lines."""
_LONGEST: Final = 250
"""Tokens of a line at most."""
_NUMBER: Final = re.compile(r"[A-Z]\d+")


@dataclass(frozen=True)
class Material:
    """The material of a prompt about one community."""

    community: str
    """Its id, which the prompt does not show: it changes when the graph is clustered again."""
    text: str
    ids: Mapping[str, str]
    """The id of each element by its number in the text, as in `{"E1": "E12"}`."""
    names: Mapping[str, Sequence[str]]
    """The labels of the entities that each line is about, by number."""
    findings: int
    """Findings of the report at most."""
    read: tuple[str, ...] = ()
    """Ids of the elements behind the text: those that it shows, and those of its reports."""
    only: tuple[Element, ...] = ()
    """The lines of a community that has one entity."""

    @property
    def content_hash(self) -> str:
        """The key of its report."""
        return text_hash(f"{self.findings}\n{self.text}")


class Limits(NamedTuple):
    """How much a prompt shows and a report holds."""

    tokens: int
    """Tokens of a community in its prompt."""
    findings: int


def limits_of(settings: Context) -> Limits:
    """The limits of a run's model."""
    traits = traits_of(settings)
    return Limits(traits.report_tokens, traits.report_findings)


def material_of(
    community: Community,
    elements: Elements,
    limits: Limits,
    reports: Mapping[str, Report] | None = None,
) -> Material:
    """Choose what the prompt shows of a community. It reads passages, so it may block.

    Args:
        reports: Reports by the id of their community. Without any about its sub-communities, the
            community is shown like a leaf.
    """
    budget = limits.tokens
    groups = elements.groups(community.entities, min(_LONGEST, budget // _SHARE))
    parts = {child: reports[child] for child in community.children if reports and child in reports}
    if parts:
        shown = with_reports(list(groups), parts, budget, tokens_of)
    else:
        shown = leaf(groups, budget, tokens_of)
    text, ids = numbered(shown)
    about = {element.id: element.names for element in shown.elements}
    names = {number: about[name] for number, name in ids.items() if name in about}
    only = shown.elements if len(community.entities) == 1 else ()
    return Material(community.id, text, ids, names, limits.findings, shown.read, only)


class ReportWriter(Writer[Material, WrittenReport]):
    """Asks for the report about a community."""

    prompt: ClassVar[Prompt[Any]] = REPORT
    written: ClassVar[str] = "reports"
    sources: ClassVar[str] = "communities"
    store: ClassVar[type[WrittenStore[Any]]] = ReportStore

    async def write(self, material: Material, call: ModelCall) -> tuple[str, WrittenReport]:
        """Ask once."""
        values = report_values(material.text, material.findings)
        output = await call(REPORT, values, step=material.community)
        return REPORTED, written_of(output, material)

    def nothing(self, material: Material) -> WrittenReport:
        """An empty report, which no reader gets to see."""
        del material
        return WrittenReport()


def written_of(output: CommunityReport, material: Material) -> WrittenReport:
    """Keep of a model's output what the prompt supports.

    Numbers that the prompt did not show are left out. A finding without numbers rests on the lines
    all of whose entities it names, or else on those with one that it names. It is left out if it
    names none.
    """
    findings, unknown, unsupported = [], 0, 0
    for finding in output.findings[: material.findings]:
        cited = [*_NUMBER.findall(" ".join(finding.elements)), *references(finding.explanation)]
        numbers = dict.fromkeys(cited)
        known = [number for number in numbers if number in material.ids]
        unknown += len(numbers) - len(known)
        known = known or _named(f"{finding.summary} {finding.explanation}", material.names)
        if not known:
            unsupported += 1
            continue
        explanation = with_numbers(finding.explanation, {number: number for number in known})
        findings.append(
            Finding(
                summary=one_line(finding.summary),
                explanation=one_line(explanation),
                elements=tuple(known),
            )
        )
    return WrittenReport(
        title=one_line(output.title),
        summary=one_line(output.summary),
        rating=output.rating,
        findings=tuple(findings),
        unknown=unknown,
        unsupported=unsupported,
    )


def _named(text: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The numbers of the lines whose entities a text names: all of them, or else one."""
    found = {
        number: [
            re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None
            for label in labels
        ]
        for number, labels in names.items()
    }
    whole = [number for number, named in found.items() if named and all(named)]
    return whole or [number for number, named in found.items() if any(named)]


def report_without_call(material: Material) -> Report | None:
    """The report about an entity that is joined to no other: the lines about it, rated 0.

    A corpus has many such entities, and a model could only repeat the lines. None for any other
    community.
    """
    if not material.only:
        return None
    label = material.only[0].names[0]
    return Report(
        community=material.community,
        title=label,
        summary=material.only[0].text,
        rating=0,
        findings=tuple(
            Finding(summary=label, explanation=line.text, elements=(line.id,))
            for line in material.only
        ),
        read=material.read,
    )


def report_from(written: WrittenReport, material: Material) -> Report:
    """A stored report with the elements of the present graph."""
    return Report(
        community=material.community,
        title=written.title,
        summary=written.summary,
        rating=written.rating,
        findings=tuple(
            Finding(
                summary=finding.summary,
                explanation=with_numbers(finding.explanation, material.ids),
                elements=tuple(material.ids[number] for number in finding.elements),
            )
            for finding in written.findings
        ),
        read=material.read,
    )


def elements_of(index: Index) -> Elements:
    """The elements of an index, opened once. The first call may block."""
    communities: CommunityIndex = index.reader("communities")
    return communities.kept.get(
        "elements", lambda: Elements(index.reader("entity-graph"), index.passages)
    )
