"""`answer.check`: one call judges statements of an answer against their passages."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs import router
from hopyard.nodes.cited_answer import NOT_STATED
from hopyard.nodes.judge import check_of
from hopyard.prompts.check_statements import CHECK_STATEMENTS, check_prompt, claim_lines
from hopyard.state.settings.fields import AnswerSettings, Context

from .conftest import changed
from .script import GARBAGE, Said, Script

QUESTION = "When was the Iron Bridge opened?"
CONFIG: Any = {"configurable": {"thread_id": "t"}}
SHORT: Said = {"thought": "…", "answer": "1781", "passages": [1]}
WRONG: Said = {"thought": "…", "answer": "1812", "passages": [1]}
FULL: Said = {
    "thought": "…",
    "answer": "The Iron Bridge was opened in 1781 [1]. It was opened by a king [1].",
    "passages": [1],
}


def checks(*stated: bool) -> Said:
    return {"checks": [{"reason": "…", "stated": each} for each in stated]}


@pytest.fixture
def checked(context: Context) -> Context:
    return changed(
        context,
        profile="capable",
        strategy="single",
        answer=AnswerSettings(check="model", style="full"),
    )


async def ask(context: Context, script: Script, answer: Said, verdicts: Said) -> dict[str, Any]:
    script.lines = {("read", QUESTION): answer, ("check", QUESTION): verdicts}
    agent = router.build().compile(checkpointer=InMemorySaver())
    result: dict[str, Any] = await agent.ainvoke({"question": QUESTION}, CONFIG, context=context)
    return result


def step_of(result: dict[str, Any]) -> dict[str, Any]:
    [step] = [step for step in result["steps"] if step["kind"] == "check"]
    return dict(step)


async def test_the_model_marks_what_the_rules_let_pass(checked: Context, script: Script) -> None:
    result = await ask(checked, script, SHORT, checks(False))
    assert [cited["supported"] for cited in result["citations"]] == [False]
    assert result["unconfirmed"] == NOT_STATED
    assert step_of(result)["facts"] == {"statements": "1", "not found": "1"}
    turn = script.turn("check", QUESTION)
    assert turn.endswith(f"Question: {QUESTION}\nStatements:\n1. 1781 (passages 1)")


async def test_the_model_lets_pass_what_the_rules_mark(checked: Context, script: Script) -> None:
    result = await ask(checked, script, WRONG, checks(True))
    assert [cited["supported"] for cited in result["citations"]] == [True]
    assert result["unconfirmed"] == ""


async def test_one_call_judges_all_statements(checked: Context, script: Script) -> None:
    result = await ask(checked, script, FULL, checks(True, False))
    assert script.counts["check"] == 1
    marked = [cited["claim"] for cited in result["citations"] if not cited["supported"]]
    assert marked == ["It was opened by a king"]
    assert result["unconfirmed"] == ""


async def test_a_failure_is_recorded_and_the_rules_verdicts_stay(
    checked: Context, script: Script
) -> None:
    result = await ask(checked, script, SHORT, GARBAGE)
    assert [cited["supported"] for cited in result["citations"]] == [True]
    step = step_of(result)
    assert step["verdict"] == "fallback"
    assert step["reason"].startswith("the rules' verdicts stay: ")


async def test_unknown_is_not_judged(checked: Context, script: Script) -> None:
    unknown: Said = {"thought": "…", "answer": "Unknown", "passages": []}
    await ask(checked, script, unknown, checks(True))
    assert "check" not in script.counts


async def test_rules_make_no_call(checked: Context, script: Script) -> None:
    rules = changed(checked, answer=AnswerSettings(check="rules", style="full"))
    result = await ask(rules, script, WRONG, checks(True))
    assert "check" not in script.counts
    assert [cited["supported"] for cited in result["citations"]] == [False]


async def test_a_doubt_asks_only_about_what_the_rules_mark(
    checked: Context, script: Script
) -> None:
    doubt = changed(checked, answer=AnswerSettings(style="full"))  # the default
    half: Said = {
        "thought": "…",
        "answer": "The Iron Bridge was opened in 1781 [1]. It was opened in 1812 [1].",
        "passages": [1],
    }
    result = await ask(doubt, script, half, checks(True))
    assert script.turn("check", QUESTION).endswith(
        "Statements:\n1. It was opened in 1812 (passages 1)"
    )
    assert [cited["supported"] for cited in result["citations"]] == [True, True]
    assert step_of(result)["facts"] == {"statements": "1", "not found": "0"}


@pytest.mark.parametrize(("stated", "supported"), [(True, [True, True]), (False, [True, False])])
async def test_the_whole_sentence_of_a_doubt_is_judged(
    checked: Context, script: Script, stated: bool, supported: list[bool]
) -> None:
    doubt = changed(checked, answer=AnswerSettings(style="full"))
    answer = "The Iron Bridge was opened in 1781 [1], and again in 1812 [1]."
    said: Said = {"thought": "…", "answer": answer, "passages": [1]}
    result = await ask(doubt, script, said, checks(stated))
    sentence = "The Iron Bridge was opened in 1781, and again in 1812"
    assert script.turn("check", QUESTION).endswith(f"Statements:\n1. {sentence} (passages 1)")
    assert [cited["supported"] for cited in result["citations"]] == supported
    assert result["citations"][1]["claim"] == sentence


async def test_a_doubt_asks_about_what_a_quote_denies(checked: Context, script: Script) -> None:
    doubt = changed(checked, answer=AnswerSettings(check="doubt", style="full"))
    denied: Said = {
        "thought": "…",
        "answer": "The Iron Bridge was not opened in 1781 [1].",
        "passages": [1],
    }
    result = await ask(doubt, script, denied, checks(False))
    assert script.counts["check"] == 1
    assert [cited["supported"] for cited in result["citations"]] == [False]


async def test_without_a_doubt_nothing_is_asked(checked: Context, script: Script) -> None:
    doubt = changed(checked, answer=AnswerSettings(check="doubt", style="full"))
    await ask(doubt, script, SHORT, checks(False))
    assert "check" not in script.counts


@pytest.mark.parametrize(
    ("model", "check", "found"),
    [
        ("openai:gpt-4.1-mini", "auto", "doubt"),
        ("builtin", "auto", "rules"),
        ("recorded:calls", "auto", "rules"),
        ("recorded:calls", "doubt", "doubt"),
        ("builtin", "model", "model"),
    ],
)
def test_who_checks(model: str, check: Any, found: str) -> None:
    context = Context(model=model, answer=AnswerSettings(check=check))
    assert check_of(context) == found


def test_the_prompt_takes_one_check_for_each_statement() -> None:
    schema = check_prompt(2).output.model_json_schema()
    bounds = schema["properties"]["checks"]
    assert (bounds["minItems"], bounds["maxItems"]) == (2, 2)
    assert claim_lines([("A is\nB", [1, 3]), ("C", [2])]) == (
        "1. A is B (passages 1, 3)\n2. C (passages 2)"
    )
    assert len(CHECK_STATEMENTS.of("capable").examples) < len(CHECK_STATEMENTS.examples)
