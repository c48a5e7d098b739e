"""Which edge a vertex chooses, and what it asks the model for that."""

from __future__ import annotations

from typing import ClassVar

import pytest
from model_server import ModelServer

from .script import HopScript, judgements
from .walks import QUERY, Draw, draw, helpful, hops, visits_of, walk

__all__ = ("draw",)


class TestChoice:
    async def test_nothing_relevant_is_no_hop(self, draw: Draw, script: HopScript) -> None:
        output = await walk(draw())
        stayed = [step["reason"] for step in hops(output)[2:4]]
        assert stayed == ["none of its questions is relevant"] * 2
        assert helpful(output) == {"b": 0.4, "d": 0.3}  # (0.3 + 1/2) / 2, (0.1 + 1/2) / 2
        assert len(script.asked) == 2 + 1

    @pytest.mark.parametrize(
        ("labels", "head"),
        [
            (("irrelevant", "indirect", "necessary"), "e"),
            (("indirect", "necessary", "necessary"), "d"),
            (("irrelevant", "indirect", "irrelevant"), "d"),
            (("indirect", "indirect", "indirect"), "c"),
        ],
    )
    async def test_the_most_useful_and_of_equals_the_most_similar(
        self, draw: Draw, script: HopScript, labels: tuple[str, ...], head: str
    ) -> None:
        fan = [("b", "To e? ~0.3", "e"), ("b", "To d? ~0.5", "d"), ("b", "To c? ~0.7", "c")]
        script.useful = dict(zip((text for _, text, _ in reversed(fan)), labels, strict=True))
        output = await walk(draw([("a", "To b? ~0.9", "b"), *fan], hop__top_k=1))
        chosen = hops(output)[1]
        best = max(labels, key=["irrelevant", "indirect", "necessary"].index)
        assert (chosen["head"], chosen["verdict"]) == (head, best)

    async def test_a_question_that_two_edges_carry_is_shown_once(
        self, draw: Draw, script: HopScript
    ) -> None:
        twice = [("b", "To d? ~0.5", "d"), ("b", "To d? ~0.5", "e")]
        await walk(draw([("a", "To b? ~0.9", "b"), *twice], hop__top_k=1))
        assert script.shown == [["To d? ~0.5"]]


class TestJudgedOnce:
    """a and b are entered; a leads to c, which has the question that b had judged."""

    ENTERED: ClassVar = [
        ("e", "To a? ~0.9", "a"),
        ("e", "To b? ~0.85", "b"),
        ("a", "To c? ~0.7", "c"),
    ]
    SHARED: ClassVar = [("b", "To d? ~0.6", "d"), ("c", "To d? ~0.6", "d")]

    @pytest.fixture(autouse=True)
    def _a_leads_to_c(self, script: HopScript) -> None:
        script.useful = {"To c? ~0.7": "necessary"}

    async def test_what_was_irrelevant_is_not_asked_again(
        self, draw: Draw, script: HopScript
    ) -> None:
        other = ("c", "Elsewhere? ~0.1", "e")
        await walk(draw([*self.ENTERED, *self.SHARED, other]))
        assert sorted(script.shown[:2]) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert script.shown[2:] == [["Elsewhere? ~0.1"]]

    async def test_a_vertex_with_nothing_new_asks_nobody(
        self, draw: Draw, script: HopScript
    ) -> None:
        output = await walk(draw([*self.ENTERED, *self.SHARED]))
        assert sorted(script.shown) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert hops(output)[4] == {
            "id": "hop-2-c",
            "kind": "hop",
            "parent": "round-2",
            "tail": "c",
            "reason": "none of its questions is relevant",
        }

    async def test_a_judgement_leads_the_next_vertex_too(
        self, draw: Draw, script: HopScript
    ) -> None:
        script.useful["To d? ~0.6"] = "indirect"
        output = await walk(draw([*self.ENTERED, *self.SHARED]))
        assert sorted(script.shown) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert hops(output)[4] == {
            "id": "hop-2-c",
            "kind": "hop",
            "parent": "round-2",
            "tail": "c",
            "question": "To d? ~0.6",
            "score": 0.3,
            "verdict": "indirect",
            "head": "d",
            "facts": {"visits": "2"},
        }

    @pytest.mark.parametrize(
        ("other", "label", "asked", "head"),
        [
            ("Elsewhere? ~0.1", "necessary", False, "d"),  # less similar: it could only be second
            ("Elsewhere? ~0.8", "necessary", True, "e"),
            ("Elsewhere? ~0.8", "indirect", True, "d"),
        ],
    )
    async def test_only_what_could_still_win_is_asked(
        self, draw: Draw, script: HopScript, other: str, label: str, asked: bool, head: str
    ) -> None:
        script.useful |= {"To d? ~0.6": "necessary", other: label}
        drawing = [*self.ENTERED, *self.SHARED, ("c", other, "e")]
        output = await walk(draw(drawing, hop__n_hop=2))
        assert script.shown[2:] == ([[other]] if asked else [])
        assert hops(output)[4]["head"] == head

    async def test_of_two_judgements_in_a_round_the_first_counts(
        self, draw: Draw, script: HopScript
    ) -> None:
        """a and b ask about "To d?" beside another question each, and hear different things."""
        drawing = [
            *self.ENTERED,
            *self.SHARED,
            ("a", "To d? ~0.6", "d"),
            ("b", "To e? ~0.1", "e"),
        ]
        script.lines = {
            ("hop", "To c? ~0.7|To d? ~0.6"): {"enough": False, "necessary": [1], "indirect": [2]},
            ("hop", "To d? ~0.6|To e? ~0.1"): {"enough": False},
        }
        output = await walk(draw(drawing))
        assert len(script.shown) == 2
        assert (hops(output)[4]["tail"], hops(output)[4]["verdict"]) == ("c", "indirect")


class TestBuiltinModel:
    """It judges bare questions, and half of its entries are passages that a search finds."""

    async def test_the_most_similar_questions_are_judged_up_to_the_cap(
        self, draw: Draw, script: HopScript
    ) -> None:
        fan = [("a", f"No {number}? ~0.{number}", "b") for number in range(1, 10)]
        await walk(draw([("e", "In? ~0.99", "a"), *fan], profile="builtin"))
        assert script.turns[0].splitlines() == [
            f"Question: {QUERY}",
            "Follow-up questions:",
            *(f"{place}. No {10 - place}? ~0.{10 - place}" for place in range(1, 9)),
        ]

    @pytest.mark.parametrize("labels", [(), ("necessary",) * 2, ("splendid",)])
    async def test_a_vertex_whose_call_fails_hops_by_similarity_alone(
        self, draw: Draw, script: HopScript, labels: tuple[str, ...]
    ) -> None:
        script.lines = {("hop", "To d? ~0.7"): judgements(*labels)}
        script.useful = {"To e? ~0.3": "necessary"}
        output = await walk(draw(profile="builtin"))
        [first] = [step for step in hops(output) if step.get("tail") == "b"]
        assert first["head"] == "d"
        assert "verdict" not in first
        assert first["reason"].startswith("the most similar question: The prompt 'judge-edges' got")
        [second] = [step for step in hops(output) if step.get("tail") == "d"]
        assert second["verdict"] == "necessary"
        assert output["truncated"] is False

    async def test_choices_have_their_own_temperature(
        self, draw: Draw, script: HopScript, model_server: ModelServer
    ) -> None:
        await walk(draw(profile="builtin", temperature=0.7))
        sent = {call.title: call.payload["temperature"] for call in model_server.calls}
        assert sent == {"Judgements": 0.1, "Answer": 0.7}

    async def test_the_same_questions_at_two_vertices_are_one_call(
        self, draw: Draw, script: HopScript
    ) -> None:
        twins = [*TestJudgedOnce.ENTERED[:2], ("a", "To d? ~0.6", "d"), ("b", "To d? ~0.6", "d")]
        script.useful = {"To d? ~0.6": "necessary"}
        output = await walk(draw(twins, profile="builtin", hop__top_k=4))
        assert [visits_of(step) for step in hops(output) if step.get("head") == "d"] == [1, 2]
        assert script.shown == [["To d? ~0.6"]]
        assert output["usage"]["cached_calls"] == 1
