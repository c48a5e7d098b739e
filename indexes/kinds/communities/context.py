"""The lines of a community in a prompt, within a budget of tokens (GraphRAG, section 3.1.4).

The functions are pure. A leaf community shows its elements by combined degree, until the budget is
full. A higher community shows reports of its sub-communities in place of the elements that they
were written from, the sub-community with most of them first, until everything fits.

Elements and reports are chosen in these orders, and shown in the order of the corpus. So a new
document changes the prompts of those communities only that show something else because of it. For
the same reason, a prompt has numbers of its own: E1 is the first entity shown.

Sentences stand below the heading of their passage. A name of which nothing is said is not shown,
because the lines that are shown say it. If there is no other line, names are all that there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from hopyard.indexes.kinds.communities.elements import Element, Group
from hopyard.indexes.kinds.communities.records import Report
from hopyard.prompts.passages import one_line, source_line

Count = Callable[[str], int]
"""Counts the tokens of a text."""

_REFERENCE: Final = re.compile(r"[A-Z]\d+")
_REFERENCES: Final = re.compile(r"\s*\[\s*[A-Z]\d+(?:\s*[,;]\s*[A-Z]\d+)*\s*\]")
_HEADINGS: Final = {"E": "Entities", "R": "Relationships", "S": "Sentences"}


@dataclass(frozen=True)
class Shown:
    """The elements and reports in a prompt."""

    elements: tuple[Element, ...]
    """In the order in which they were chosen."""
    reports: tuple[Report, ...] = ()
    """Reports of sub-communities, the highest rated first."""

    @property
    def read(self) -> tuple[str, ...]:
        """Ids of the elements that are shown, and of those that the reports were written from."""
        below = (name for report in self.reports for name in report.read)
        return tuple(dict.fromkeys((*(element.id for element in self.elements), *below)))


def leaf(groups: Iterable[Group], budget: int, count: Count) -> Shown:
    """Show elements until the next does not fit.

    Args:
        groups: By descending combined degree. No more of them are read than are needed.
        budget: Tokens at most.
        count: Counts the tokens of a line.
    """
    return Shown(fill((element for group in groups for element in group.elements), budget, count))


def fits(groups: Iterable[Group], budget: int, count: Count) -> bool:
    """Whether everything that is said of a community fits into a budget of tokens."""
    said = {element.id for group in groups for element in group.elements if not element.is_name}
    return len(leaf(groups, budget, count).elements) >= len(said)


def with_reports(
    groups: Sequence[Group], reports: Mapping[str, Report], budget: int, count: Count
) -> Shown:
    """Show the elements of a higher community, and reports in place of some of them.

    A report replaces the elements that it was written from (`Report.read`). A relationship between
    two sub-communities that neither report read stays. If not everything fits even with all
    reports, the elements that are left are chosen by combined degree. A report that is longer than
    the elements that it replaces is not shown. If the reports do not fit, they show fewer findings,
    and then those with the lowest ratings are left out.

    Args:
        groups: All elements of the community, by descending combined degree.
        reports: Reports of sub-communities, by their ids. One without a report keeps its elements.
        budget: Tokens at most.
        count: Counts the tokens of a line.
    """
    left = Left(groups, count)
    read = {part: frozenset(report.read) for part, report in reports.items()}
    used, replaced = 0, []
    for part in sorted(reports, key=lambda part: -left.tokens_of(read[part])):
        cost = _report_cost(reports[part], count)
        if left.tokens + used > budget and cost < left.tokens_of(read[part]):
            left.remove(read[part])
            used += cost
            replaced.append(part)
    replaced.sort(key=lambda part: (-reports[part].rating, reports[part].title))
    shown = _shortened([reports[part] for part in replaced], left.tokens, budget, count)
    gone = {name for report in shown for name in report.read}
    rest = (element for group in groups for element in group.elements if element.id not in gone)
    used = sum(_report_cost(report, count) for report in shown)
    return Shown(fill(rest, budget - used, count), tuple(shown))


class Left:
    """The elements of a community that no report replaces, and their tokens."""

    def __init__(self, groups: Iterable[Group], count: Count) -> None:
        elements = {element.id: element for group in groups for element in group.elements}
        self._count = count
        self._costs = {
            name: 0 if element.is_name else _cost(element, count)
            for name, element in elements.items()
        }
        self._sources = {
            name: element.source for name, element in elements.items() if element.source
        }
        self._below = Counter(self._sources.values())
        self.tokens = self.tokens_of(elements)

    def tokens_of(self, names: Collection[str]) -> int:
        """The tokens of those of some elements that are left, with their headings."""
        own = [name for name in names if name in self._costs]
        below = Counter(self._sources[name] for name in own if name in self._sources)
        headings = (source for source, lines in below.items() if lines == self._below[source])
        return sum(self._costs[name] for name in own) + sum(
            self._count(source_line(source)) for source in headings
        )

    def remove(self, names: Collection[str]) -> None:
        """Some elements are replaced."""
        self.tokens -= self.tokens_of(names)
        for name in names:
            if self._costs.pop(name, None) is not None and name in self._sources:
                self._below[self._sources.pop(name)] -= 1


def _shortened(reports: Sequence[Report], left: int, budget: int, count: Count) -> list[Report]:
    """Reports that fit, each with its summary and as many of its first findings as fit.

    Findings give way to the elements that no report replaces, up to half of the budget.

    Args:
        reports: The highest rated first.
        left: Tokens of the elements that no report replaces.
        budget: Tokens at most.
        count: Counts the tokens of a line.
    """
    kept, used = [report.model_copy(update={"findings": ()}) for report in reports], 0
    heads = [_report_cost(report, count) for report in kept]
    while (used := sum(heads[: len(kept)])) > budget:
        kept.pop()
    room = max(budget - left, budget // 2) - used
    for place in range(max((len(report.findings) for report in reports), default=0)):
        for number, report in enumerate(reports[: len(kept)]):
            if len(kept[number].findings) < place or len(report.findings) <= place:
                continue
            longer = report.model_copy(update={"findings": report.findings[: place + 1]})
            cost = _report_cost(longer, count) - _report_cost(kept[number], count)
            if cost <= room:
                kept[number] = longer
                room -= cost
    return kept


def fill(elements: Iterable[Element], budget: int, count: Count) -> tuple[Element, ...]:
    """Elements in their order until the next does not fit. Names are shown only if alone."""
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
    cited = (name for report in shown.reports for find in report.findings for name in find.elements)
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
            lines += [f"{numbers[element.id]} {element.text}" for element in below]
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
