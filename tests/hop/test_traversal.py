"""Algorithm 1 on graphs small enough to be walked by hand.

Keywords are empty but where a test gives some, so that SIM is half of the cosine in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from model_server import ModelServer

from hopyard.graphs import hop
from hopyard.indexes.build import build
from hopyard.indexes.records import Document
from hopyard.nodes.hop_answer import path_of
from hopyard.nodes.hop_graph import graph_of, query_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import IndexMissingError
from hopyard.state.hop import Hop
from hopyard.state.settings import Context

from ..graphs.conftest import changed
from ..graphs.script import GARBAGE, said
from .drawn import Dialled, Drawing, build_drawn
from .script import HopScript, judgements

QUERY = "which one is it"
PASSAGES = {"a": "~0.8", "b": "~0.6", "c": "~0.4", "d": "~0.2", "e": "~0.0"}
GRAPH = [
    ("a", "To b? ~0.9", "b"),
    ("a", "To c? ~0.5", "c"),
    ("b", "To d? ~0.7", "d"),
    ("c", "To d? ~0.7", "d"),
    ("d", "To e? ~0.3", "e"),
    ("d", "To b? ~0.1", "b"),
]

Draw = Callable[..., Context]


@pytest.fixture
def draw(context: Context, tmp_path: Path) -> Draw:
    """Settings of a run over a drawn graph."""

    def drawn(drawing: Drawing = GRAPH, keywords: Any = None, **settings: Any) -> Context:
        index = build_drawn(tmp_path / "drawn", PASSAGES, drawing, Dialled(), keywords)
        settings = {"hop__top_k": 2, **settings}
        return changed(context, index=str(index), embedding="dialled", **settings)

    return drawn


async def walked(context: Context, query: str = QUERY) -> dict[str, Any]:
    return await hop.graph.ainvoke({"question": query}, context=context)


def path(output: dict[str, Any]) -> list[tuple[Any, ...]]:
    """(round, tail, question, head, visits) of every hop."""
    return [
        tuple(step.get(key) for key in ("round", "tail", "question", "head", "visits"))
        for step in output["steps"]
        if step["step"] == "hop"
    ]


def helpful(output: dict[str, Any]) -> dict[str, float]:
    kept = next(step for step in output["steps"] if step["step"] == "prune")["passages"]
    return {one["passage_id"]: one["score"] for one in kept}


WALK = [
    (0, "a", "To b? ~0.9", "b", 1),
    (0, "b", "To d? ~0.7", "d", 1),
    (1, "b", "To d? ~0.7", "d", 2),
    (1, "d", "To e? ~0.3", "e", 1),
    (2, "e", None, None, None),
]
"""Entered by the edges at 0.9 and 0.7 (of the two equal ones the first), b and d choose their best
edges, and e, the one passage that is new, has none: nothing is left in the queue."""

HELPFULNESS = {"d": 0.3, "b": 0.275, "e": 0.125}
"""Four visits: d ((0.2 / 2) + 2/4) / 2, b ((0.6 / 2) + 1/4) / 2, e ((0.0 / 2) + 1/4) / 2."""


class TestWalk:
    async def test_by_similarity(self, draw: Draw, script: HopScript) -> None:
        output = await walked(draw(hop__reasoner="similarity", hop__top_k=2))
        assert path(output) == WALK
        assert helpful(output) == {"d": 0.3, "b": 0.275}
        assert output["evidence"] == [
            {"passage_id": "d", "score": 0.3},
            {"passage_id": "b", "score": 0.275},
        ]
        assert script.asked == [("read", QUERY)]
        assert not [step for step in output["steps"] if "verdict" in step]

    async def test_by_the_model(self, draw: Draw, script: HopScript) -> None:
        script.useful = {"To d? ~0.7": "indirect", "To e? ~0.3": "necessary"}
        output = await walked(draw())
        assert path(output) == WALK
        assert [step.get("verdict") for step in output["steps"]][:5] == [
            None,
            None,
            "indirect",
            "necessary",
            None,
        ]
        assert sorted(script.shown) == [["To d? ~0.7"], ["To e? ~0.3", "To b? ~0.1"]]
        assert output["usage"]["model_calls"] == 2 + 1

    async def test_every_passage_kept_has_its_helpfulness(
        self, draw: Draw, script: HopScript
    ) -> None:
        output = await walked(draw(hop__reasoner="similarity", hop__top_k=3))
        # The third edge entered by is the other "To d?": d is visited once more, and not queued
        # twice. Five visits: d (0.1 + 3/5) / 2, b (0.3 + 1/5) / 2, e (0 + 1/5) / 2.
        assert path(output)[1:] == [
            (0, "b", "To d? ~0.7", "d", 2),
            (1, "b", "To d? ~0.7", "d", 3),
            (1, "d", "To e? ~0.3", "e", 1),
            (2, "e", None, None, None),
        ]
        assert helpful(output) == {"d": 0.35, "b": 0.25, "e": 0.1}

    async def test_keywords_count_in_helpfulness_and_entry(
        self, draw: Draw, script: HopScript
    ) -> None:
        keywords = {"To c? ~0.5": ["ada"], "c": ["ada", "babbage"]}
        settings = {"hop__reasoner": "similarity", "hop__top_k": 1, "hop__n_hop": 1}
        output = await walked(draw(keywords=keywords, **settings), "which one is Ada")
        # SIM of "To c?" is (1 + 0.5) / 2; of c with the query (1/2 + 0.4) / 2.
        assert path(output)[0] == (0, "a", "To c? ~0.5", "c", 1)
        assert output["steps"][0]["score"] == 0.75
        assert helpful(output) == {"c": 0.475}  # (0.45 + 1/2) / 2; d (0.1 + 1/2) / 2

    @pytest.mark.parametrize("n_hop", [1, 2, 3, 4])
    async def test_rounds_end_at_n_hop(self, draw: Draw, script: HopScript, n_hop: int) -> None:
        chain = [(one, f"To {two}? ~0.5", two) for one, two in ("ab", "bc", "cd", "de", "ea")]
        output = await walked(
            draw(chain, hop__reasoner="similarity", hop__top_k=1, hop__n_hop=n_hop)
        )
        reached = [step["head"] for step in output["steps"] if "head" in step]
        assert "".join(reached) == "bcdea"[: n_hop + 1]

    async def test_direction_is_respected(self, draw: Draw, script: HopScript) -> None:
        """b is where the only edge leads: from there nothing leads back to a."""
        output = await walked(draw([("a", "To b? ~0.9", "b")], hop__reasoner="similarity"))
        assert path(output) == [
            (0, "a", "To b? ~0.9", "b", 1),
            (1, "b", None, None, None),
        ]
        assert output["steps"][1]["reason"] == "it has no edge to another passage"
        assert [one["passage_id"] for one in output["evidence"]] == ["b"]

    async def test_a_circle_counts_visits_and_ends(self, draw: Draw, script: HopScript) -> None:
        circle = [("a", "To b? ~0.9", "b"), ("b", "To a? ~0.8", "a")]
        output = await walked(draw(circle, hop__reasoner="similarity", hop__top_k=1))
        assert path(output) == [
            (0, "a", "To b? ~0.9", "b", 1),
            (1, "b", "To a? ~0.8", "a", 1),
            (2, "a", "To b? ~0.9", "b", 2),
        ]


class TestEntry:
    async def test_passages(self, draw: Draw, script: HopScript) -> None:
        output = await walked(draw(hop__entry="passages", hop__reasoner="similarity"))
        assert path(output)[:2] == [(0, None, None, "a", 1), (0, None, None, "b", 1)]

    async def test_half_and_half(self, draw: Draw, script: HopScript) -> None:
        settings = {"hop__entry": "both", "hop__reasoner": "similarity", "hop__top_k": 3}
        output = await walked(draw(**settings))
        assert path(output)[:3] == [
            (0, "a", "To b? ~0.9", "b", 1),
            (0, None, None, "a", 1),
            (0, None, None, "b", 2),
        ]

    async def test_a_graph_without_edges_is_entered_by_passages(
        self, draw: Draw, script: HopScript
    ) -> None:
        script.lines = {("read", QUERY): said("so")}
        output = await walked(draw([]))
        assert [one["passage_id"] for one in output["evidence"]] == ["a", "b"]
        assert output["answer"] == "so"
        assert script.asked == [("read", QUERY)]

    @pytest.mark.parametrize("kinds", [("dense", "sparse"), ("sparse",)])
    async def test_an_index_without_a_graph_says_what_to_run(
        self, context: Context, script: HopScript, tmp_path: Path, kinds: tuple[str, ...]
    ) -> None:
        documents = [Document(id="a", title="", text="alpha")]
        build(documents, directory=tmp_path, embedder=Dialled(), kinds=kinds, chunk_tokens=0)
        with pytest.raises(IndexMissingError) as error:
            await walked(changed(context, index=str(tmp_path), embedding="dialled"))
        assert "has no passage-graph part: run `hopyard index build" in str(error.value)
        assert f"--with {','.join(kinds)},passage-graph" in str(error.value)

    async def test_without_vectors_nothing_is_spent(
        self, context: Context, script: HopScript, tmp_path: Path
    ) -> None:
        build_drawn(tmp_path / "drawn", PASSAGES, GRAPH, Dialled(), kinds=("passage-graph",))
        settings = changed(context, index=str(tmp_path / "drawn"), embedding="dialled")
        with pytest.raises(IndexMissingError, match="has no dense part"):
            await walked(settings)
        assert script.asked == []


class TestChoice:
    async def test_nothing_relevant_is_no_hop(self, draw: Draw, script: HopScript) -> None:
        output = await walked(draw())
        stayed = [step["reason"] for step in output["steps"][2:4]]
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
        script.lines = {("hop", "To c? ~0.7|To d? ~0.5|To e? ~0.3"): judgements(*labels)}
        output = await walked(draw([("a", "To b? ~0.9", "b"), *fan], hop__top_k=1))
        assert (output["steps"][1]["head"], output["steps"][1]["verdict"]) == (
            head,
            max(labels, key=["irrelevant", "indirect", "necessary"].index),
        )

    async def test_the_most_similar_questions_are_judged_up_to_the_cap(
        self, draw: Draw, script: HopScript
    ) -> None:
        fan = [("a", f"No {number}? ~0.{number}", "b") for number in range(1, 10)]
        await walked(draw([("e", "In? ~0.99", "a"), *fan], hop__top_k=1, hop__max_choices=3))
        assert script.turns[0].splitlines() == [
            f"Question: {QUERY}",
            "Follow-up questions:",
            "1. No 9? ~0.9",
            "2. No 8? ~0.8",
            "3. No 7? ~0.7",
        ]

    async def test_a_question_that_two_edges_carry_is_shown_once(
        self, draw: Draw, script: HopScript
    ) -> None:
        twice = [("b", "To d? ~0.5", "d"), ("b", "To d? ~0.5", "e")]
        await walked(draw([("a", "To b? ~0.9", "b"), *twice], hop__top_k=1))
        assert script.shown == [["To d? ~0.5"]]

    @pytest.mark.parametrize("labels", [(), ("necessary",) * 2, ("splendid",)])
    async def test_a_vertex_whose_call_fails_hops_by_similarity_alone(
        self, draw: Draw, script: HopScript, labels: tuple[str, ...]
    ) -> None:
        script.lines = {("hop", "To d? ~0.7"): judgements(*labels)}
        script.useful = {"To e? ~0.3": "necessary"}
        output = await walked(draw())
        assert path(output) == WALK
        first, second = output["steps"][2:4]
        assert "verdict" not in first
        assert first["reason"].startswith("the most similar question: The prompt 'judge-edges' got")
        assert second["verdict"] == "necessary"
        assert output["truncated"] is False

    async def test_choices_have_their_own_temperature(
        self, draw: Draw, script: HopScript, model_server: ModelServer
    ) -> None:
        await walked(draw(temperature=0.7))
        sent = {call.title: call.payload["temperature"] for call in model_server.calls}
        assert sent == {"Judgements": 0.1, "Answer": 0.7}


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
        await walked(draw([*self.ENTERED, *self.SHARED, other]))
        assert sorted(script.shown[:2]) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert script.shown[2:] == [["Elsewhere? ~0.1"]]

    async def test_a_vertex_with_nothing_new_asks_nobody(
        self, draw: Draw, script: HopScript
    ) -> None:
        output = await walked(draw([*self.ENTERED, *self.SHARED]))
        assert sorted(script.shown) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert output["steps"][4] == {
            "step": "hop",
            "round": 2,
            "tail": "c",
            "reason": "none of its questions is relevant",
        }

    async def test_a_judgement_leads_the_next_vertex_too(
        self, draw: Draw, script: HopScript
    ) -> None:
        script.useful["To d? ~0.6"] = "indirect"
        output = await walked(draw([*self.ENTERED, *self.SHARED]))
        assert sorted(script.shown) == [["To c? ~0.7"], ["To d? ~0.6"]]
        assert output["steps"][4] == {
            "step": "hop",
            "round": 2,
            "tail": "c",
            "question": "To d? ~0.6",
            "score": 0.3,
            "verdict": "indirect",
            "head": "d",
            "visits": 2,
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
        output = await walked(draw(drawing, hop__n_hop=2))
        assert script.shown[2:] == ([[other]] if asked else [])
        assert output["steps"][4]["head"] == head

    async def test_of_two_judgements_in_a_round_the_first_counts(
        self, draw: Draw, script: HopScript
    ) -> None:
        """a and b ask about "To d?" beside another question each, and hear different things."""
        lines = {"To c? ~0.7|To d? ~0.6": "indirect", "To d? ~0.6|To e? ~0.1": "irrelevant"}
        drawing = [
            *self.ENTERED,
            *self.SHARED,
            ("a", "To d? ~0.6", "d"),
            ("b", "To e? ~0.1", "e"),
        ]
        script.lines = {
            ("hop", questions): judgements(*(["necessary", label] if at == 0 else [label] * 2))
            for at, (questions, label) in enumerate(lines.items())
        }
        output = await walked(draw(drawing))
        assert len(script.shown) == 2
        assert (output["steps"][4]["tail"], output["steps"][4]["verdict"]) == ("c", "indirect")

    async def test_the_same_questions_at_two_vertices_are_one_call(
        self, draw: Draw, script: HopScript
    ) -> None:
        twins = [*self.ENTERED[:2], ("a", "To d? ~0.6", "d"), ("b", "To d? ~0.6", "d")]
        script.useful = {"To d? ~0.6": "necessary"}
        output = await walked(draw(twins))
        assert [step["visits"] for step in output["steps"] if step.get("head") == "d"] == [1, 2]
        assert script.shown == [["To d? ~0.6"]]
        assert output["usage"]["cached_calls"] == 1


class TestBudget:
    @pytest.mark.parametrize("calls", [1, 2, 3, 4])
    async def test_it_ends_the_traversal_and_the_best_so_far_is_read(
        self, draw: Draw, script: HopScript, calls: int
    ) -> None:
        script.useful = {"To d? ~0.7": "necessary", "To e? ~0.3": "necessary"}
        output = await walked(draw(budget__calls=calls))
        assert len(script.asked) == min(calls, 3) == output["usage"]["model_calls"]
        assert script.asked[-1] == ("read", QUERY)
        assert output["truncated"] is (calls < 3)
        assert output["answer"] == f"read: {QUERY}"
        stayed = [step for step in output["steps"] if "budget" in step.get("reason", "")]
        assert len(stayed) == max(0, 3 - calls)

    async def test_it_ends_with_the_round(self, draw: Draw, script: HopScript) -> None:
        """One of the two vertices is paid for; what it reaches is not gone on from."""
        script.useful = {"To d? ~0.7": "necessary", "To e? ~0.3": "necessary"}
        output = await walked(draw(budget__calls=2))
        assert max(step.get("round", 0) for step in output["steps"]) == 1


async def test_nothing_usable_at_all_is_unknown(draw: Draw, script: HopScript) -> None:
    script.lines = {
        ("hop", "To d? ~0.7"): GARBAGE,
        ("hop", "To e? ~0.3|To b? ~0.1"): GARBAGE,
        ("read", QUERY): GARBAGE,
    }
    output = await walked(draw())
    assert output["answer"] == UNKNOWN
    assert path(output) == WALK
    assert output["steps"][-1]["verdict"] == "failed"


async def test_the_answer_is_read_from_the_best_of_those_kept(
    draw: Draw, script: HopScript
) -> None:
    output = await walked(draw(hop__reasoner="similarity", hop__top_k=3, hop__evidence_k=2))
    assert list(helpful(output)) == ["d", "b", "e"]
    assert [one["passage_id"] for one in output["evidence"]] == ["d", "b"]
    shown = script.turn("read", QUERY).splitlines()
    assert shown[1:3] == ["[1] D: ~0.2", "[2] B: ~0.6"]


async def test_an_edge_that_a_build_has_moved_is_told_without_its_question(
    draw: Draw, script: HopScript
) -> None:
    settings = draw()
    graph, query = await graph_of(settings), await query_of(QUERY, settings)
    hops = [
        Hop(round=1, tail="a", edge=0, head="b"),
        Hop(round=1, tail="a", edge=0, head="e"),
        Hop(round=1, tail="a", edge=7, head="b"),
        Hop(round=1, tail="gone", edge=0, head="b"),
    ]
    told = path_of(hops, graph, query)
    assert [step.get("question") for step in told] == ["To b? ~0.9", None, None, None]
    assert [step["visits"] for step in told] == [1, 1, 2, 3]
