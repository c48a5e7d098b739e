"""`plan`: the closing call, failures, budgets, and a run that stops."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import about, edit, proposed
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hopyard.graphs import plan as plan_graph
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import GARBAGE, Said, Script
from ..tree.trees import IRON, ROOT, STONE, closing, nodes
from .plans import LONG, OTHERWISE, ask, ask_again, found, lines_of, plan


class BrokenOff(BaseException):
    """The process ends here."""


class TestClosing:
    async def test_it_reads_findings_with_the_numbers_of_their_passages(
        self, context: Context, pair: Script
    ) -> None:
        output = await ask(context)
        turn = pair.turn("close", ROOT)
        evidence = passage_ids(output["evidence"])
        assert lines_of(turn, "Findings") == [f"1. {IRON} 1781 [1]", f"2. {STONE} 1146 [2]"]
        assert len(lines_of(turn, "Passages")) == len(evidence)
        firsts = [nodes(output)[path]["passages"][0]["id"] for path in ("1", "2")]
        assert evidence[:2] == firsts
        assert set(passage_ids(nodes(output)[""]["passages"])) <= set(evidence)

    async def test_it_is_told_the_form_of_the_answer(self, context: Context, pair: Script) -> None:
        await ask(context, answer__style="sentence")
        assert "\nWrite the answer as one sentence" in pair.turn("close", ROOT)

    async def test_what_no_passage_confirms_is_said(self, context: Context, pair: Script) -> None:
        pair.lines["close", ROOT] = found("the Stone Bridge", 1, unconfirmed="No year is given.")
        output = await ask(context)
        assert output["unconfirmed"] == "No year is given."
        assert closing(output)["facts"] == {"unconfirmed": "No year is given."}
        pair.lines["close", ROOT] = found(UNKNOWN, unconfirmed="No year is given.")
        assert (await ask(context, seed=8))["unconfirmed"] == ""

    async def test_the_answer_and_the_findings_are_cited(
        self, context: Context, pair: Script, passages: dict[str, str]
    ) -> None:
        citations = (await ask(context))["citations"]
        assert {"iron-bridge", "stone-bridge"} <= {each["passage_id"] for each in citations}
        assert all(each["quote"] in passages[each["passage_id"]] for each in citations)

    async def test_markers_in_the_answer_are_the_places_of_its_citations(
        self, context: Context, pair: Script
    ) -> None:
        text = "The Stone Bridge was completed in 1146 [2]. The Iron Bridge was opened in 1781 [1]."
        pair.lines["close", ROOT] = found(text, 1, 2)
        output = await ask(context)
        assert output["answer"] == text.replace("[2]", "[x]").replace("[1]", "[2]").replace(
            "[x]", "[1]"
        )
        cited = [each["passage_id"] for each in output["citations"]]
        assert cited == ["stone-bridge", "iron-bridge"]

    async def test_an_answer_that_reaches_its_limit_is_kept_and_marked(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["close", ROOT] = '{"thought": "So.", "answer": "The Stone Bridge was com'
        output = await ask(context)
        assert output["answer"] == "The Stone Bridge was"
        assert closing(output)["verdict"] == "cut"

    async def test_a_doubtful_part_is_asked_again_in_other_words(
        self, context: Context, pair: Script
    ) -> None:
        better = "In which year was the Iron Bridge opened to traffic?"
        pair.lines |= {
            ("part", IRON): found(UNKNOWN),
            ("part", better): found("1781", 1),
            ("close", ROOT): [ask_again(1, better), found("the Stone Bridge", 1, 2)],
        }
        output = await ask(context)
        assert pair.asked[3:] == [("close", ROOT), ("part", better), ("close", ROOT)]
        assert "may be asked again" in pair.turn("close", ROOT, 0)
        assert f"1. {better} 1781 [1]" in pair.turn("close", ROOT, 1)
        assert [thrown["question"] for thrown in nodes(output)[""]["replaced"]] == [IRON]
        assert output["answer"] == "the Stone Bridge"

    async def test_what_depends_on_it_is_asked_again_too(
        self, context: Context, chain: Script
    ) -> None:
        other = "How long is the Danube?"
        chain.lines |= {
            ("part", OTHERWISE): found("Danube", 1),
            ("part", other): found("2,850 kilometres", 1),
            ("close", LONG): [ask_again(1, OTHERWISE), found("2,850 kilometres", 1)],
        }
        output = await ask(context, LONG)
        assert chain.asked[3:] == [
            ("close", LONG),
            ("part", OTHERWISE),
            ("part", other),
            ("close", LONG),
        ]
        assert nodes(output)["2"]["question"] == other

    @pytest.mark.parametrize(
        "wish",
        [
            ask_again(1, IRON.lower()),
            ask_again(1, ROOT),
            ask_again(1, ""),
            ask_again(3, "What else?"),
            ask_again(0, "What else?"),
        ],
    )
    async def test_a_wish_that_leads_nowhere_is_an_unknown_answer(
        self, context: Context, pair: Script, wish: Said
    ) -> None:
        pair.lines["close", ROOT] = wish
        output = await ask(context)
        assert pair.counts["close"] == 1
        assert output["answer"] == UNKNOWN

    async def test_an_answer_counts_more_than_a_wish(self, context: Context, pair: Script) -> None:
        pair.lines["close", ROOT] = ask_again(1, "What else?", answer="the Stone Bridge")
        output = await ask(context)
        assert pair.counts["close"] == 1
        assert output["answer"] == "the Stone Bridge"

    async def test_parts_are_asked_again_twice(self, context: Context, pair: Script) -> None:
        pair.lines["close", ROOT] = [ask_again(1, f"What about {n}?") for n in range(5)]
        output = await ask(context)
        assert pair.counts["close"] == 3
        assert "answer now" in pair.turn("close", ROOT, 2)
        assert output["answer"] == UNKNOWN

    async def test_an_unknown_that_was_streamed_is_taken_back(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["close", ROOT] = [
            ask_again(1, "In which year was it opened?", answer=UNKNOWN),
            found("the Stone Bridge", 1, 2),
        ]
        told = context
        streamed = ""
        async for part in plan_graph.graph.astream(
            {"question": ROOT}, context=told, stream_mode="custom"
        ):
            streamed = part["text"] if part["restart"] else streamed + part["text"]
        assert streamed == "the Stone Bridge"


class TestFailing:
    async def test_a_failed_part_is_unknown_and_says_why(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["part", IRON] = GARBAGE
        output = await ask(context)
        assert nodes(output)["1"]["answer"] == UNKNOWN
        assert "'answer-part' got no usable output" in nodes(output)["1"]["reason"]
        assert output["answer"] == "the Stone Bridge"
        assert output["truncated"] is False

    async def test_a_failed_split_leaves_the_question_whole(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["plan", ROOT] = GARBAGE
        output = await ask(context)
        assert pair.counts == {"plan": 1, "close": 1}
        assert "'split' got no usable output" in nodes(output)[""]["reason"]

    async def test_without_a_closing_answer_the_finding_that_all_others_lead_to_stands(
        self, context: Context, chain: Script
    ) -> None:
        chain.lines["close", LONG] = GARBAGE
        output = await ask(context, LONG)
        assert output["answer"] == "354 kilometres"
        assert closing(output)["verdict"] == "fallback"
        assert "'close' got no usable output" in closing(output)["reason"]

    async def test_of_findings_side_by_side_none_stands_for_the_answer(
        self, context: Context, pair: Script
    ) -> None:
        pair.lines["close", ROOT] = GARBAGE
        with pytest.raises(ModelOutputError, match="'close' got no usable output"):
            await ask(context)


class TestBudget:
    @pytest.mark.parametrize(
        ("calls", "counts"),
        [
            (1, {"close": 1}),
            (2, {"plan": 1, "close": 1}),
            (3, {"plan": 1, "part": 1, "close": 1}),
            (4, {"plan": 1, "part": 2, "close": 1}),
        ],
    )
    async def test_the_last_call_is_kept_for_the_answer(
        self, context: Context, chain: Script, calls: int, counts: dict[str, int]
    ) -> None:
        output = await ask(context, LONG, budget__calls=calls)
        assert chain.counts == counts
        assert output["usage"]["model_calls"] == calls
        assert output["answer"] == "354 kilometres"
        assert output["truncated"] is (calls < 4)

    async def test_what_was_not_asked_is_open_and_no_finding(
        self, context: Context, chain: Script
    ) -> None:
        output = await ask(context, LONG, budget__calls=3)
        assert nodes(output)["2"]["answer"] == UNKNOWN
        assert "budget" in nodes(output)["2"]["reason"]
        output = await ask(context, LONG, budget__calls=2, seed=8)
        assert "2. How long is the #1? not answered" in chain.turns[-1]
        assert nodes(output)["2"]["verdict"] == "open"

    async def test_no_budget_for_asking_again(self, context: Context, pair: Script) -> None:
        pair.lines["close", ROOT] = ask_again(1, "What else?")
        output = await ask(context, budget__calls=4)
        assert output["answer"] == UNKNOWN
        assert output["truncated"] is True
        assert len(pair.asked) == 4


class TestStopping:
    """LangGraph keeps every finished task, and the ledger every finished call."""

    async def test_a_run_that_broke_off_goes_on_without_asking_twice(
        self, context: Context, pair: Script
    ) -> None:
        """One part is finished when the other one breaks off."""
        broken = True

        def break_off(kind: str, question: str) -> None:
            if broken and question == STONE:
                raise BrokenOff

        pair.before = break_off
        graph = plan_graph.graph.builder.compile(checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "t"}}
        told = context
        with pytest.raises(BrokenOff):
            await graph.ainvoke({"question": ROOT}, thread, context=told)
        broken = False
        output = await graph.ainvoke(None, thread, context=told)
        assert output["answer"] == "the Stone Bridge"
        assert pair.asked.count(("part", STONE)) == 2  # it was under way
        assert pair.asked.count(("part", IRON)) == pair.asked.count(("plan", ROOT)) == 1
        assert list(nodes(output)) == ["", "1", "2"]

    async def test_three_parts_can_be_approved_or_edited(
        self, context: Context, script: Script
    ) -> None:
        third = "Which is longer, #1 or #2?"
        script.lines["plan", ROOT] = plan(IRON, STONE, third)
        graph = plan_graph.graph.builder.compile(checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "t"}}
        told = changed(context, approve="decomposition")
        waiting = await graph.ainvoke({"question": ROOT}, thread, context=told)
        [asked] = waiting["__interrupt__"]
        assert proposed(asked.value) == [IRON, STONE, third]
        bad = Command(resume=edit("decomposition", sub_questions=["How old is #2?", STONE]))
        [again] = (await graph.ainvoke(bad, thread, context=told))["__interrupt__"]
        assert "refers to #2" in about(again.value)
        edited = [IRON, "Which river is it?", "Who built #1?", "Where is #2?"]
        good = Command(resume=edit("decomposition", sub_questions=edited))
        output = await graph.ainvoke(good, thread, context=told)
        assert [nodes(output)[path]["question"] for path in "12"] == edited[:2]
        assert list(nodes(output)) == ["", "1", "2", "3", "4"]
        assert script.counts["plan"] == 1
        [thrown] = nodes(output)[""]["replaced"]
        assert thrown["reason"] == "replaced at the approval"
