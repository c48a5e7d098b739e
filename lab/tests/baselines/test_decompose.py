"""`decompose`: one split, k/m passages for each sub-question, one answer."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.state.errors import UsageError
from hopyard.state.schemas import Evidence, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import ScriptedChat, StrategyContract
from lab.baselines.decompose import STRATEGY, graph, merge_in_shares, shares

QUESTION = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"
SPLIT = {"kind": "compound", "first": IRON, "second": STONE}


class TestDecompose(StrategyContract):
    strategy = STRATEGY
    question = QUESTION
    answers: ClassVar = {"Decomposition": SPLIT, "Answer": {"answer": "Stone Bridge"}}
    answer = "Stone Bridge"
    calls = 2
    settings: ClassVar = {"retrieval": {"k": 3, "method": "dense"}}

    async def test_each_sub_question_gives_its_share(self, context: Context) -> None:
        output = await graph.ainvoke({"question": QUESTION}, context=context)
        first, second = [step for step in output["steps"] if step["kind"] == "search"]
        assert (first["question"], second["question"]) == (IRON, STONE)
        assert output["evidence"][:2] == first["passages"][:2]
        assert output["evidence"][2] in second["passages"]
        assert len(output["evidence"]) == 3

    @pytest.mark.parametrize("said", [{"kind": "simple"}, {**SPLIT, "first": QUESTION}, "rubbish"])
    async def test_without_sub_questions_the_question_is_searched_for(
        self, context: Context, chat: ScriptedChat, said: Any
    ) -> None:
        chat.answers = {**self.answers, "Decomposition": said}
        output = await graph.ainvoke({"question": QUESTION}, context=context)
        assert [step.get("question") for step in output["steps"]] == [QUESTION] * 3
        assert output["steps"][0]["reason"]
        assert len(output["evidence"]) == 3


def test_the_package_does_not_have_it() -> None:
    with pytest.raises(UsageError, match="no strategy 'decompose'"):
        STRATEGIES["decompose"]


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
