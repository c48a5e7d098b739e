"""`cor` asks each sub-question knowing the answers so far."""

from __future__ import annotations

from typing import Any, ClassVar

from hopyard.state.settings.fields import Context
from hopyard.testing import ScriptedChat, StrategyContract
from lab.baselines.cor import graph as cor

QUESTION = "How long is the river that the Iron Bridge crosses?"


class TestCor(StrategyContract):
    strategy = cor.STRATEGY
    question = QUESTION
    answers: ClassVar = {
        ("NextQuestion", "354"): {"kind": "enough", "question": ""},
        ("NextQuestion", "crosses? Severn"): {"kind": "ask", "question": "How long is the Severn?"},
        "NextQuestion": {"kind": "ask", "question": "What is the river that the bridge crosses?"},
        ("Answer", QUESTION): {"answer": "354 kilometres"},
        ("Answer", "How long is the Severn?"): {"answer": "354 kilometres"},
        "Answer": {"answer": "Severn"},
    }
    answer = "354 kilometres"
    calls = 6
    settings: ClassVar = {"retrieval": {"k": 2}}

    async def test_each_sub_question_is_asked_with_the_answers_so_far(
        self, context: Context, chat: ScriptedChat
    ) -> None:
        output = await cor.graph.ainvoke({"question": QUESTION}, context=context)
        asked = [request.turn for request in chat.requests if request.name == "NextQuestion"]
        assert asked[0].endswith("Findings:\nnone")
        assert asked[1].endswith("crosses? Severn")
        links = [step for step in output["steps"] if step["kind"] == "link"]
        assert [link["answer"] for link in links] == ["Severn", "354 kilometres"]
        assert output["steps"][-1]["reason"] == "nothing is missing"

    async def test_a_repeated_sub_question_ends_the_chain(
        self, context: Context, chat: ScriptedChat
    ) -> None:
        again: Any = {"kind": "ask", "question": "What is the river that the bridge crosses?"}
        chat.answers = {"NextQuestion": again, "Answer": {"answer": "Severn"}}
        output = await cor.graph.ainvoke({"question": QUESTION}, context=context)
        assert [step["kind"] for step in output["steps"]] == ["link", "aggregate"]
        assert "repeats" in output["steps"][-1]["reason"]
