"""What the closing call of `plan` reads."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.evidence import merge_by_rounds
from hopyard.nodes.plan.close import closing_evidence, format_findings
from hopyard.nodes.plan.part import cited_first, numbered
from hopyard.state.plan import PlanNode
from hopyard.state.schemas import Evidence, passage_evidence


def found(names: str, score: float = 0.5) -> list[Evidence]:
    return [passage_evidence(name, score) for name in names]


def ids(evidence: list[Evidence]) -> str:
    return "".join(unit["id"] for unit in evidence)


def passage(name: str) -> Passage:
    return Passage(name, name, name, f"Text of {name}.", 0, "", 4)


def node(path: str, names: str = "", **more: Any) -> PlanNode:
    return {  # type: ignore[typeddict-item]
        "path": path,
        "question": f"{path or 'root'}?",
        "status": "answered",
        "passages": found(names),
        **more,
    }


def tree_of(*nodes: PlanNode) -> dict[str, PlanNode]:
    return {node["path"]: node for node in nodes}


class TestMergingByRounds:
    def test_by_hand(self) -> None:
        rankings = [found("abc", 0.1), found("adb", 0.9), found("e", 0.5)]
        # First places: a, a again, e. Second places: b, d. Third places: c, b again.
        assert ids(merge_by_rounds(rankings, 9)) == "aebdc"
        assert ids(merge_by_rounds(rankings, 3)) == "aeb"
        assert merge_by_rounds([], 3) == merge_by_rounds([[], []], 3) == []

    @given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=4))
    def test_no_second_place_before_every_first(self, rankings: list[list[str]]) -> None:
        merged = ids(merge_by_rounds([found("".join(names)) for names in rankings], 99))
        every = {name for names in rankings for name in names}
        assert sorted(merged) == sorted(every)
        best_place = {
            name: min(names.index(name) for names in rankings if name in names) for name in every
        }
        places = [best_place[name] for name in merged]
        assert places == sorted(places)


class TestClosingEvidence:
    def test_every_leaf_has_a_place_before_any_has_a_second(self) -> None:
        tree = tree_of(
            node("", "wax", verdict="split"),
            node("1", "abc", verdict="leaf", answer="A"),
            node("2", "zz", verdict="split", answer="B"),
            node("2.1", "def", verdict="leaf", answer="D"),
            node("2.2", "dgh", verdict="leaf", answer="G"),
        )
        # First places a, d, d again, w; second ones b, e, g, a again. 2 is no leaf.
        assert ids(closing_evidence(tree, "", 5)) == "adwbe"
        assert ids(closing_evidence(tree, "", 7)) == "adwbegc"

    def test_each_leaf_keeps_a_place_where_there_are_fewer_places_than_leaves(self) -> None:
        parts = [node(str(n), f"{n}x", verdict="leaf", answer="A") for n in (1, 2, 3)]
        tree = tree_of(node("", "w", verdict="split"), *parts)
        assert ids(closing_evidence(tree, "", 1)) == "123w"

    def test_a_whole_question_keeps_all_that_one_search_found(self) -> None:
        assert ids(closing_evidence(tree_of(node("", "abcdef", verdict="leaf")), "", 2)) == "abcdef"

    def test_what_an_answer_was_read_from_comes_first(self) -> None:
        assert ids(cited_first(found("abcd"), ["d", "b"])) == "bdac"


class TestFindings:
    def test_they_carry_the_numbers_of_the_passages_shown(self) -> None:
        parts = [
            node("1", answer="Sony", cited=["c", "a"]),
            node("2", answer="Akio\nMorita", cited=["gone"]),
            node("3", answer="Unknown"),
            node("4"),
        ]
        assert format_findings(parts, [passage("a"), passage("b"), passage("c")]) == (
            "1. 1? Sony [1][3]\n2. 2? Akio Morita\n3. 3? Unknown\n4. 4? not answered"
        )
        assert format_findings([], []) == "none"

    def test_numbers_that_no_passage_has_are_left_out(self) -> None:
        assert numbered([passage("a"), passage("b")], [2, 0, 3, -1, 1]) == ["b", "a"]
