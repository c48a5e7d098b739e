"""The hops of a traversal, approved round by round."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import APPROVE, REJECT, about, action, proposed

from hopyard.agent.session import Session
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..test_approve import events, waiting
from .script import HopScript

QUESTION = "How long is the river that the Iron Bridge crosses?"


@pytest.fixture
def asked(context: Context, script: HopScript) -> Context:
    script.useful = {"Which river does the Iron Bridge cross?": "necessary"}
    return changed(
        context,
        strategy="hop",
        approve="hops",
        hop__top_k=4,
        hop__n_hop=2,
    )


async def test_no_call_is_paid_for_before_the_passages_are_approved(
    session: Session, asked: Context, script: HopScript
) -> None:
    await events(session.ask(QUESTION, asked, "t"))
    [first] = await waiting(session)
    assert action(first) == "hops"
    assert "round 1" in about(first)
    assert "iron-bridge" in proposed(first)
    assert script.asked == []

    await events(session.resume("t", {"passages": ["iron-bridge"]}))
    assert len(script.shown) == 1  # the other passage was not reasoned about
    [second] = await waiting(session)
    assert proposed(second) == ["severn"]
    assert "round 2" in about(second)

    await events(session.resume("t", REJECT))
    result = await session.result("t")
    assert result["finished"] is True
    assert len(script.shown) == 1
    assert "severn" in [step.get("head") for step in result["steps"]]


async def test_approved_passages_go_on_as_without_an_approval(
    session: Session, asked: Context, script: HopScript
) -> None:
    await events(session.ask(QUESTION, changed(asked, approve="", seed=8), "without"))
    await events(session.ask(QUESTION, asked, "t"))
    while await waiting(session):
        await events(session.resume("t", APPROVE))
    with_it, without = [await session.result(name) for name in ("t", "without")]
    for key in ("answer", "steps", "evidence"):
        assert with_it[key] == without[key]


@pytest.mark.parametrize(
    "answer", [{"passages": ["nowhere"]}, {"passages": "iron-bridge"}, {"stay": []}, [{}], "go", 1]
)
async def test_an_answer_that_does_not_fit_is_asked_for_again(
    session: Session, asked: Context, script: HopScript, answer: Any
) -> None:
    await events(session.ask(QUESTION, asked, "t"))
    await events(session.resume("t", answer))
    [again] = await waiting(session)
    assert about(again).startswith("That cannot be used: ")
    assert script.asked == []
