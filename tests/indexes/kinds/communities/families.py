"""An index of families, whose members meet each other, and a model that reports about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from conftest import WordEmbedder

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import ReportCounts
from hopyard.testing.models import ScriptedChat

from ...built import Built

FAMILIES = ("Adler", "Brandt", "Conrad", "Dorner", "Ebert", "Fuchs")
_FIRST = ("Anna", "Boris", "Clara", "David", "Emil", "Frida", "Gregor")


def families(count: int = len(FAMILIES)) -> list[Document]:
    """Three documents a family, each about a meeting of three of its members."""
    return [
        meeting(family, part, [f"{first} {family}" for first in _FIRST[part : part + 3]])
        for family in FAMILIES[:count]
        for part in (0, 2, 4)
    ]


def meeting(family: str, number: int, people: Sequence[str]) -> Document:
    """A document about some people, in whose sentences they meet in pairs."""
    pairs = pairwise(people)
    text = " ".join(
        f"It was {each} who met {other} on day {number}. Then {each} wrote to {other}."
        for each, other in pairs
    )
    return Document(f"{family.lower()}-{number}", "", text)


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A report that is named after the first person in the first sentence, which it cites."""
    assert name == "CommunityReport"
    turn = str(messages[-1]["content"])
    lines = re.findall(r"^(S\d+) (.*)$", turn, re.MULTILINE)
    cited = ["S1"] if lines else re.findall(r"\[(S\d+)", turn)[:1]
    named = re.search(r"It was (\w+ \w+)", lines[0][1]) if lines else None
    title = named[1] if named else turn.splitlines()[0].partition(": ")[2].partition(".")[0]
    finding = {"summary": "They met", "explanation": f"So it is [{cited[0]}].", "elements": cited}
    return {
        "title": title,
        "summary": "A family.",
        "rating": min(len(lines), 10),
        "findings": [finding],
    }


class Families(Built):
    """An index under test, with `communities.reports=all` if the settings say nothing else."""

    kind = "communities"
    kinds = ("dense", "sparse", "entity-graph", "communities")

    def __init__(self, directory: Path, **settings: Any) -> None:
        super().__init__(directory, WordEmbedder(), communities={"reports": "all", **settings})
        self.chat = ScriptedChat(answer)
        self.chat.register("scripted")

    @property
    def counts(self) -> ReportCounts:
        """The counts of the current generation."""
        counts: ReportCounts = self.stats.written
        return counts

    @property
    def reports(self) -> dict[str, tuple[str, ...]]:
        """The labels of each community's entities, and its report's title and elements in words."""
        with self.open() as index:
            communities: CommunityIndex = index.reader("communities")
            graph = index.reader("entity-graph")
            found = {}
            for each in map(communities.community, communities.ids):
                if report := communities.report(each.id):
                    labels = ", ".join(sorted(map(graph.label, each.entities)))
                    found[labels] = (report.title, report.findings[0].explanation)
            return found
