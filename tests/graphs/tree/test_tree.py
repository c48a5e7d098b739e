"""`tree`, over trees made by hand: which requests it makes, and what it says of each question."""

from __future__ import annotations

import pytest

from hopyard.state.settings.fields import Context

from ..script import SIMPLE, Script, full_tree, rubric, said, split
from .trees import IRON, ROOT, STONE, ask_tree, closing, comparison, nodes

__all__ = ("comparison",)


class TestGrowing:
    async def test_a_simple_question_is_searched_for_once(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {("read", IRON): said("1781")}
        output = await ask_tree(context, IRON)
        assert script.asked == [("split", IRON), ("read", IRON)]
        assert output["answer"] == "1781"
        assert output["steps"] == [
            {
                "id": "tree-root",
                "kind": "question",
                "parent": "",
                "title": IRON,
                "question": IRON,
                "answer": "1781",
                "passages": output["evidence"],
                "verdict": "leaf",
                "reason": "the question is simple",
                "replaced": [],
            },
            {
                "id": "aggregate",
                "kind": "aggregate",
                "title": "Answer from the findings",
                "question": IRON,
                "answer": "1781",
                "passages": output["evidence"],
                "reason": "the question was not split",
            },
        ]

    async def test_a_comparison_at_depth_one(self, context: Context, comparison: Script) -> None:
        output = await ask_tree(context, tree__max_depth=1)
        assert comparison.asked[:2] == [("split", ROOT), ("rubric", ROOT)]
        assert set(comparison.asked[2:4]) == {("read", IRON), ("read", STONE)}
        assert comparison.asked[4:] == [("judge", ROOT), ("aggregate", ROOT)]
        assert output["answer"] == "Stone Bridge"
        assert [(path, node["verdict"]) for path, node in nodes(output).items()] == [
            ("", "split"),
            ("1", "leaf"),
            ("2", "leaf"),
        ]
        assert nodes(output)["1"]["reason"] == nodes(output)["2"]["reason"] == "at full depth"

    async def test_the_closing_prompt_holds_the_findings_and_the_evidence(
        self, context: Context, comparison: Script
    ) -> None:
        output = await ask_tree(context)
        turn = comparison.turn("aggregate", ROOT)
        assert f"\nFindings:\n{IRON} 1781\n{STONE} 1146\n\nQuestion: {ROOT}" in turn
        shown = [line for line in turn.splitlines() if line.startswith("[")]
        assert len(shown) == len(output["evidence"])
        assert shown[0].startswith("[1] ")

    async def test_a_branch_is_judged_with_the_answers_found(
        self, context: Context, comparison: Script
    ) -> None:
        await ask_tree(context)
        assert comparison.turn("judge", ROOT) == (
            f"Question: {ROOT}\nFirst: {IRON}\nAnswer: 1781\nSecond: {STONE}\nAnswer: 1146"
        )

    @pytest.mark.parametrize(("depth", "requests"), [(1, 6), (2, 16), (3, 36)])
    async def test_it_grows_to_full_depth_and_stops(
        self, context: Context, script: Script, depth: int, requests: int
    ) -> None:
        """Each inner question: split, rubric, branch judge. Each other one: a reading. One more."""
        script.lines = full_tree("All?", depth + 1)
        output = await ask_tree(context, "All?", tree__max_depth=depth)
        inner, leaves = 2**depth - 1, 2**depth
        readings = inner - 1 + leaves  # the root has none
        assert script.counts == {
            "split": inner,
            "rubric": inner,
            "judge": inner,
            "read": readings,
            "aggregate": 1,
        }
        assert len(script.asked) == requests == output["usage"]["model_calls"]
        verdicts = [node["verdict"] for node in nodes(output).values()]
        assert verdicts.count("split") == inner
        assert verdicts.count("leaf") == leaves
        assert max(path.count(".") for path in nodes(output)) == depth - 1

    async def test_steps_stand_in_reading_order(self, context: Context, script: Script) -> None:
        script.lines = full_tree("All?", 2)
        output = await ask_tree(context, "All?", tree__max_depth=2)
        assert list(nodes(output)) == ["", "1", "1.1", "1.2", "2", "2.1", "2.2"]
        assert closing(output)["kind"] == "aggregate"
        assert nodes(output)["2.1"]["question"] == "All right left?"

    async def test_one_half_may_be_deeper_than_the_other(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): split(IRON, STONE),
            ("split", STONE): split("Which is it?", "When was it?"),
        }
        output = await ask_tree(context)
        assert {path: node["verdict"] for path, node in nodes(output).items()} == {
            "": "split",
            "1": "leaf",
            "2": "split",
            "2.1": "leaf",
            "2.2": "leaf",
        }
        findings = script.turn("aggregate", ROOT).partition("Findings:\n")[2].splitlines()[:3]
        assert findings == [f"{q} read: {q}" for q in (IRON, "Which is it?", "When was it?")]

    async def test_every_node_tells_what_was_found_and_decided(
        self, context: Context, script: Script
    ) -> None:
        script.lines = full_tree("All?", 2)
        output = await ask_tree(context, "All?", tree__max_depth=2)
        for path, node in nodes(output).items():
            assert node["question"]
            assert node["reason"]
            if path:
                assert node["answer"] == f"read: {node['question']}"
                assert len(node["passages"]) == 2
            if node["verdict"] == "split":
                assert node["score"] == 1.0
                assert node["judge"] == context.model
                assert node["facts"] == {
                    "rubric": "5/5",
                    "sufficiency": "5/5",
                    "non redundancy": "5/5",
                    "consistency": "5/5",
                    "decomposition": "5/5",
                }
                assert node["reason"] == "at or above θ=0.4"


class TestDecomposing:
    async def test_a_bad_decomposition_is_redone_with_its_faults_named(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): [split("Is it old?", "Is it new?"), split(IRON, STONE)],
            ("rubric", ROOT): [rubric(2), rubric(5)],
        }
        output = await ask_tree(context, tree__max_depth=1)
        assert script.asked[:4] == [("split", ROOT), ("rubric", ROOT)] * 2
        assert script.turn("split", ROOT, 0) == f"Question: {ROOT}"
        assert script.turn("split", ROOT, 1) == (
            f"Question: {ROOT}\nRejected, because it fails on relevant, non_overlapping, "
            "complete: Is it old? / Is it new?"
        )
        root = nodes(output)[""]
        assert root["verdict"] == "split"
        assert root["facts"]["rubric"] == "5/5"
        assert root["replaced"] == [
            {
                "question": "Is it old? / Is it new?",
                "reason": "it fails on relevant, non_overlapping, complete",
            }
        ]
        assert nodes(output)["1"]["question"] == IRON

    async def test_one_that_stays_bad_leaves_the_question_whole(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): [split("A?", "B?"), split("C?", "D?"), split("E?", "F?")],
            ("rubric", ROOT): rubric(2),
        }
        output = await ask_tree(context)
        assert script.asked == [("split", ROOT), ("rubric", ROOT)] * 2 + [("read", ROOT)]
        root = nodes(output)[""]
        assert list(nodes(output)) == [""]
        assert root["reason"] == "no decomposition passed the judge"
        assert [thrown["question"] for thrown in root["replaced"]] == ["A? / B?", "C? / D?"]
        assert output["answer"] == f"read: {ROOT}"

    @pytest.mark.parametrize(
        ("faults", "splits"),
        [
            ("", 1),
            ("wh_form", 1),
            ("specific", 1),
            ("relevant", 0),  # the paper asks that they cover the question and do not overlap
            ("non_overlapping", 0),
            ("complete", 0),
            ("wh_form specific", 0),  # three points of five
        ],
    )
    async def test_a_split_needs_four_points_and_those_that_the_paper_demands(
        self, context: Context, comparison: Script, faults: str, splits: int
    ) -> None:
        comparison.lines["rubric", ROOT] = rubric(5) | dict.fromkeys(faults.split(), 0)
        output = await ask_tree(context)
        verdicts = [node["verdict"] for node in nodes(output).values()]
        assert verdicts.count("split") == splits

    @pytest.mark.parametrize(
        ("halves", "reason"),
        [
            ((ROOT, STONE), "repeats the question"),
            ((IRON, ROOT.lower().rstrip("?")), "repeats the question"),
            ((IRON, " when was the iron bridge OPENED"), "are the same"),
            ((IRON, ""), "is empty"),
            (("", ""), "is empty"),
            (("?!", STONE), "is empty"),
        ],
    )
    async def test_an_echo_is_no_decomposition(
        self, context: Context, script: Script, halves: tuple[str, str], reason: str
    ) -> None:
        script.lines = {("split", ROOT): split(*halves)}
        output = await ask_tree(context)
        assert script.asked == [("split", ROOT), ("read", ROOT)]
        assert reason in nodes(output)[""]["reason"]


class TestEvidence:
    async def test_the_best_passages_of_all_leaves_each_once(
        self, context: Context, comparison: Script
    ) -> None:
        output = await ask_tree(context, retrieval__k=4)
        scored: dict[str, float] = {}
        for path in ("1", "2"):
            for unit in nodes(output)[path]["passages"]:
                scored[unit["id"]] = max(scored.get(unit["id"], -1), unit["score"])
        best = sorted(scored, key=lambda name: -scored[name])[:5]
        assert [unit["id"] for unit in output["evidence"]] == best
        assert [unit["score"] for unit in output["evidence"]] == [scored[name] for name in best]
        assert len(scored) < 8  # the two halves share some
        assert {"iron-bridge", "stone-bridge"} <= set(best)

    async def test_snippets_of_the_closing_prompt_are_cut(
        self, context: Context, script: Script
    ) -> None:
        garden = "Has every garden a gate and a wall and a path?"
        script.lines = {("split", garden): split("Has it a gate?", "Has it a wall?")}
        await ask_tree(context, garden, retrieval__k=8)
        for turn in script.turns:
            shown = [line for line in turn.splitlines() if "] Garden: " in line]
            assert all(len(line.partition(": ")[2]) <= 450 * 4 for line in shown)
        assert "Garden: Gardens need water." in script.turn("aggregate", garden)


async def test_the_same_sub_question_twice_is_paid_once(context: Context, script: Script) -> None:
    """Both halves are split into the same four facts: the second asking is answered at once."""
    script.lines = {
        ("split", ROOT): split(IRON, STONE),
        ("split", IRON): split("Who built it?", "Where is it?"),
        ("split", STONE): split("Who built it?", "Where is it?"),
        ("split", "Who built it?"): SIMPLE,
    }
    output = await ask_tree(context)
    assert script.asked.count(("read", "Who built it?")) == 1
    assert script.asked.count(("split", "Who built it?")) == 1
    assert output["usage"]["cached_calls"] == 4
    assert output["usage"]["model_calls"] == len(script.asked)
