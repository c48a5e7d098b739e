"""Ranks of local search, and the parts of its budget, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.read.lookup import find_entities
from hopyard.nodes.local.context import (
    Material,
    Part,
    ReportLine,
    choose,
    choose_reports,
    fill,
    render,
    report_lines,
    rooms,
)
from hopyard.nodes.local.gather import entities_of_passages
from hopyard.nodes.local.surroundings import find_neighbours, rank_passages, rank_statements
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.strategies.local import LOCAL_ANSWER
from hopyard.state.local import Statement
from hopyard.state.settings.fields import Context

from ..indexes.kinds.entity_graph.made_graph import SENSES, TEXTS, graph_of, read


@pytest.fixture
def graph(tmp_path: Path) -> EntityGraph:
    return graph_of(tmp_path, senses=SENSES)


def row(graph: EntityGraph, name: str) -> int:
    return find_entities(graph, name)[0].row


def labels(graph: EntityGraph, rows: list[int]) -> list[str]:
    return [graph.label(entity) for entity in rows]


def test_the_shares_of_a_budget() -> None:
    assert rooms(8000) == (1200, 2800, 4000)
    assert rooms(1500) == (225, 525, 750)
    assert rooms(1) == (0, 0, 1)


def test_a_part_takes_items_until_one_does_not_fit() -> None:
    assert fill([3, 4, 5, 1], 8) == Part(count=2, used=7, room=8)
    assert fill([3, 4], 7).left == 0
    assert fill([9], 8) == Part(0, 0, 8)
    assert fill([], 5).left == 5


@pytest.fixture
def material(graph: EntityGraph) -> Material:
    passages = {passage.id: passage for passage in read(list(TEXTS))}
    return Material(graph, passages, Context(profile="capable"))


def with_tokens(material: Material, tokens: int) -> Material:
    settings = Context.model_validate({"profile": "capable", "local": {"tokens": tokens}})
    return replace(material, settings=settings)


def sentence(graph: EntityGraph, passage: str, place: int) -> Statement:
    """The sentence of a passage."""
    rows = graph.files.sentences.tolist()
    found = rows.index((graph.passage_rows[passage], place))
    return Statement(kind="sentence", row=found, place=0, passage=passage)


def test_what_a_part_leaves_over_goes_to_the_next(material: Material) -> None:
    """Rooms of 15, 35 and 50 tokens.

    - Reports: the first line has 40 characters, 10 tokens; the second as many, which does not fit.
    - Facts: 35 + 5. "[00] Severn: ⏎The Severn is a river. " has 37 characters, 10 tokens.
    - Passages: 50 + 30. "[00] Darby: …⏎" has 92 characters, 23 tokens; "[00] Bridge: …⏎" 73 and
      19; "[00] Stone: …⏎" 60 and 15. 23 + 19 + 15 = 57.
    """
    lines = [ReportLine("0-0", "x" * 40), ReportLine("0-0", "y" * 40)]
    statements = [sentence(material.graph, "severn", 0)]
    chosen = choose(lines, statements, ["darby", "bridge", "stone"], with_tokens(material, 100))
    assert chosen.reports == Part(1, 10, 15)
    assert chosen.facts == Part(1, 10, 40)
    assert chosen.passages == Part(3, 57, 80)


def test_a_sentence_of_a_shown_passage_is_not_shown_again(material: Material) -> None:
    """Half of 60 tokens, 30, hold the first passage with 23, so its sentence is left out."""
    statements = [sentence(material.graph, name, 0) for name in ("darby", "severn")]
    chosen = choose([], statements, ["darby", "bridge"], with_tokens(material, 60))
    assert [each["passage"] for each in chosen.statements] == ["severn"]
    assert chosen.facts == Part(1, 10, 30)
    assert chosen.passages == Part(2, 42, 50)


def test_a_sentence_behind_the_end_of_a_snippet_is_shown(graph: EntityGraph) -> None:
    """A snippet of 20 tokens has 80 characters: the second sentence ends at the 70th, or 82nd."""
    passages = {passage.id: passage for passage in read(list(TEXTS))}
    settings = Context.model_validate({"retrieval": {"snippet_tokens": 20}})
    material = Material(graph, passages, settings)
    assert material.repeats(sentence(graph, "darby", 1), ["darby"])
    assert not material.repeats(sentence(graph, "darby", 1), ["bridge"])
    longer = passages["darby"].text.replace("Dudley", "the town of Dudley")
    passages["darby"] = replace(passages["darby"], text=longer)
    assert not material.repeats(sentence(graph, "darby", 1), ["darby"])


def test_a_budget_too_small_for_anything_still_shows_the_first_passage(
    material: Material,
) -> None:
    chosen = choose([], [], ["darby", "bridge"], with_tokens(material, 4))
    assert chosen.passages == Part(1, 23, 4)


def test_the_context_groups_facts_under_the_number_of_their_passage(material: Material) -> None:
    facts = [
        Statement(kind="fact", row=fact, place=0, passage=passage)
        for fact, passage in ((1, "bridge"), (2, "darby"), (0, "bridge"))
    ]
    line = ReportLine("0-0", "- Bridges: Darby built them.", ("darby", "bridge"))
    shown = render([line], facts, ["darby", "bridge"], 1, material)
    first, second, third = material.graph.files.facts[:3]
    texts = [" ".join(material.graph.fact(fact).values()) for fact in (first, second, third)]
    assert shown == (
        "Reports:\n- Bridges: Darby built them. [1][2]\n\n"
        f"Facts:\n[2] Bridge: {texts[1]}. {texts[0]}.\n[1] Darby: {texts[2]}.\n\n"
        f"Passages:\n[1] Darby: {TEXTS['darby']}"
    )


def test_neighbours_share_a_fact_or_a_sentence(graph: EntityGraph) -> None:
    scores = np.zeros(graph.entities)
    scores[row(graph, "Dudley")] = 0.2
    scores[row(graph, "Iron Bridge")] = 0.1
    darby = row(graph, "Abraham Darby")
    assert labels(graph, find_neighbours(graph, [darby], scores, 9)) == ["Dudley", "Iron Bridge"]
    assert labels(graph, find_neighbours(graph, [darby], scores, 1)) == ["Dudley"]
    assert find_neighbours(graph, [row(graph, "Zoo")], scores, 9) == []


def test_statements_that_join_two_entities_of_the_question_come_first() -> None:
    """Nearness 0, 1, 0.5, 1 and weight 1, 0, 0.5, 1, both normalised, are 1, 1, 1 and 2."""
    ends = np.array([1, 2, 3, 1])
    order = rank_statements(ends, np.array([0.2, 0.6, 0.4, 0.6]), np.array([3.0, 1.0, 2.0, 3.0]))
    assert order.tolist() == [1, 2, 3, 0]
    assert rank_statements(*(np.empty(0) for _ in range(3))).tolist() == []


def test_passages_are_ranked_by_the_walk_and_by_what_they_hold() -> None:
    """0.3·(1 + 0/2), 0.2·(1 + 2/2), 0.25·(1 + 1/2) and 0: 0.3, 0.4, 0.375."""
    order = rank_passages(np.array([0.3, 0.2, 0.25, 0.0]), np.array([0, 2, 1, 2]))
    assert order.tolist() == [1, 2, 0]


def test_entities_of_passages_by_number_and_rarity(graph: EntityGraph) -> None:
    """Darby is in both passages: 2·ln(1 + 5/2) = 2.51, as does the bridge.

    Dudley is in one passage of all, ln 6 = 1.79, and the Severn in three, ln(1 + 5/3) = 0.98.
    """
    found = labels(graph, entities_of_passages(graph, ["bridge", "darby"]))
    assert set(found[:2]) == {"Abraham Darby", "Iron Bridge"}
    assert [label.casefold() for label in found[2:]] == ["dudley", "severn"]


class Communities:
    """Two leaves of one community; the first and the root have a report."""

    def __init__(self) -> None:
        self.reports = {
            "0-0": Report(community="0-0", title="All", summary="Everything.", rating=9),
            "1-0": Report(community="1-0", title="A", summary="A.", rating=5),
        }

    def of_entity(self, entity: int) -> tuple[str, ...]:
        return ("0-0", "1-0" if entity < 5 else "1-1")

    def report(self, name: str) -> Report | None:
        return self.reports.get(name)


def test_each_entity_leads_to_the_report_on_its_smallest_community() -> None:
    communities: Any = Communities()
    titles = [each.title for each in choose_reports(communities, [7, 1])]
    assert titles == ["All", "A"]  # one entity each: the rating decides
    titles = [each.title for each in choose_reports(communities, [7, 1, 2])]
    assert titles == ["A", "All"]


def test_findings_lead_to_three_passages_at_most() -> None:
    finding = Finding(
        summary="Darby", explanation="He built\nthe bridge [E1, R2].", elements=("E1", "R2")
    )
    report = Report(community="0-1", title="T", summary="S.", rating=3, findings=(finding,))
    lines = report_lines(report, lambda found: [*found.elements, "E1", "p", "q"])
    assert lines == [
        ReportLine("0-1", "T: S."),
        ReportLine("0-1", "- Darby: He built the bridge.", ("E1", "R2", "p")),
    ]


def test_the_built_in_model_reads_the_prompt_that_it_was_trained_on() -> None:
    values = {"passages": "[1] A: b.", "question": "?"}
    own, trained = (prompt.messages(values) for prompt in (LOCAL_ANSWER, ANSWER))
    assert own == trained
