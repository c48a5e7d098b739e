"""The entity graph and PageRank search keep Hopyard's contracts."""

from __future__ import annotations

from typing import Any, ClassVar

from hopyard.indexes.kinds.entity_graph import KIND
from hopyard.indexes.searches.pagerank import SEARCH
from hopyard.testing import IndexKindContract, SearchContract

_FACTS: dict[str, Any] = {
    "PassageFacts": {
        "entities": ["Iron Bridge", "River Severn", "Danube", "Regensburg"],
        "facts": [
            {"sentence": 1, "subject": "Iron Bridge", "relation": "crosses", "object": "Severn"}
        ],
    }
}
_ELEMENTS = {
    "PassageElements": {
        "entities": [
            {"name": name, "type": "place", "description": f"{name} is a place."}
            for name in ("Iron Bridge", "River Severn", "Danube", "Regensburg")
        ],
        "facts": [
            {**fact, "description": "It crosses the river.", "strength": 8}
            for fact in _FACTS["PassageFacts"]["facts"]
        ],
    }
}


class TestRules(IndexKindContract):
    kind = KIND
    volatile = ("stats.json",)


class TestTerms(IndexKindContract):
    kind = KIND
    volatile = ("stats.json",)
    settings: ClassVar = {"entity_graph": {"builder": "terms"}}


class TestDescriptions(IndexKindContract):
    kind = KIND
    volatile = ("stats.json",)
    answers: ClassVar = _ELEMENTS
    settings: ClassVar = {"entity_graph": {"builder": "model", "descriptions": True}}


class TestPageRank(SearchContract):
    search = SEARCH
    finds: ClassVar = {
        "When was the Iron Bridge opened?": "iron-bridge",
        "Which river flows through ten countries?": "danube",
        "Who cast the ribs of the Iron Bridge?": "abraham-darby",
    }


class TestHippoRag2(TestPageRank):
    settings: ClassVar = {"pagerank": {"method": "hipporag2"}}


class TestLinearRag(TestPageRank):
    settings: ClassVar = {"pagerank": {"method": "linear"}}
