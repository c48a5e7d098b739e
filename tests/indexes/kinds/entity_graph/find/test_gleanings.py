"""Gleanings: the model is asked for what it missed, until it finds nothing new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.find.asking import entity_types
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.prompts.indexes.elements import found_before
from hopyard.testing.models import GARBAGE

from .library import Library

TEXT = "Alba, Bert and Cora met Dirk in Oslo."
DOCUMENT = Document("met", "Met", TEXT)
MISSED = "These were found in the passage before:"


def entities(*names: str) -> dict[str, Any]:
    described = [{"name": name, "type": "person", "description": f"{name} met."} for name in names]
    return {"entities": described, "facts": []}


def fact(subject: str, object_: str) -> dict[str, Any]:
    return {
        "sentence": 1, "subject": subject, "relation": "met", "object": object_,
        "description": "They met.", "strength": 2,
    }  # fmt: skip


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "index", "model")


def build(library: Library, *outputs: Any, gleanings: int, **settings: Any) -> list[str]:
    """Build with a model that gives these outputs in turn; the names that the graph describes."""
    library.chat.answers = {"PassageElements": list(outputs)}
    graph = {"builder": "model", "descriptions": True, "gleanings": gleanings}
    library.build([DOCUMENT], entity_graph=graph, **settings)
    found = EntityGraph.load(library.folder)
    return [found.label(row) for row in range(found.entities) if found.descriptions(row)]


def turns(library: Library) -> list[str]:
    return [request.turn for request in library.chat.requests]


def test_a_gleaning_is_told_all_that_was_found(library: Library) -> None:
    first = {**entities("Alba"), "facts": [fact("Alba", "Dirk")]}
    found = build(library, first, entities("Bert"), entities("Cora"), gleanings=2)
    assert found == ["Alba", "Bert", "Cora"]
    before = [turn.partition(f"\n\n{MISSED}\n")[2] for turn in turns(library)]
    told = "\nWrite only what was missed. Leave the lists empty if nothing was."
    assert before == [
        "",
        f"- Alba\n- Alba | met | Dirk{told}",
        f"- Alba\n- Bert\n- Alba | met | Dirk{told}",
    ]
    assert all(turn.startswith(f"Title: Met\n[1] {TEXT}") for turn in turns(library))


def test_nothing_new_ends_the_gleanings(library: Library) -> None:
    repeated = {**entities("ALBA", "the Bert"), "facts": []}
    assert build(library, entities("Alba", "Bert"), repeated, gleanings=3) == ["Alba", "Bert"]
    assert len(turns(library)) == 2


def test_the_number_is_a_limit(library: Library) -> None:
    outputs = [entities(name) for name in ("Alba", "Bert", "Cora", "Dirk", "Oslo")]
    assert build(library, *outputs, gleanings=3) == ["Alba", "Bert", "Cora", "Dirk"]


def test_by_default_there_is_none(library: Library) -> None:
    assert build(library, entities("Alba"), entities("Bert"), gleanings=0) == ["Alba"]
    assert len(turns(library)) == 1


def test_a_gleaning_that_fails_loses_nothing(library: Library) -> None:
    assert build(library, entities("Alba"), GARBAGE, entities("Bert"), gleanings=2) == ["Alba"]
    assert library.stats.written.failed == 0


def test_a_budget_between_two_calls_leaves_the_passage_for_the_next_build(
    library: Library,
) -> None:
    outputs = entities("Alba"), entities("Bert"), entities()
    assert build(library, *outputs, gleanings=3, budget={"calls": 1}) == []
    assert library.stats.unread == 1
    first = turns(library)
    assert build(library, *outputs, gleanings=3) == ["Alba", "Bert"]
    assert len(first) == 1
    assert first[0] not in turns(library)[1:], "the ledger gave the first answer"


def test_a_dry_run_counts_the_gleanings(library: Library) -> None:
    library.chat.answers = {"PassageElements": [entities("Alba")]}
    library.build(
        [DOCUMENT], entity_graph={"builder": "model", "descriptions": True, "gleanings": 1}
    )
    others = [Document(f"d{n}", f"Day {n}", f"Alba met Bert on day {n}.") for n in range(8)]
    _, estimate = library.estimate_add(*others)
    assert (estimate.spent_calls, estimate.model_calls) == (2 * 4, 2 * 4)


def test_a_line_of_what_was_found_cannot_pose_as_another() -> None:
    text = found_before(["A\n- B"], [("a", "b\nc", "d")], [])
    assert text.splitlines()[3:5] == ["- A - B", "- a | b c | d"]
    assert "- nothing\n" in found_before([], [], [])


def test_types_are_told_apart_by_their_letters() -> None:
    assert entity_types(" Person,  sea  Port ,,person, law") == ("person", "sea port", "law")
    assert entity_types(" , ") == ()
