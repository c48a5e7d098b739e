"""The ten questions to a model, and what they recommend."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import ModelServer, Reply, scripted_provider

from hopyard.evaluation.model_check import TASKS, ModelCheck, Outcome, Skill, check_model
from hopyard.models.chat import register_chat_provider
from hopyard.nodes.resources import shared_resources
from hopyard.state.settings.fields import Context

ANSWERS = {
    "founded": "1907 [1]",
    "long": "212 kilometres",
    "mayor": "Tom Okafor",
    "from": "She is from Tarnow Bay [1][2].",
    "end": "Lake Quell",
    "people": "Unknown",
    "owns": "The passages do not say who owns it.",
    "Farbe": "Das Dach ist grün.",
}
SEARCHES = {"from": "Where is Petra Lindqvist from?", "end": "Where does the Sarn end?"}
CONTEXT = Context(model="scripted")
R, W, U, N = Outcome.RIGHT, Outcome.WRONG, Outcome.UNFIT, Outcome.NONE


def said_about(table: dict[str, str], messages: list[dict[str, Any]]) -> str:
    question = messages[-1]["content"].partition("Question: ")[2].partition("\n")[0]
    return next(text for word, text in table.items() if word in question)


def able(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    if title == "ChainStep":
        return {"thought": "", "kind": "search", "searches": [said_about(SEARCHES, messages)]}
    return {"thought": "", "answer": said_about(ANSWERS, messages), "passages": [1]}


async def test_an_able_model_is_right_ten_times(model_server: ModelServer) -> None:
    model_server.answer = able
    check = await check_model(CONTEXT, shared_resources())
    assert check.outcomes == [R] * 10
    assert [(each.skill, each.right, each.asked) for each in check.skills] == [
        (Skill.SCHEMA, 10, 10),
        (Skill.FACT, 3, 3),
        (Skill.JOINED, 2, 2),
        (Skill.UNANSWERABLE, 2, 2),
        (Skill.LANGUAGE, 1, 1),
        (Skill.SEARCH, 2, 2),
    ]
    assert check.recommendation[:2] == ("capable", "auto")
    assert len(model_server.calls) == 10


async def test_each_question_is_asked_once_and_again_the_next_time(
    model_server: ModelServer,
) -> None:
    def unable(title: str, messages: list[dict[str, Any]]) -> str:
        return "I had rather talk of something else."

    model_server.answer = unable
    check = await check_model(CONTEXT, shared_resources())
    assert check.outcomes == [U] * 10
    assert check.recommendation == ("small", "single", "schema kept: 0 of 10")
    assert len(model_server.calls) == 10
    await check_model(CONTEXT, shared_resources())
    assert len(model_server.calls) == 20


async def test_a_question_that_is_late_or_fails_does_not_count(model_server: ModelServer) -> None:
    def broken(title: str, messages: list[dict[str, Any]]) -> Any:
        return Reply(400) if title == "ChainStep" else able(title, messages)

    model_server.answer = broken
    check = await check_model(CONTEXT, shared_resources())
    assert check.outcomes == [*[R] * 8, N, N]
    assert check.answered == 8
    assert check.skills[-1].asked == 0
    model_server.hold()
    check = await check_model(CONTEXT, shared_resources(), limit=0.2)
    assert check.outcomes == [N] * 10
    assert check.seconds < 30
    assert check.recommendation[2] == "no question was answered in time"


async def test_the_built_in_model_keeps_its_prompts(model_server: ModelServer) -> None:
    def short(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        return {"answer": said_about(ANSWERS, messages)}

    model_server.answer = short
    register_chat_provider("builtin:scripted", scripted_provider(model_server))
    check = await check_model(Context(model="builtin:scripted"), shared_resources())
    assert check.outcomes == [R] * 8
    assert set(model_server.titles()) == {"Answer"}
    assert check.recommendation[:2] == ("builtin", "auto")


@pytest.mark.parametrize(
    ("outcomes", "profile", "strategy", "reason"),
    [
        ([R] * 9 + [U], "capable", "auto", "it keeps"),
        ([R] * 7 + [W] + [R, W], "capable", "auto", "it keeps"),
        ([R] * 8 + [W, W], "small", "auto", "next search named: 0 of 2"),
        ([R] * 3 + [W, W] + [R] * 5, "small", "auto", "two facts joined: 0 of 2"),
        ([R] * 8 + [U, U], "small", "auto", "schema kept: 8 of 10; next search named: 0 of 2"),
        ([R] * 7 + [U] * 3, "small", "single", "schema kept: 7 of 10"),
        ([R, W, W] + [R] * 7, "small", "single", "fact read: 1 of 3"),
        ([R] * 9 + [N], "small", "auto", "9 of 10 answered in time"),
        ([R] * 3 + [N] * 7, "small", "auto", "3 of 10 answered in time"),
    ],
)
def test_profile_and_strategy_follow_from_the_outcomes(
    outcomes: list[Outcome], profile: str, strategy: str, reason: str
) -> None:
    assert len(outcomes) == len(TASKS) == 10
    found = ModelCheck(outcomes, 1.0).recommendation
    assert found[:2] == (profile, strategy)
    assert found[2].startswith(reason)
