"""Algorithm 1 on graphs small enough to walk by hand.

Keywords are empty but where a test gives some, so that SIM is half of the cosine in the text.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from building import build

from hopyard.indexes.corpus.records import Document
from hopyard.nodes.hop.steps import path_of
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state.errors import IndexMissingError
from hopyard.state.hop import Hop
from hopyard.state.schemas import passage_evidence, passage_ids
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import said
from .drawn import Dialled, build_drawn
from .script import HopScript
from .walks import (
    GRAPH,
    PASSAGES,
    QUERY,
    WALK,
    Draw,
    draw,
    helpful,
    hops,
    path,
    round_of,
    visits_of,
    walk,
)

__all__ = ("draw",)


class TestWalk:
    async def test_of_necessary_questions_the_most_similar(
        self, draw: Draw, script: HopScript
    ) -> None:
        script.otherwise = "necessary"
        output = await walk(draw(hop__top_k=2))
        assert path(output) == WALK
        assert helpful(output) == {"d": 0.3, "b": 0.275}
        assert output["evidence"] == [passage_evidence("d", 0.3), passage_evidence("b", 0.275)]

    async def test_by_the_model(self, draw: Draw, script: HopScript) -> None:
        script.useful = {"To d? ~0.7": "indirect", "To e? ~0.3": "necessary"}
        output = await walk(draw())
        assert path(output) == WALK
        assert [step.get("verdict") for step in hops(output)] == [
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
        script.otherwise = "necessary"
        output = await walk(draw(hop__top_k=3))
        # The third edge entered by is the other "To d?": d is visited once more, and not queued
        # twice. Five visits: d (0.1 + 3/5) / 2, b (0.3 + 1/5) / 2, e (0 + 1/5) / 2.
        assert path(output)[1:] == [
            (0, None, "To d? ~0.7", "d", 2),
            (1, "b", "To d? ~0.7", "d", 3),
            (1, "d", "To e? ~0.3", "e", 1),
            (2, "e", None, None, None),
        ]
        assert helpful(output) == {"d": 0.35, "b": 0.25, "e": 0.1}

    async def test_keywords_count_in_helpfulness_and_entry(
        self, draw: Draw, script: HopScript
    ) -> None:
        keywords = {"To c? ~0.5": ["ada"], "c": ["ada", "babbage"]}
        script.otherwise = "necessary"
        settings = {"hop__top_k": 1, "hop__n_hop": 1}
        output = await walk(draw(keywords=keywords, **settings), "which one is Ada")
        # SIM of "To c?" is (1 + 0.5) / 2; of c with the query (1/2 + 0.4) / 2.
        assert path(output)[0] == (0, None, "To c? ~0.5", "c", 1)
        assert hops(output)[0]["score"] == 0.75
        assert helpful(output) == {"c": 0.475}  # (0.45 + 1/2) / 2; d (0.1 + 1/2) / 2

    @pytest.mark.parametrize("n_hop", [1, 2, 3, 4])
    async def test_rounds_end_at_n_hop(self, draw: Draw, script: HopScript, n_hop: int) -> None:
        pairs = ("ab", "bc", "cd", "de", "ea")
        chain = [(tail, f"To {head}? ~0.5", head) for tail, head in pairs]
        script.otherwise = "necessary"
        output = await walk(draw(chain, hop__top_k=1, hop__n_hop=n_hop))
        reached = [step["head"] for step in output["steps"] if "head" in step]
        assert "".join(reached) == "bcdea"[: n_hop + 1]

    async def test_direction_is_respected(self, draw: Draw, script: HopScript) -> None:
        """b is where the only edge leads: from there nothing leads back to a."""
        script.otherwise = "necessary"
        output = await walk(draw([("a", "To b? ~0.9", "b")]))
        assert path(output) == [
            (0, None, "To b? ~0.9", "b", 1),
            (1, "b", None, None, None),
        ]
        assert hops(output)[1]["reason"] == "it has no edge to another passage"
        assert passage_ids(output["evidence"]) == ["b"]

    async def test_a_circle_counts_visits_and_ends(self, draw: Draw, script: HopScript) -> None:
        circle = [("a", "To b? ~0.9", "b"), ("b", "To a? ~0.8", "a")]
        script.otherwise = "necessary"
        output = await walk(draw(circle, hop__top_k=1))
        assert path(output) == [
            (0, None, "To b? ~0.9", "b", 1),
            (1, "b", "To a? ~0.8", "a", 1),
            (2, "a", "To b? ~0.9", "b", 2),
        ]


class TestEntry:
    async def test_half_and_half(self, draw: Draw, script: HopScript) -> None:
        script.otherwise = "necessary"
        output = await walk(draw(profile="builtin", hop__top_k=3))
        assert path(output)[:3] == [
            (0, None, "To b? ~0.9", "b", 1),
            (0, None, None, "a", 1),
            (0, None, None, "b", 2),
        ]

    async def test_a_graph_without_edges_is_entered_by_passages(
        self, draw: Draw, script: HopScript
    ) -> None:
        script.lines = {("read", QUERY): said("so")}
        output = await walk(draw([]))
        assert passage_ids(output["evidence"]) == ["a", "b"]
        assert output["answer"] == "so"
        assert script.asked == [("read", QUERY)]

    @pytest.mark.parametrize("kinds", [("dense", "sparse"), ("sparse",)])
    async def test_an_index_without_a_graph_says_what_to_run(
        self, context: Context, script: HopScript, tmp_path: Path, kinds: tuple[str, ...]
    ) -> None:
        documents = [Document(id="a", title="", text="alpha")]
        build(documents, directory=tmp_path, embedder=Dialled(), kinds=kinds, chunk_tokens=0)
        with pytest.raises(IndexMissingError) as error:
            await walk(changed(context, index=str(tmp_path), embedding="dialled"))
        assert "has no passage-graph part, which hop needs: run `hopyard index build" in str(
            error.value
        )
        assert f"--with {','.join(kinds)},passage-graph" in str(error.value)

    async def test_without_vectors_nothing_is_spent(
        self, context: Context, script: HopScript, tmp_path: Path
    ) -> None:
        build_drawn(tmp_path / "drawn", PASSAGES, GRAPH, Dialled(), kinds=("passage-graph",))
        settings = changed(context, index=str(tmp_path / "drawn"), embedding="dialled")
        with pytest.raises(IndexMissingError, match="has no dense part"):
            await walk(settings)
        assert script.asked == []


class TestBudget:
    @pytest.mark.parametrize("calls", [1, 2, 3, 4])
    async def test_it_ends_the_traversal_and_the_best_so_far_is_read(
        self, draw: Draw, script: HopScript, calls: int
    ) -> None:
        script.useful = {"To d? ~0.7": "necessary", "To e? ~0.3": "necessary"}
        output = await walk(draw(budget__calls=calls))
        assert len(script.asked) == min(calls, 3) == output["usage"]["model_calls"]
        assert script.asked[-1] == ("read", QUERY)
        assert output["truncated"] is (calls < 3)
        assert output["answer"] == f"read: {QUERY}"
        stayed = [step for step in output["steps"] if "budget" in step.get("reason", "")]
        assert len(stayed) == max(0, 3 - calls)

    async def test_it_ends_with_the_round(self, draw: Draw, script: HopScript) -> None:
        """One of the two vertices is paid for; what it reaches is not gone on from."""
        script.useful = {"To d? ~0.7": "necessary", "To e? ~0.3": "necessary"}
        output = await walk(draw(budget__calls=2))
        assert max(map(round_of, hops(output))) == 1


async def test_the_builtin_model_reads_the_best_five(draw: Draw, script: HopScript) -> None:
    drawing = [("a", f"To {head}? ~0.5", head) for head in "bcde"] + [("b", "To a? ~0.5", "a")]
    output = await walk(draw(drawing, profile="builtin", hop__top_k=10))
    assert len(helpful(output)) == 5
    script.lines = {}
    assert passage_ids(output["evidence"]) == list(helpful(output))[:5]


async def test_an_edge_that_a_build_has_moved_is_told_without_its_question(
    draw: Draw, script: HopScript
) -> None:
    run = Run("r", draw(), shared_resources())
    walk = [
        Hop(round=1, tail="a", edge=0, head="b"),
        Hop(round=2, tail="a", edge=0, head="e"),
        Hop(round=3, tail="a", edge=7, head="b"),
        Hop(round=3, tail="gone", edge=0, head="b"),
    ]
    steps = hops({"steps": await path_of(run, QUERY, walk)})
    assert [step.get("question") for step in steps] == ["To b? ~0.9", None, None, None]
    assert [visits_of(step) for step in steps] == [1, 1, 2, 3]
