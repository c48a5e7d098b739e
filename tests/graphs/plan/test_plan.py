"""`plan`: sub-questions that may need one another's answers, one call a decision."""

from __future__ import annotations

import pytest

from hopyard.prompts.answer import UNKNOWN
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from ..script import Said, Script
from ..tree.trees import IRON, ROOT, STONE, closing, nodes
from .plans import LENGTH, LONG, OTHERWISE, RIVER, ask, found, plan


class TestCalls:
    async def test_a_simple_question_costs_two(self, context: Context, script: Script) -> None:
        script.lines["close", IRON] = found("1781", 1)
        output = await ask(context, IRON)
        assert script.asked == [("plan", IRON), ("close", IRON)]
        assert output["answer"] == "1781"
        assert output["unconfirmed"] == ""
        assert len(output["evidence"]) == 2  # all that one search finds
        assert nodes(output)[""]["verdict"] == "leaf"
        assert nodes(output)[""]["reason"] == "the question is simple"
        assert closing(output)["reason"] == "the question was not split"
        assert "Findings:\nnone\n" in script.turn("close", IRON)
        assert "answer now" in script.turn("close", IRON)

    async def test_an_independent_pair_costs_four(self, context: Context, pair: Script) -> None:
        output = await ask(context)
        assert pair.asked[0] == ("plan", ROOT)
        assert set(pair.asked[1:3]) == {("part", IRON), ("part", STONE)}
        assert pair.asked[3:] == [("close", ROOT)]
        assert output["answer"] == "the Stone Bridge"
        assert output["usage"]["model_calls"] == 4
        assert {path: node["verdict"] for path, node in nodes(output).items()} == {
            "": "split",
            "1": "leaf",
            "2": "leaf",
        }
        assert nodes(output)[""]["facts"] == {"rubric": "4/4"}
        assert nodes(output)[""]["judge"] == context.model
        assert closing(output)["reason"] == "from 2 findings"
        assert "verdict" not in closing(output)

    async def test_a_dependent_pair_is_filled_in_before_it_is_searched(
        self, context: Context, chain: Script
    ) -> None:
        output = await ask(context, LONG)
        assert chain.asked == [
            ("plan", LONG),
            ("part", RIVER),
            ("part", LENGTH),
            ("close", LONG),
        ]
        assert nodes(output)["2"]["question"] == LENGTH
        assert "severn" in passage_ids(nodes(output)["2"]["passages"])
        assert output["answer"] == "354 kilometres"
        assert f"For the sake of: {LONG}\nQuestion: {LENGTH}" in chain.turn("part", LENGTH)

    async def test_three_parts_of_which_two_are_side_by_side(
        self, context: Context, script: Script
    ) -> None:
        whole = "Which of the rivers under the Iron and the Stone Bridge is longer?"
        danube, longer = "Which river does the Stone Bridge cross?", "Which is longer, #1 or #2?"
        script.lines = {
            ("plan", whole): plan(RIVER, danube, longer),
            ("part", RIVER): found("Severn", 1),
            ("part", danube): found("Danube", 1),
            ("close", whole): found("the Danube", 1),
        }
        output = await ask(context, whole)
        assert set(script.asked[1:3]) == {("part", RIVER), ("part", danube)}
        assert script.asked[3:] == [
            ("part", "Which is longer, Severn or Danube?"),
            ("close", whole),
        ]
        assert list(nodes(output)) == ["", "1", "2", "3"]


class TestSplitting:
    async def test_the_draft_that_was_corrected_is_kept_in_the_steps(
        self, context: Context, chain: Script
    ) -> None:
        draft = [RIVER, LENGTH]
        chain.lines["plan", LONG] = plan(
            RIVER, "How long is the #1?", draft=draft, criticism="It names the river."
        )
        output = await ask(context, LONG)
        assert nodes(output)[""]["replaced"] == [
            {"question": f"{RIVER} / {LENGTH}", "reason": "It names the river."}
        ]

    @pytest.mark.parametrize(
        ("bad", "reason"),
        [
            (plan("Is it old?", STONE, complete=False), "it is not complete"),
            (plan("Is it old?", STONE, relevant=False), "it is not relevant"),
            (plan("How old is #2?", STONE), "refers to #2"),
            (plan(*(f"What is {n}?" for n in range(5))), "more than 4"),
        ],
    )
    async def test_a_split_with_faults_is_asked_for_again_and_they_are_named(
        self, context: Context, pair: Script, bad: Said, reason: str
    ) -> None:
        pair.lines["plan", ROOT] = [bad, plan(IRON, STONE)]
        output = await ask(context)
        assert pair.counts["plan"] == 2
        assert reason in pair.turn("plan", ROOT, 1)
        assert [thrown["reason"] for thrown in nodes(output)[""]["replaced"]] != []
        assert output["answer"] == "the Stone Bridge"

    async def test_one_that_stays_faulty_leaves_the_question_whole(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["plan", ROOT] = plan(IRON, STONE, complete=False)
        output = await ask(context)
        assert pair.counts == {"plan": 2, "close": 1}  # the third repeats the second: it is free
        assert nodes(output)[""]["reason"] == "no split passed its criticism"
        assert len(nodes(output)[""]["replaced"]) == 3

    async def test_two_minor_faults_do_not_matter(self, context: Context, pair: Script) -> None:
        pair.lines["plan", ROOT] = plan(IRON, STONE, specific=False, non_overlapping=False)
        output = await ask(context)
        assert nodes(output)[""]["facts"] == {
            "rubric": "2/4",
            "fails on": "specific, non overlapping",
        }
        assert list(nodes(output)) == ["", "1", "2"]

    @pytest.mark.parametrize("parts", [(ROOT, STONE), (STONE,), (IRON, IRON), (IRON, "")])
    async def test_what_is_no_split_costs_no_second_try(
        self, context: Context, pair: Script, parts: tuple[str, ...]
    ) -> None:
        pair.lines["plan", ROOT] = plan(*parts)
        output = await ask(context)
        assert pair.counts == {"plan": 1, "close": 1}
        assert nodes(output)[""]["reason"].startswith("not split: ")

    async def test_a_part_of_several_facts_is_split_only_if_one_search_leaves_it_unknown(
        self, context: Context, script: Script, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        script.lines = {
            ("plan", ROOT): plan(LONG, STONE, deeper=(LONG, STONE)),
            ("part", LONG): found(UNKNOWN),
            ("part", STONE): found("1146", 1),
            ("plan", LONG): plan(RIVER, "How long is the #1?"),
            ("part", RIVER): found("Severn", 1),
            ("part", LENGTH): found("354 kilometres", 1),
            ("close", LONG): found("354 kilometres", 1),
            ("close", ROOT): found("the Stone Bridge", 1),
        }
        output = await ask(context)
        assert script.counts == {"plan": 2, "part": 4, "close": 2}
        assert {path: node["verdict"] for path, node in nodes(output).items()} == {
            "": "split",
            "1": "split",
            "1.1": "leaf",
            "1.2": "leaf",
            "2": "leaf",
        }
        assert f"1. {LONG} 354 kilometres [" in script.turn("close", ROOT)
        monkeypatch.setattr("hopyard.nodes.plan.part.MAX_DEPTH", 1)
        shallow = await ask(context, seed=8)
        assert list(nodes(shallow)) == ["", "1", "2"]

    async def test_a_part_that_turns_out_simple_stays_a_leaf(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("plan", ROOT): plan(IRON, STONE, deeper=(IRON,)),
            ("part", IRON): found(UNKNOWN),
        }
        output = await ask(context)
        assert script.counts == {"plan": 2, "part": 2, "close": 1}
        assert nodes(output)["1"]["reason"] == "the question is simple"
        assert nodes(output)["1"]["verdict"] == "leaf"


class TestUnknown:
    async def test_what_a_later_part_needs_is_asked_once_in_other_words(
        self, context: Context, chain: Script
    ) -> None:
        chain.lines |= {
            ("part", RIVER): found(UNKNOWN, in_other_words=OTHERWISE),
            ("part", OTHERWISE): found("Severn", 1),
        }
        output = await ask(context, LONG)
        assert chain.asked == [
            ("plan", LONG),
            ("part", RIVER),
            ("part", OTHERWISE),
            ("part", LENGTH),
            ("close", LONG),
        ]
        first = nodes(output)["1"]
        assert (first["question"], first["answer"]) == (OTHERWISE, "Severn")
        assert [thrown["question"] for thrown in first["replaced"]] == [RIVER]
        shown = [
            {line for line in chain.turn("part", question).splitlines() if line[:1] == "["}
            for question in (RIVER, OTHERWISE)
        ]
        assert len(shown[0]) == len(shown[1]) == 2
        names = [{line.partition("] ")[2] for line in some} for some in shown]
        assert not names[0] & names[1]  # the second search leaves out what the first one found

    async def test_if_it_stays_unknown_what_needs_it_is_closed(
        self, context: Context, chain: Script
    ) -> None:
        chain.lines |= {
            ("part", RIVER): found(UNKNOWN, in_other_words=OTHERWISE),
            ("part", OTHERWISE): found(UNKNOWN, in_other_words="And yet again?"),
            ("close", LONG): found(UNKNOWN),
        }
        output = await ask(context, LONG)
        assert chain.counts == {"plan": 1, "part": 2, "close": 1}
        second = nodes(output)["2"]
        assert second["answer"] == UNKNOWN
        assert second["passages"] == []
        assert f"“{OTHERWISE}”, which is unknown" in second["reason"]
        assert output["answer"] == UNKNOWN
        assert output["citations"] == []

    async def test_what_nothing_needs_is_asked_again_too(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["part", IRON] = found(UNKNOWN, in_other_words="When was it finished?")
        output = await ask(context)
        assert ("part", "When was it finished?") in pair.asked
        assert pair.counts == {"plan": 1, "part": 3, "close": 1}
        assert output["answer"] == "the Stone Bridge"
