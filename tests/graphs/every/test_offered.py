"""The route offers `every` for the questions that it is for, and to capable models alone."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.graphs import router
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES

from ..conftest import changed
from ..script import Script

EVERY = STRATEGIES["every"]
LIST = "Which bridges are there, and when was each opened?"


@pytest.mark.parametrize(
    "question",
    [
        LIST,
        "How many contracts does Norrland have?",
        "List the rivers with their lengths.",
        "Please name all cities on the Danube.",
        "What are the names of the bridges?",
        "Welche Verträge haben wir?",
        "Wie viele Brücken gibt es?",
        "Combien de ponts y a-t-il ?",
        "계약이 몇 건 있습니까?",
        "有哪些合同?",
    ],
)
def test_lists_and_counts_have_the_form(question: str) -> None:
    assert EVERY.fits(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who opened the Iron Bridge?",
        "Which was built first, the Iron Bridge or the Stone Bridge?",
        "What does the loading dock cost?",
        "Which river does the Stone Bridge cross?",
        "What is the boss's name?",
        "Which bridge's river is longer?",
        "보성역에서 몇 번 버스를 타야 합니까?",
    ],
)
def test_other_questions_do_not(question: str) -> None:
    assert not EVERY.fits(question)


async def ask(context: Context, profile: str) -> dict[str, Any]:
    settings = changed(context, profile=profile)
    return await router.graph.ainvoke({"question": LIST}, context=settings)


async def test_a_capable_model_chooses_for_a_list(context: Context, script: Script) -> None:
    script.lines = {
        ("route", LIST): {"strategy": "chain"},
        ("step", LIST): {"kind": "answer", "answer": "Two."},
    }
    output = await ask(context, "capable")
    assert script.asked == [("route", LIST), ("step", LIST)]
    assert (output["strategy"], output["route"]["by"]) == ("chain", "model")


async def test_a_small_model_is_not_asked(context: Context, script: Script) -> None:
    output = await ask(context, "small")
    assert "route" not in script.counts
    assert output["strategy"] == "single"
