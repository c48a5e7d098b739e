"""Queue, visits and judgements as they follow from the hops."""

from __future__ import annotations

import pytest

from hopyard.state.hop import (
    Hop,
    HopSettings,
    RoundNote,
    arrivals,
    merge_judged,
    question_key,
    useful_so_far,
    visits,
)
from hopyard.state.settings.fields import Context, profile_of

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
    ("model", "given", "n_hop", "top_k", "evidence_k"),
    [
        ("ollama:qwen", {}, 4, 10, 10),
        ("ollama:qwen", {"form": "paper"}, 4, 20, 20),
        ("ollama:qwen", {"top_k": 7}, 4, 7, 7),
        ("ollama:qwen", {"evidence_k": 3}, 4, 10, 3),
        ("builtin", {}, 2, 6, 5),
        ("embedded", {}, 2, 6, 5),
        ("embedded:base", {}, 2, 6, 5),
        ("embedded", {"n_hop": 4, "top_k": 20}, 4, 20, 5),
        ("embedded", {"reasoner": "similarity"}, 4, 20, 5),
    ],
)
def test_a_zero_takes_the_papers_value_or_the_builtin_models(
    model: str, given: dict[str, object], n_hop: int, top_k: int, evidence_k: int
) -> None:
    filled = HopSettings.model_validate(given).for_profile(profile_of(Context(model=model)))
    assert (filled.n_hop, filled.top_k, filled.evidence_k) == (n_hop, top_k, evidence_k)


@pytest.mark.parametrize(
    ("model", "given", "form", "prune"),
    [
        ("ollama:qwen", {}, "rounds", "necessary"),
        ("ollama:qwen", {"form": "paper"}, "paper", "helpfulness"),
        ("ollama:qwen", {"prune": "helpfulness"}, "rounds", "helpfulness"),
        ("ollama:qwen", {"form": "paper", "prune": "necessary"}, "paper", "necessary"),
        ("builtin", {}, "paper", "helpfulness"),
        ("builtin", {"form": "rounds"}, "rounds", "necessary"),
    ],
)
def test_auto_takes_the_papers_form_where_the_builtin_model_reasons(
    model: str, given: dict[str, object], form: str, prune: str
) -> None:
    filled = HopSettings.model_validate(given).for_profile(profile_of(Context(model=model)))
    assert (filled.form, filled.prune) == (form, prune)


@pytest.mark.parametrize("model", ["ollama:qwen", "builtin"])
def test_every_model_enters_by_both(model: str) -> None:
    assert HopSettings().for_profile(profile_of(Context(model=model))).entry == "both"


def test_what_a_round_found_useful_stays_useful() -> None:
    notes = [RoundNote(round=1, useful=["a", "b"]), RoundNote(round=2, useful=["c", "a"])]
    assert useful_so_far(notes) == ["a", "b", "c"]
