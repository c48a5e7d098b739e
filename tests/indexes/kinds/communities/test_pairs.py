"""The weights of pairs by hand: shared sentences and passages, facts, rarity and dates."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hopyard.indexes.kinds.communities.pairs import pair_weights, shared
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.names import is_date

from ..entity_graph.made_graph import graph_of


def found(*mentions: tuple[str, int], facts: tuple[Fact, ...] = ()) -> Extraction:
    return Extraction(
        mentions=tuple(Mention(name=name, sentence=place) for name, place in mentions), facts=facts
    )


def weights_of(graph: EntityGraph) -> Mapping[tuple[str, str], float]:
    pairs = pair_weights(graph).tocoo()
    rows = zip(pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist(), strict=True)
    return {(graph.label(a), graph.label(b)): weight for a, b, weight in rows if a < b and weight}


def test_a_unit_is_shared_among_its_entities() -> None:
    # Units {a, b, c}, {a, b} and {d}: a-b gets 1/2 and 1, the others of the first 1/2.
    inside = np.array([[1, 2, 0], [3, 1, 0], [1, 0, 0], [0, 0, 5]])
    assert shared(sparse.csr_array(inside)).toarray().tolist() == [
        [0, 1.5, 0.5, 0],
        [1.5, 0, 0.5, 0],
        [0.5, 0.5, 0, 0],
        [0, 0, 0, 0],
    ]


@given(st.lists(st.sets(st.integers(0, 8)), max_size=12))
def test_a_unit_adds_one_to_the_degree_of_each_entity(units: list[set[int]]) -> None:
    inside = np.array([[entity in unit for unit in units] for entity in range(9)], float)
    pairs = shared(sparse.csr_array(inside.reshape(9, len(units)))).toarray()
    assert np.allclose(pairs, pairs.T)
    degrees = [sum(entity in unit and len(unit) > 1 for unit in units) for entity in range(9)]
    assert pairs.sum(axis=1) == pytest.approx(np.array(degrees))


def test_rare_names_weigh_more_and_dates_less(tmp_path: Path) -> None:
    extractions = {"a": found(("Xa", 0), ("Yb", 0)), "b": found(("Xa", 0), ("1999", 1))}
    graph = graph_of(tmp_path, extractions)
    # ln(1 + 2/2) for Xa, ln(1 + 2/1) for the others. Xa and Yb share a sentence and a passage.
    assert weights_of(graph) == pytest.approx(
        {("Xa", "Yb"): 2 * log(2) * log(3), ("1999", "Xa"): 0.1 * log(2) * log(3)}
    )


def test_facts_take_the_place_of_sentences(tmp_path: Path) -> None:
    fact = Fact(subject="Xa", relation="knows", object="Yb", sentence=0)
    itself = Fact(subject="Xa", relation="is", object="Xa", sentence=0)
    mentions = (("Xa", 0), ("Yb", 0), ("Zc", 0))
    graph = graph_of(tmp_path, {"a": found(*mentions, facts=(fact, fact, itself))})
    by_rarity = weights_of(graph)  # each is in the one passage, which gives a pair 1/2
    assert by_rarity == pytest.approx(
        {pair: log(2) ** 2 * weight for pair, weight in
         {("Xa", "Yb"): 2.5, ("Xa", "Zc"): 0.5, ("Yb", "Zc"): 0.5}.items()}
    )  # fmt: skip


def test_strengths_count_in_units_of_their_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tuple(
        Fact(subject="Xa", relation="knows", object=name, sentence=0) for name in ("Yb", "Zc")
    )
    graph = graph_of(tmp_path, {"a": found(("Xa", 0), ("Yb", 0), ("Zc", 0), facts=facts)})
    objects = [graph.fact(row)["object"] for row in graph.files.facts]
    strengths = [9.0 if name == "Zc" else 3.0 for name in objects]
    monkeypatch.setitem(graph.__dict__, "fact_strengths", np.array(strengths, np.float32))
    # The one passage gives each pair 1/2 more.
    assert weights_of(graph) == pytest.approx(
        {pair: log(2) ** 2 * weight for pair, weight in
         {("Xa", "Yb"): 1.0, ("Xa", "Zc"): 2.0, ("Yb", "Zc"): 0.5}.items()}
    )  # fmt: skip


def test_weights_are_symmetric_without_loops(tmp_path: Path) -> None:
    pairs = pair_weights(graph_of(tmp_path))
    assert (pairs != pairs.T).nnz == 0
    assert not pairs.diagonal().any()
    assert pairs.nnz


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("2010", True),
        ("October 17", True),
        ("17 October 2023", True),
        ("October", True),
        ("2010년", True),
        ("112-4", True),
        ("Apollo 11", False),
        ("May Day", False),
        ("Mary", False),
        ("2022 World Cup", False),
    ],
)
def test_dates_and_numbers(name: str, date: bool) -> None:
    assert is_date(name) == date
