"""An index of families, whose members meet each other, and a model that reports about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from building import wait
from conftest import WordEmbedder

from hopyard.indexes.building import build as building
from hopyard.indexes.building.build import BuildReport
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.records import CommunityStats, ReportCounts
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.testing.models import ScriptedChat

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


class Families:
    """An index directory under test, with `communities.reports=all`."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.directory = directory
        self.settings = settings
        self.chat = ScriptedChat(answer)
        self.chat.register("scripted")

    def build(self, documents: Sequence[Document], **settings: Any) -> BuildReport:
        """Build with `dense`, `sparse`, `entity-graph` and `communities`."""
        kinds = ("dense", "sparse", "entity-graph", "communities")
        return self._run(building.build, documents, settings, chunk_tokens=0, kinds=kinds)

    def add(self, *documents: Document, **settings: Any) -> BuildReport:
        """Add documents."""
        return self._run(building.add, documents, settings)

    def estimate(self) -> Estimate:
        """The cost of another build with these settings."""
        kinds = ("dense", "sparse", "entity-graph", "communities")
        _, estimates = self._run(building.estimate, families(), {}, chunk_tokens=0, kinds=kinds)
        return estimates["communities"]

    def context(self, **settings: Any) -> Context:
        """The settings of a build, or of a question."""
        communities = {"reports": "all", **self.settings}
        given = {"model": "scripted", "communities": communities}
        return Context.model_validate(given | settings)

    def _run(
        self,
        change: Callable[..., Any],
        documents: Sequence[Document],
        settings: dict[str, Any],
        **options: Any,
    ) -> Any:
        context = self.context(**settings)
        with Resources() as resources:
            return wait(
                change(
                    documents,
                    directory=self.directory,
                    embedder=WordEmbedder(),
                    settings=context,
                    caller=lambda: resources.caller(context.model),
                    **options,
                )
            )

    def open(self) -> Index:
        """The index, to be closed."""
        return Index.open(self.directory)

    @property
    def counts(self) -> ReportCounts:
        """The counts of the current generation."""
        with self.open() as index:
            return CommunityStats.load(index.kind_directory("communities")).written

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
