"""What a prompt shows of a community, within a budget of tokens (GraphRAG, section 3.1.4).

The functions are pure. A leaf community shows its elements by combined degree, until the budget is
full. A higher community shows reports of its sub-communities in place of their elements, the
largest sub-community first, until everything fits.

Elements and reports are chosen in these orders, and shown in the order of the corpus. So a new
document changes the prompts of those communities only that show something else because of it. For
the same reason, a prompt has numbers of its own: E1 is the first entity shown.

Sentences stand below the heading of their passage. A name of which nothing is said is not shown,
because the lines that are shown say it. If there is no other line, names are all that there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from hopyard.indexes.kinds.communities.elements import Element, Group
from hopyard.indexes.kinds.communities.records import Report
from hopyard.prompts.passages import one_line, source_line

__all__ = (
    "Count",
    "Shown",
    "fits",
    "in_rows",
    "leaf",
    "numbered",
    "references",
    "with_numbers",
    "with_reports",
)

Count = Callable[[str], int]
"""Counts the tokens of a text."""

_REFERENCE: Final = re.compile(r"[A-Z]\d+")
_REFERENCES: Final = re.compile(r"\s*\[\s*[A-Z]\d+(?:\s*[,;]\s*[A-Z]\d+)*\s*\]")
_HEADINGS: Final = {"E": "Entities", "R": "Relationships", "S": "Sentences", "C": "Claims"}


@dataclass(frozen=True)
class Shown:
    """What a prompt shows."""

    elements: tuple[Element, ...]
    """In the order in which they were chosen."""
    reports: tuple[Report, ...] = ()
    """Reports of sub-communities, the highest rated first."""


def leaf(groups: Iterable[Group], budget: int, count: Count) -> Shown:
    """Show elements until the next does not fit.

    Args:
        groups: By descending combined degree. No more of them are read than are needed.
        budget: Tokens at most.
        count: Counts the tokens of a line.
    """
    return Shown(_fill((element for group in groups for element in group.elements), budget, count))


def fits(groups: Iterable[Group], budget: int, count: Count) -> bool:
    """Whether everything that is said of a community fits into a budget of tokens."""
    said = {one.id for group in groups for one in group.elements if not one.is_name}
    return len(leaf(groups, budget, count).elements) >= len(said)


def with_reports(
    groups: Sequence[Group],
    part_of: Mapping[str, str],
    reports: Mapping[str, Report],
    budget: int,
    count: Count,
) -> Shown:
    """Show the elements of a higher community, and reports in place of some of them.

    Relationships between sub-communities belong to none of them, so no report replaces them. If not
    everything fits even with all reports, these relationships are chosen by combined degree. If the
    reports alone do not fit, those with the lowest ratings are left out. A report that is longer
    than the elements replaces none.

    Args:
        groups: All elements of the community, by descending combined degree.
        part_of: The sub-community of each entity, by the id of its element.
        reports: Reports of sub-communities. One without a report keeps its elements.
        budget: Tokens at most.
        count: Counts the tokens of a line.
    """
    parts: dict[str, str] = {}  # the sub-community of each element, "" for none
    costs: dict[str, int] = {}
    sources: dict[str, str] = {}
    for group in groups:
        own = {part_of[end.id] for end in group.ends}
        parts |= {end.id: part_of[end.id] for end in group.ends}
        parts |= {claim.id: part_of[end.id] for end, claim in group.claims}
        if group.relationship is not None:
            parts[group.relationship.id] = own.pop() if len(own) == 1 else ""
        costs |= {
            one.id: 0 if one.is_name else _cost(one, count)
            for one in group.elements
            if one.id not in costs
        }
        sources |= {one.id: one.source for one in group.elements if one.source}
    sizes = dict.fromkeys(dict.fromkeys(part_of.values()), 0) | {"": 0}
    for name, part in parts.items():
        sizes[part] += costs[name]
    for part, source in {(parts[name], source) for name, source in sources.items()}:
        sizes[part] += count(source_line(source))
    report_costs = {part: _report_cost(report, count) for part, report in reports.items()}
    total, replaced = sum(sizes.values()), []
    for part in sorted(reports, key=lambda part: -sizes[part]):
        if total > budget and report_costs[part] < sizes[part]:
            replaced.append(part)
            total += report_costs[part] - sizes[part]
    gone = {*replaced}
    replaced.sort(key=lambda part: (-reports[part].rating, reports[part].title))
    while (used := sum(report_costs[part] for part in replaced)) > budget:
        replaced.pop()
    rest = (one for group in groups for one in group.elements if parts[one.id] not in gone)
    return Shown(_fill(rest, budget - used, count), tuple(reports[part] for part in replaced))


def _fill(elements: Iterable[Element], budget: int, count: Count) -> tuple[Element, ...]:
    chosen: dict[str, Element] = {}
    names: dict[str, Element] = {}
    sources = {""}
    for element in elements:
        if element.is_name:
            names[element.id] = element
        elif element.id not in chosen:
            budget -= _cost(element, count)
            if element.source not in sources:
                sources.add(element.source)
                budget -= count(source_line(element.source))
            if budget < 0:
                break
            chosen[element.id] = element
    if not chosen and budget >= 0:
        return _of_names(names.values(), budget, count)
    return tuple(chosen.values())


def _of_names(names: Iterable[Element], budget: int, count: Count) -> tuple[Element, ...]:
    costs = accumulate(_cost(name, count) for name in names)
    return tuple(name for name, cost in zip(names, costs, strict=True) if cost <= budget)


def _cost(element: Element, count: Count) -> int:
    """Tokens of a line. Its number is not known yet, and the row must not decide."""
    return count(f"{element.id[0]}99 {element.text}")


def _report_cost(report: Report, count: Count) -> int:
    ids = {name: f"{name[0]}99" for finding in report.findings for name in finding.elements}
    return sum(map(count, _report_lines(report, ids)))


def numbered(shown: Shown) -> tuple[str, Mapping[str, str]]:
    """Write what is shown, with numbers of its own.

    Each element and each finding is one line, so none can pose as another.

    Returns:
        The text, and the id of each element by its number in the text, as in `{"E1": "E12"}`.
    """
    ids: dict[str, str] = {}
    numbers: dict[str, str] = {}
    last: Counter[str] = Counter()
    cited = (name for one in shown.reports for find in one.findings for name in find.elements)
    ordered = in_rows(shown.elements)
    for name in (*(element.id for element in ordered), *cited):
        if name not in numbers:
            last[name[0]] += 1
            numbers[name] = f"{name[0]}{last[name[0]]}"
            ids[numbers[name]] = name
    lines: list[str] = []
    for letter, heading in _HEADINGS.items():
        own = [element for element in ordered if element.id[0] == letter]
        lines += [f"{heading}:"] if own else []
        for source, below in groupby(own, key=lambda element: element.source):
            lines += [source_line(source)] if source else []
            lines += [f"{numbers[one.id]} {one.text}" for one in below]
    for report in shown.reports:
        lines += _report_lines(report, numbers)
    return "\n".join(lines), ids


def in_rows(elements: Iterable[Element]) -> list[Element]:
    """Elements in the order of the corpus: sentences of a passage are neighbours."""
    return sorted(elements, key=lambda element: (element.id[0], int(element.id[1:])))


def _report_lines(report: Report, numbers: Mapping[str, str]) -> list[str]:
    """A report, with a line for each finding that ends with its elements."""
    lines = [f"Report: {one_line(report.title)}. {one_line(report.summary)}"]
    for finding in report.findings:
        text = f"{finding.summary}: {with_numbers(finding.explanation, {})}"
        cited = ", ".join(numbers[name] for name in finding.elements)
        lines.append(f"- {one_line(text)}" + (f" [{cited}]" if cited else ""))
    return lines


def references(text: str) -> list[str]:
    """The ids in brackets, such as [E12, R7], each once, in order."""
    brackets = " ".join(_REFERENCES.findall(text))
    return list(dict.fromkeys(_REFERENCE.findall(brackets)))


def with_numbers(text: str, numbers: Mapping[str, str]) -> str:
    """Replace the ids in brackets, and leave out those without a number."""

    def replace(found: re.Match[str]) -> str:
        kept = [numbers[name] for name in _REFERENCE.findall(found[0]) if name in numbers]
        space = found[0][: len(found[0]) - len(found[0].lstrip())]
        return f"{space}[{', '.join(dict.fromkeys(kept))}]" if kept else ""

    return _REFERENCES.sub(replace, text)
