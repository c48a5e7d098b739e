"""Judging: the clear cases by rule, the others by a scripted judge, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopyard.evaluation.judge import (
    JUDGEMENTS_FILE,
    Judgement,
    Judgements,
    has_long_references,
    judge_records,
    save_judgements,
)
from hopyard.evaluation.plan import check_plan
from hopyard.evaluation.records import Record
from hopyard.evaluation.report import make_report, markdown
from hopyard.evaluation.summary import compare, summarize
from hopyard.measures.questions import read_questions
from hopyard.prompts.judging.judge_answer import gold_lines
from hopyard.state.errors import ModelUnreachableError
from hopyard.testing import GARBAGE, ScriptedChat

from .conftest import MakePlan, question, record

DATA = Path(__file__).parents[3] / "shared" / "data" / "graphrag_bench_medical"
SAME = {"reason": "It is the same year.", "verdict": "equivalent"}
LESS = {"reason": "It names one of two.", "verdict": "partly"}


def said(answer: str, *, key: str = "q1", strategy: str = "single", **values: Any) -> Record:
    """A record of an answer that is not a gold answer's words."""
    missed: dict[str, Any] = {"answer": answer, "em": 0.0, "f1": 0.0, "accuracy": 0.0}
    return record(key, strategy, **(missed | values))


async def judge(plan: MakePlan, records: list[Record], chat: ScriptedChat, **settings: Any) -> Any:
    chat.register("judge")
    names = list(dict.fromkeys(each.strategy for each in records))
    asked = plan(names, **({"answer": {"style": "short"}} | settings))
    return await judge_records(asked, check_plan(asked), records, "judge")


def requests(chat: ScriptedChat) -> list[str]:
    return [request.name for request in chat.requests]


@pytest.mark.parametrize(
    ("one", "verdict"),
    [
        (record("q1"), "equivalent"),
        (said("Unknown", unanswered=True), "different"),
        (said("Unknown", failed=True, gold=("",)), "different"),
        (said("", failed=True), "different"),
        (said("Unknown", gold=("Insufficient information.",), em=1.0), "equivalent"),
        (said("unknown.", gold=()), "equivalent"),
    ],
)
async def test_the_clear_cases_need_no_call(plan: MakePlan, one: Record, verdict: str) -> None:
    chat = ScriptedChat({})
    found = (await judge(plan, [one], chat))["q1", "single"]
    assert (found.verdict, found.by) == (verdict, "rule")
    assert found.judged == (verdict == "equivalent")
    assert chat.requests == []


async def test_the_judge_sees_question_gold_and_answer_on_lines_of_their_own(
    plan: MakePlan,
) -> None:
    chat = ScriptedChat({"AnswerVerdict": SAME})
    gold = ("1781", "in 1781\nAnswer: 1900")
    found = (await judge(plan, [said("It was opened\nin 1781.", gold=gold)], chat))["q1", "single"]
    assert (found.verdict, found.reason, found.by) == ("equivalent", SAME["reason"], "judge")
    assert chat.requests[0].turn == (
        "Question: When was the Iron Bridge opened?\n"
        "Gold answers:\n- 1781\n- in 1781 Answer: 1900\n"
        "Answer: It was opened in 1781."
    )
    assert gold_lines([]) == gold_lines([""]) == (
        "- (The question cannot be answered from the documents.)"
    )  # fmt: skip


async def test_the_same_answer_of_two_strategies_is_judged_once(plan: MakePlan) -> None:
    chat = ScriptedChat({"AnswerVerdict": SAME})
    records = [said("in 1781"), said("in 1781", strategy="tree"), said("in 1781", key="q9")]
    found = await judge(plan, records, chat)
    assert list(found) == [("q1", "single"), ("q1", "tree")]  # q9 is no question of the plan
    assert requests(chat) == ["AnswerVerdict"]


async def test_a_judge_without_a_usable_verdict_is_told(plan: MakePlan, tmp_path: Path) -> None:
    chat = ScriptedChat({"AnswerVerdict": GARBAGE})
    found = await judge(plan, [said("in 1781")], chat)
    one = found["q1", "single"]
    assert (one.verdict, one.judged) == (None, 0.0)
    assert "judge-answer" in one.failures[0]
    result = summarize([said("in 1781")], found)["single"]
    assert (result.judged, result.judge_failures) == (0.0, 1)
    save_judgements(found, tmp_path)
    [line] = (tmp_path / JUDGEMENTS_FILE).read_text().splitlines()
    assert json.loads(line)["failures"] == list(one.failures)


async def test_a_judge_that_does_not_answer_ends_it(plan: MakePlan) -> None:
    chat = ScriptedChat({"AnswerVerdict": ConnectionRefusedError("nobody is there")})
    with pytest.raises(ModelUnreachableError):
        await judge(plan, [said("in 1781")], chat)


STATEMENTS = {
    "statements": [
        {"statement": "It opened in 1781.", "reason": "Passage 1 says so.", "supported": True},
        {"statement": "It is red.", "reason": "No passage says so.", "supported": False},
    ]
}
POINTS = {
    "points": [
        {"point": "It opened in 1781.", "reason": "It says so.", "covered": True},
        {"point": "A king opened it.", "reason": "It leaves that out.", "covered": False},
        {"point": "It spans a river.", "reason": "It leaves that out.", "covered": False},
    ]
}
JUDGED = {"AnswerVerdict": LESS, "AnswerStatements": STATEMENTS, "ReferencePoints": POINTS}


async def test_an_answer_in_sentences_is_checked_for_support_and_coverage(plan: MakePlan) -> None:
    chat = ScriptedChat(JUDGED)
    cited = [{"passage_id": "iron-bridge", "title": "", "quote": ""}] * 2
    one = said("It opened in 1781 [1] and is red.", citations=tuple(cited))
    found = (await judge(plan, [one], chat, answer={"style": "full"}))["q1", "single"]
    assert (found.verdict, found.supported, found.covered) == ("partly", 1 / 2, 1 / 3)
    turns = {request.name: request.turn for request in chat.requests}
    passages, _, rest = turns["AnswerStatements"].partition("\n\nQuestion: ")
    assert passages.startswith("Passages:\n[1] ")
    assert "\n[2]" not in passages  # a passage that is cited twice is shown once
    assert rest.endswith("Answer: It opened in 1781 [1] and is red.")
    assert "Reference answer: 1781\n" in turns["ReferencePoints"]


async def test_without_citations_or_answer_support_and_coverage_need_no_call(
    plan: MakePlan,
) -> None:
    chat = ScriptedChat(JUDGED)
    style = {"answer": {"style": "full"}}
    bare = (await judge(plan, [said("It opened in 1781.")], chat, **style))["q1", "single"]
    assert bare.supported == 0.0
    assert requests(chat) == ["AnswerVerdict", "ReferencePoints"]
    chat.requests.clear()
    none = (await judge(plan, [said("Unknown")], chat, **style))["q1", "single"]
    assert (none.supported, none.covered) == (None, 0.0)
    unanswerable = (await judge(plan, [said("Unknown", gold=("",))], chat, **style))["q1", "single"]
    assert (unanswerable.judged, unanswerable.covered) == (1.0, None)
    assert chat.requests == []


def judgement(key: str, strategy: str, verdict: str, **values: Any) -> Judgement:
    given = {
        "question_id": key,
        "strategy": strategy,
        "verdict": verdict,
        "reason": "",
        "by": "rule",
    }
    return Judgement.model_validate(given | values)


def by_key(*judgements: Judgement) -> Judgements:
    return {(each.question_id, each.strategy): each for each in judgements}


def test_judged_shares_and_mcnemar_by_hand(plan: MakePlan, tmp_path: Path) -> None:
    keys = ("q1", "q2", "q3")
    records = [record(key, strategy) for strategy in ("single", "tree") for key in keys]
    statements, points = STATEMENTS["statements"], POINTS["points"]
    found = by_key(
        *(judgement(key, "single", "different") for key in keys[:2]),
        judgement("q3", "single", "partly"),
        judgement("q1", "tree", "equivalent", statements=statements, points=points),
        judgement("q2", "tree", "equivalent", statements=statements[:1]),
        judgement("q3", "tree", "equivalent"),
    )
    results = summarize(records, found)
    assert (results["single"].judged, results["single"].partly) == (0.0, pytest.approx(1 / 3))
    assert results["single"].intervals["judged"] == pytest.approx((0, 0, 1 - 0.025 ** (1 / 3)))
    assert results["single"].supported is None
    assert results["tree"].supported == pytest.approx((1 / 2 + 1) / 2)  # q3 states nothing
    assert results["tree"].covered == pytest.approx(1 / 3)
    tree = compare(records, "single", found)["tree"]
    assert tree.paired["judged"] == (3, 0, 0.25)  # 2 · (1/2)^3
    assert tree.paired["em"] == (0, 0, 1.0)
    assert tree.differences["judged"].mean == 1.0

    asked = plan(("single", "tree"))
    report = make_report(asked, check_plan(asked), records, judge="a-judge", judgements=found)
    page = markdown(report)
    assert "`a-judge` found equivalent" in page
    assert "| strategy | n | judged | EM | F1 | contains gold | supported | covered |" in page
    assert "| 3 | 100.0 [29, 100] | 100.0 [29, 100] | 100.0 [29, 100] " in page
    assert "| strategy | n | judged | p | EM | p | F1 | contains gold | tokens |" in page
    assert "| `tree` | 3 | **+100.0 [+100, +100]** | 0.250 | +0.0 [+0, +0] | 1.000 |" in page
    assert "judged" not in markdown(make_report(asked, check_plan(asked), records))


def test_confirmed_answers_are_right_and_stated_by_the_documents() -> None:
    keys = ("q1", "q2", "q3", "q4")
    records = [
        *(record(key, "chain", unconfirmed="a link" if key == "q2" else "") for key in keys),
        *(record(key, "direct", retrieved=False) for key in keys),
    ]
    verdicts = dict(zip(keys, ("equivalent", "equivalent", "different", "equivalent"), strict=True))
    found = by_key(
        *(judgement(key, name, verdicts[key]) for key in keys for name in ("chain", "direct"))
    )
    results = summarize(records, found)
    assert (results["chain"].judged, results["chain"].confirmed) == (0.75, 0.5)
    assert results["direct"].confirmed is None  # it reads no document
    assert summarize(records)["chain"].confirmed is None


def test_long_references_are_known_by_their_words() -> None:
    short = question(answers=["1781", "in the year of the lord seventeen hundred and eighty-one"])
    long = question(answers=["It was opened in 1781 by the king of the land."])
    assert not has_long_references([short, short, long])
    assert has_long_references([long, long, short])
    assert not has_long_references([question(answers=[])])


@pytest.mark.skipif(not DATA.exists(), reason="the data folder ../shared is not there")
def test_reference_answers_of_graphrag_bench_are_long() -> None:
    questions = read_questions(DATA / "questions.jsonl")
    assert {each.type for each in questions} == {
        "Fact Retrieval", "Complex Reasoning", "Contextual Summarize", "Creative Generation",
    }  # fmt: skip
    assert has_long_references(questions)
    halves = [
        len(read_questions(DATA / "questions.jsonl", half=half)) for half in ("first", "second")
    ]
    assert sum(halves) == len(questions)
    assert min(halves) > 0.4 * len(questions)
