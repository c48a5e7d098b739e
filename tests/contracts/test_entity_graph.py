"""The entity graph and PageRank search keep Hopyard's contracts."""

from __future__ import annotations

from typing import ClassVar

from hopyard.indexes.kinds.entity_graph import KIND
from hopyard.indexes.searches.pagerank import SEARCH
from hopyard.testing import IndexKindContract, SearchContract

_FACTS = {
    "PassageFacts": {
        "entities": ["Iron Bridge", "River Severn", "Danube", "Regensburg"],
        "facts": [
            {"sentence": 1, "subject": "Iron Bridge", "relation": "crosses", "object": "Severn"}
        ],
    }
}


class TestRules(IndexKindContract):
    kind = KIND
    volatile = ("stats.json",)


class TestModel(IndexKindContract):
    kind = KIND
    volatile = ("stats.json",)
    answers: ClassVar = _FACTS
    settings: ClassVar = {"graph": {"builder": "model", "synonyms": 0.8, "sentences": True}}


class TestPageRank(SearchContract):
    search = SEARCH
    finds: ClassVar = {
        "When was the Iron Bridge opened?": "iron-bridge",
        "Which river flows through ten countries?": "danube",
        "Who cast the ribs of the Iron Bridge?": "abraham-darby",
    }


class TestHippoRag(TestPageRank):
    settings: ClassVar = {"pagerank": {"method": "hipporag"}}


class TestHippoRag2(TestPageRank):
    settings: ClassVar = {"pagerank": {"method": "hipporag2"}}


class TestLinearRag(TestPageRank):
    settings: ClassVar = {"pagerank": {"method": "linear"}}
