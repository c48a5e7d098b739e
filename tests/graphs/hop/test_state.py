"""Queue, visits and judgements as they follow from the hops."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.nodes.hop.retrieve import HopLimits, limits_of
from hopyard.state.hop import Hop, arrivals, merge_judged, question_key, visits
from hopyard.state.hop_rounds import RoundNote, useful_so_far
from hopyard.state.settings.fields import Context

HOPS = [
    Hop(round=0, tail="z", edge=0, head="a", times=3),
    Hop(round=0, head="b"),
    Hop(round=1, tail="a", edge=1, head="c"),
    Hop(round=1, tail="b", edge=0, head="a"),
    Hop(round=2, tail="c", reason="it has no edge to another passage"),
]


def test_visits_are_counted_with_the_entry() -> None:
    assert visits(HOPS) == {"a": 4, "b": 1, "c": 1}
    assert visits([]) == {}


@pytest.mark.parametrize(("in_round", "first"), [(0, ["a", "b"]), (1, ["c"]), (2, []), (3, [])])
def test_only_what_is_reached_for_the_first_time_is_queued(in_round: int, first: list[str]) -> None:
    assert arrivals(HOPS, in_round) == first


def test_two_arrivals_in_a_round_are_one_in_the_queue() -> None:
    twice = [Hop(round=1, tail=tail, edge=0, head="d") for tail in "ab"]
    assert arrivals([*HOPS[:2], *twice], 1) == ["d"]


def test_the_first_judgement_counts() -> None:
    assert merge_judged({"k": "indirect"}, {"k": "irrelevant", "l": "necessary"}) == {
        "k": "indirect",
        "l": "necessary",
    }


def test_a_key_stands_for_its_question_in_every_process() -> None:
    assert question_key("Who is it?") == "f899855c38"
    assert question_key("Who is it ?") != question_key("Who is it?")


@pytest.mark.parametrize(
    ("profile", "given", "limits"),
    [
        ("capable", {}, HopLimits(4, 20, by_edges=20, read=20)),
        ("small", {"top_k": 7}, HopLimits(4, 7, by_edges=7, read=7)),
        ("builtin", {}, HopLimits(2, 6, by_edges=3, read=5)),
        ("builtin", {"n_hop": 4, "top_k": 20}, HopLimits(4, 20, by_edges=10, read=5)),
    ],
)
def test_what_is_not_set_is_the_papers_value_or_the_builtin_models(
    profile: Any, given: dict[str, object], limits: HopLimits
) -> None:
    assert limits_of(Context(profile=profile, hop=given)) == limits


def test_what_a_round_found_useful_stays_useful() -> None:
    notes = [RoundNote(round=1, useful=["a", "b"]), RoundNote(round=2, useful=["c", "a"])]
    assert useful_so_far(notes) == ["a", "b", "c"]
