"""`decompose`: one split, k/m passages a sub-question, one answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.graphs import decompose
from hopyard.nodes.evidence import merge_by_max_score, merge_in_shares, shares
from hopyard.state.schemas import Evidence, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import SIMPLE, said, split
from .script import BaselineScript

QUESTION = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"


async def test_each_sub_question_gives_its_share(context: Context, script: BaselineScript) -> None:
    script.lines = {("split", QUESTION): split(IRON, STONE), ("read", QUESTION): said("Stone")}
    wide = changed(context, retrieval__k=3, retrieval__method="dense")
    output = await decompose.graph.ainvoke({"question": QUESTION}, context=wide)
    first, second = [step for step in output["steps"] if step["kind"] == "search"]
    assert (first["question"], second["question"]) == (IRON, STONE)
    assert output["evidence"][:2] == first["passages"][:2]
    assert output["evidence"][2] in second["passages"]
    assert len(output["evidence"]) == 3


@pytest.mark.parametrize("said_of_it", [SIMPLE, split(QUESTION, IRON), "rubbish"])
async def test_what_is_not_split_is_searched_for_as_it_is(
    context: Context, script: BaselineScript, said_of_it: Any
) -> None:
    script.lines = {("split", QUESTION): said_of_it, ("read", QUESTION): said("Stone")}
    output = await decompose.graph.ainvoke({"question": QUESTION}, context=context)
    assert [step.get("question") for step in output["steps"]] == [QUESTION] * 3
    assert output["steps"][0]["reason"]
    assert len(output["evidence"]) == context.retrieval.k


def evidence(*ids: str) -> list[Evidence]:
    return [passage_evidence(name, 1 / place) for place, name in enumerate(ids, 1)]


def test_shares_by_hand() -> None:
    assert shares(5, 2) == [3, 2]
    assert shares(2, 3) == [1, 1, 0]


@given(st.integers(1, 50), st.integers(1, 10))
def test_shares_add_up_and_differ_by_one_at_most(k: int, m: int) -> None:
    given = shares(k, m)
    assert sum(given) == k
    assert max(given) - min(given) <= 1


def test_what_an_earlier_question_gave_is_not_given_twice() -> None:
    found = merge_in_shares([evidence("a", "b", "c"), evidence("b", "a", "d", "e")], 4)
    assert passage_ids(found) == ["a", "b", "d", "e"]


def test_merged_rankings_keep_each_passage_once_with_its_best_score() -> None:
    found = merge_by_max_score([evidence("a", "b"), evidence("b", "c", "a")], 2)
    assert found == [passage_evidence("a", 1.0), passage_evidence("b", 1.0)]
