"""`plan`: sub-questions that may need one another's answers, one call a decision."""

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

LONG = "How long is the river that the Iron Bridge crosses?"
RIVER = "Which river does the Iron Bridge cross?"
LENGTH = "How long is the Severn?"
OTHERWISE = "What flows under the Iron Bridge?"
RUBRICS = ("relevant", "complete", "specific", "non_overlapping")


def plan(*parts: str, deeper: tuple[str, ...] = (), **more: Any) -> Said:
    """A split whose parts are simple, except for some."""
    return {
        "thought": "Several facts.",
        "kind": "compound",
        "draft": list(parts),
        "criticism": "No fault.",
        "parts": [{"question": part, "simple": part not in deeper} for part in parts],
        **dict.fromkeys(RUBRICS, True),
        **more,
    }


def found(answer: str, *passages: int, **more: Any) -> Said:
    return {"thought": "The passages say so.", "answer": answer, "passages": passages, **more}


def ask_again(part: int, question: str, answer: str = "") -> Said:
    return found(answer, again=part, in_other_words=question)


class BrokenOff(BaseException):
    """The process ends here."""


@pytest.fixture
def pair(script: Script) -> Script:
    """Two sub-questions that can be answered side by side."""
    script.lines = {
        ("plan", ROOT): plan(IRON, STONE),
        ("part", IRON): found("1781", 1),
        ("part", STONE): found("1146", 1),
        ("close", ROOT): found("the Stone Bridge", 1, 2),
    }
    return script


@pytest.fixture
def chain(script: Script) -> Script:
    """A sub-question that needs the answer to the one before."""
    script.lines = {
        ("plan", LONG): plan(RIVER, "How long is the #1?"),
        ("part", RIVER): found("Severn", 1),
        ("part", LENGTH): found("354 kilometres", 1),
        ("close", LONG): found("354 kilometres", 2),
    }
    return script


async def ask(context: Context, question: str = ROOT, **settings: Any) -> dict[str, Any]:
    return await plan_graph.graph.ainvoke(
        {"question": question}, context=changed(context, **settings)
    )


def lines_of(turn: str, title: str) -> list[str]:
    """The lines of a part of a closing prompt."""
    return turn.partition(f"{title}:\n")[2].partition("\n\n")[0].splitlines()


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
