"""The reports, facts and passages in the prompt, and their tokens.

Community reports say connections that single facts do not show.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.communities.context import with_numbers
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.indexes.kinds.communities.writing import elements_of
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.nodes.answer import format_passages
from hopyard.nodes.run import Run
from hopyard.prompts.passages import heading, one_line, passage_lines, passage_snippet
from hopyard.prompts.strategies.local import context_text
from hopyard.prompts.traits import traits_of
from hopyard.state.local import LocalSettings, Statement
from hopyard.state.settings.fields import Context
from hopyard.state.text.tokens import tokens_of

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


REPORTS: Final = 0.15
"""Share of the tokens for reports (GraphRAG's published tool)."""
FACTS: Final = 0.35
"""Share of the tokens for facts; passages get the rest (published tool)."""

_MARKER: Final = "[00] "
"""A number takes this much of a budget."""


def tokens_for(settings: Context) -> int:
    """The tokens of reports, facts and passages together."""
    return LocalSettings.of(settings).tokens or traits_of(settings).local_tokens


@dataclass(frozen=True)
class Material:
    """The texts behind statements and passages."""

    graph: EntityGraph
    passages: Mapping[str, Passage]
    settings: Context

    def heading(self, name: str) -> str:
        """The heading of a passage, and of facts from it."""
        passage = self.passages[name]
        about = passage.about if traits_of(self.settings).reads_metadata else ""
        return heading(passage.full_title, about)

    def shown(self, name: str) -> str:
        """The text of a passage, cut to a snippet."""
        return passage_snippet(self.passages[name].text, self.settings.retrieval.snippet_tokens)

    def text(self, statement: Statement) -> str:
        """A statement as a sentence."""
        row, place = statement["row"], statement["place"]
        if statement["kind"] == "sentence":
            return self.passages[statement["passage"]].text[slice(*self._span(row))]
        if statement["kind"] == "fact":
            text = self.graph.fact_text(row)
        else:
            described = self.graph.descriptions(row)[place]
            kind = f" ({described.type})" if described.type else ""
            text = f"{self.graph.label(row)}{kind}: {described.text}"
        return text if text.endswith((".", "!", "?", "。")) else f"{text}."

    def repeats(self, statement: Statement, texts: Collection[str]) -> bool:
        """Whether a statement is a sentence that one of some passages shows."""
        name = statement["passage"]
        if statement["kind"] != "sentence" or name not in texts:
            return False
        return self._span(statement["row"])[1] <= len(self.shown(name))

    def passage_cost(self, name: str) -> int:
        """The tokens of a passage."""
        return tokens_of(f"{_MARKER}{self.heading(name)}: {self.shown(name)}\n")

    def statement_costs(self, statements: Iterable[Statement]) -> Iterator[int]:
        """The tokens of each statement; the first of a passage carries the passage's heading."""
        begun: set[str] = set()
        for statement in statements:
            name = statement["passage"]
            head = "" if name in begun else f"{_MARKER}{self.heading(name)}: \n"
            begun.add(name)
            yield tokens_of(f"{head}{self.text(statement)} ")

    def _span(self, row: int) -> tuple[int, int]:
        passage, place = map(int, self.graph.files.sentences[row].item())
        return sentence_spans(self.passages[self.graph.passage_ids[passage]].text)[place]


@dataclass(frozen=True)
class Part:
    """The tokens of one part of a prompt."""

    count: int
    """Number of items that fit."""
    used: int
    room: int

    @property
    def left(self) -> int:
        """Tokens for the next part."""
        return self.room - self.used

    def __str__(self) -> str:
        """As a trace shows it: "310 of 525 tokens"."""
        return f"{self.used} of {self.room} tokens"


def rooms(tokens: int) -> tuple[int, int, int]:
    """The tokens of reports, facts and passages, which add up to all tokens."""
    reports, facts = int(tokens * REPORTS), int(tokens * FACTS)
    return reports, facts, tokens - reports - facts


def fill(costs: Iterable[int], room: int) -> Part:
    """Take items in their order until the next does not fit."""
    count = used = 0
    for cost in costs:
        if used + cost > room:
            break
        count, used = count + 1, used + cost
    return Part(count, used, room)


class Chosen(NamedTuple):
    """The content of the prompt."""

    reports: Part
    """Lines of reports."""
    facts: Part
    statements: list[Statement]
    """Those that fit and whose sentence no shown passage holds."""
    passages: Part


def choose(
    lines: Sequence[ReportLine],
    statements: Sequence[Statement],
    passages: Sequence[str],
    material: Material,
) -> Chosen:
    """Fill the shares of the budget: reports, then facts, then passages.

    Tokens that a part leaves over go to the next. A sentence of a passage that is shown anyway
    takes no room among the facts.

    Args:
        lines: Of reports, the best report first.
        statements: The best first.
        passages: Ids, the best first. The first is shown even if it does not fit, if nothing else
            does.
    """
    for_reports, for_facts, for_passages = rooms(tokens_for(material.settings))
    reports = fill((tokens_of(_line(line, {})) for line in lines), for_reports)
    costs = [material.passage_cost(name) for name in passages]
    sure = passages[: fill(costs, for_passages).count]
    new = [found for found in statements if not material.repeats(found, sure)]
    facts = fill(material.statement_costs(new), for_facts + reports.left)
    texts = fill(costs, for_passages + facts.left)
    if passages and not reports.count + facts.count + texts.count:
        texts = Part(1, costs[0], texts.room)
    shown = passages[: texts.count]
    kept = [found for found in new[: facts.count] if not material.repeats(found, shown)]
    return Chosen(reports, facts, kept, texts)


def render(
    lines: Sequence[ReportLine],
    statements: Sequence[Statement],
    names: Sequence[str],
    texts: int,
    material: Material,
) -> str:
    """The context of the prompt.

    Args:
        statements: Grouped by their passages here.
        names: Ids of all passages that have a number, from 1.
        texts: The first so many are shown with their text.
    """
    numbers = {name: number for number, name in enumerate(names, 1)}
    said: dict[str, list[str]] = {}
    for statement in statements:
        said.setdefault(statement["passage"], []).append(material.text(statement))
    facts = passage_lines(
        [(material.heading(name), " ".join(stated)) for name, stated in said.items()],
        [numbers[name] for name in said],
    )
    shown = [material.passages[name] for name in names[:texts]]
    return context_text(
        "\n".join(_line(line, numbers) for line in lines),
        facts,
        format_passages(shown, material.settings),
        headings=traits_of(material.settings).reads_headings,
    )


def _line(line: ReportLine, numbers: Mapping[str, int]) -> str:
    markers = "".join(f"[{numbers.get(name, 99)}]" for name in line.passages)
    return f"{line.text} {markers}".strip()
