"""`tree`, over trees made by hand: which requests it makes, and what it says of each question."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.graphs import tree
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.settings import Context

from .conftest import changed
from .script import GARBAGE, SIMPLE, Script, full_tree, rubric, said, scores, split

ROOT = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"
BELOW, AT = 7, 8
"""Sums of the four branch scores: 7/20 lies below θ=0.4, 8/20 at it."""


@pytest.fixture
def script(quick_script: Script) -> Script:
    return quick_script


@pytest.fixture
def comparison(script: Script) -> Script:
    """A question with two halves that are facts."""
    script.lines = {
        ("split", ROOT): split(IRON, STONE),
        ("read", IRON): said("1781"),
        ("read", STONE): said("1146"),
        ("aggregate", ROOT): said("Stone Bridge"),
    }
    return script


async def answered(context: Context, question: str = ROOT, **settings: Any) -> dict[str, Any]:
    return await tree.graph.ainvoke({"question": question}, context=changed(context, **settings))


def nodes(output: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tree's steps by path."""
    return {step["path"]: step for step in output["steps"] if step["step"] == "tree-node"}


def closing(output: dict[str, Any]) -> dict[str, Any]:
    return output["steps"][-1]


class TestGrowing:
    async def test_a_simple_question_is_searched_for_once(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {("read", IRON): said("1781")}
        output = await answered(context, IRON)
        assert script.asked == [("split", IRON), ("read", IRON)]
        assert output["answer"] == "1781"
        assert output["steps"] == [
            {
                "step": "tree-node",
                "path": "",
                "question": IRON,
                "answer": "1781",
                "passages": output["evidence"],
                "verdict": "leaf",
                "reason": "the question is simple",
            },
            {
                "step": "aggregate",
                "question": IRON,
                "answer": "1781",
                "passages": output["evidence"],
                "reason": "the question was not split",
            },
        ]

    async def test_a_comparison_at_depth_one(self, context: Context, comparison: Script) -> None:
        output = await answered(context, tree__max_depth=1)
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
        output = await answered(context)
        turn = comparison.turn("aggregate", ROOT)
        assert f"\nFindings:\n{IRON} 1781\n{STONE} 1146\n\nQuestion: {ROOT}" in turn
        shown = [line for line in turn.splitlines() if line.startswith("[")]
        assert len(shown) == len(output["evidence"])
        assert shown[0].startswith("[1] ")

    async def test_a_branch_is_judged_with_the_answers_found(
        self, context: Context, comparison: Script
    ) -> None:
        await answered(context)
        assert comparison.turn("judge", ROOT) == (
            f"Question: {ROOT}\nFirst: {IRON}\nAnswer: 1781\nSecond: {STONE}\nAnswer: 1146"
        )

    @pytest.mark.parametrize(("depth", "requests"), [(1, 6), (2, 16), (3, 36)])
    async def test_it_grows_to_full_depth_and_stops(
        self, context: Context, script: Script, depth: int, requests: int
    ) -> None:
        """Each inner question: split, rubric, branch judge. Each other one: a reading. One more."""
        script.lines = full_tree("All?", depth + 1)
        output = await answered(context, "All?", tree__max_depth=depth)
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
        output = await answered(context, "All?", tree__max_depth=2)
        assert list(nodes(output)) == ["", "1", "1.1", "1.2", "2", "2.1", "2.2"]
        assert closing(output)["step"] == "aggregate"
        assert nodes(output)["2.1"]["question"] == "All right left?"

    async def test_one_half_may_be_deeper_than_the_other(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): split(IRON, STONE),
            ("split", STONE): split("Which is it?", "When was it?"),
        }
        output = await answered(context)
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
        output = await answered(context, "All?", tree__max_depth=2)
        for path, node in nodes(output).items():
            assert node["question"]
            assert node["reason"]
            if path:
                assert node["answer"] == f"read: {node['question']}"
                assert len(node["passages"]) == 2
            if node["verdict"] == "split":
                assert node["rubric"] == rubric(5)
                assert node["score"] == 1.0
                assert set(node["scores"].values()) == {5}
                assert node["reason"] == "at or above θ=0.4"


class TestDecomposing:
    async def test_a_bad_decomposition_is_redone_with_its_faults_named(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): [split("Is it old?", "Is it new?"), split(IRON, STONE)],
            ("rubric", ROOT): [rubric(2), rubric(5)],
        }
        output = await answered(context, tree__max_depth=1)
        assert script.asked[:4] == [("split", ROOT), ("rubric", ROOT)] * 2
        assert script.turn("split", ROOT, 0) == f"Question: {ROOT}"
        assert script.turn("split", ROOT, 1) == (
            f"Question: {ROOT}\nRejected, because it fails on relevant, non_overlapping, "
            "complete: Is it old? / Is it new?"
        )
        root = nodes(output)[""]
        assert root["verdict"] == "split"
        assert root["rubric"] == rubric(5)
        assert root["replaced"] == [
            {
                "first": "Is it old?",
                "second": "Is it new?",
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
        output = await answered(context)
        assert script.asked == [("split", ROOT), ("rubric", ROOT)] * 2 + [("read", ROOT)]
        root = nodes(output)[""]
        assert list(nodes(output)) == [""]
        assert root["reason"] == "no decomposition passed the judge"
        assert [one["first"] for one in root["replaced"]] == ["A?", "C?"]
        assert output["answer"] == f"read: {ROOT}"

    @pytest.mark.parametrize(("points", "splits"), [(2, 0), (3, 1), (4, 1)])
    async def test_as_many_points_as_asked_for_are_enough(
        self, context: Context, comparison: Script, points: int, splits: int
    ) -> None:
        comparison.lines["rubric", ROOT] = rubric(points)
        output = await answered(context, tree__retries=0)
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
        output = await answered(context)
        assert script.asked == [("split", ROOT), ("read", ROOT)]
        assert reason in nodes(output)[""]["reason"]


class TestJudging:
    async def test_a_branch_exactly_at_theta_is_kept(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["judge", ROOT] = scores(AT)
        output = await answered(context, tree__max_depth=1)
        assert "replace" not in comparison.counts
        assert nodes(output)[""]["score"] == 0.4
        assert nodes(output)[""]["verdict"] == "split"

    async def test_a_weak_branch_has_its_weaker_half_replaced_once_and_is_pruned(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {
            ("judge", ROOT): scores(BELOW, weaker="second"),
            ("replace", ROOT): {"question": "How old is the Stone Bridge?"},
            ("read", ROOT): said("by itself"),
        }
        output = await answered(context)
        assert comparison.asked[:2] == [("split", ROOT), ("rubric", ROOT)]
        assert set(comparison.asked[2:4]) == {("read", IRON), ("read", STONE)}
        assert comparison.asked[4:] == [
            ("judge", ROOT),
            ("replace", ROOT),
            ("read", "How old is the Stone Bridge?"),
            ("judge", ROOT),
            ("read", ROOT),
        ]
        assert comparison.turn("replace", ROOT).splitlines()[1:4] == [
            f"Kept: {IRON}",
            "Answer to it: 1781",
            f"Does not help: {STONE}",
        ]
        assert output["answer"] == "by itself"
        root, first, second = nodes(output).values()
        assert root["verdict"] == "leaf"
        assert root["score"] == 0.35
        assert sum(root["scores"].values()) == BELOW
        assert root["reason"] == "its branch was pruned: below θ=0.4"
        assert root["replaced"] == [
            {
                "question": STONE,
                "answer": "1146",
                "score": 0.35,
                "reason": "the weaker half of a branch below θ=0.4",
            }
        ]
        assert first["verdict"] == second["verdict"] == "pruned"
        assert first["question"] == IRON
        assert second["question"] == "How old is the Stone Bridge?"
        assert closing(output)["reason"] == "the branch was pruned"
        assert output["evidence"] == root["passages"]

    async def test_a_better_half_saves_the_branch(
        self, context: Context, comparison: Script
    ) -> None:
        better = "How old is the Iron Bridge?"
        comparison.lines |= {
            ("judge", ROOT): [scores(0, weaker="first"), scores(AT)],
            ("replace", ROOT): {"question": better},
            ("read", better): said("very"),
        }
        output = await answered(context, tree__max_depth=1)
        root, first, second = nodes(output).values()
        assert root["verdict"] == "split"
        assert root["score"] == 0.4
        assert [one["question"] for one in root["replaced"]] == [IRON]
        assert root["replaced"][0]["score"] == 0.0
        assert (first["question"], first["answer"]) == (better, "very")
        assert (second["question"], second["answer"]) == (STONE, "1146")
        assert f"{better} very\n{STONE} 1146" in comparison.turn("aggregate", ROOT)

    @pytest.mark.parametrize("retries", [0, 2])
    async def test_halves_are_replaced_as_often_as_allowed(
        self, context: Context, comparison: Script, retries: int
    ) -> None:
        comparison.lines |= {
            ("judge", ROOT): scores(BELOW),
            ("replace", ROOT): [{"question": f"What about {number}?"} for number in range(3)],
        }
        output = await answered(context, tree__retries=retries)
        assert comparison.counts.get("replace", 0) == retries
        assert comparison.counts["judge"] == retries + 1
        assert len(nodes(output)[""].get("replaced", [])) == retries

    async def test_rejected_decompositions_take_no_replacement_away(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {
            ("split", ROOT): [split("A?", "B?"), split(IRON, STONE)],
            ("rubric", ROOT): [rubric(0), rubric(5)],
            ("judge", ROOT): [scores(BELOW), scores(AT)],
        }
        output = await answered(context, tree__max_depth=1)
        assert comparison.counts["replace"] == 1
        assert nodes(output)[""]["verdict"] == "split"
        assert len(nodes(output)[""]["replaced"]) == 2

    @pytest.mark.parametrize("again", [ROOT, IRON, f"  {STONE.lower()}!"])
    async def test_a_replacement_that_repeats_is_not_searched_for(
        self, context: Context, comparison: Script, again: str
    ) -> None:
        comparison.lines |= {
            ("judge", ROOT): scores(BELOW),
            ("replace", ROOT): {"question": again},
        }
        output = await answered(context)
        assert comparison.asked[4:] == [("judge", ROOT), ("replace", ROOT), ("read", ROOT)]
        assert "repeats" in nodes(output)[""]["reason"]
        assert nodes(output)["1"]["verdict"] == nodes(output)["2"]["verdict"] == "pruned"

    async def test_a_pruned_half_keeps_the_answer_it_had(
        self, context: Context, script: Script
    ) -> None:
        script.lines = {
            ("split", ROOT): split(IRON, STONE),
            ("split", IRON): split("Which bridge is it?", "When was that opened?"),
            ("judge", IRON): scores(BELOW),
            ("read", IRON): said("1781"),
        }
        output = await answered(context, tree__retries=0)
        half = nodes(output)["1"]
        assert (half["verdict"], half["answer"]) == ("leaf", "1781")
        assert half["reason"] == "its branch was pruned: below θ=0.4"
        assert nodes(output)["1.1"]["verdict"] == nodes(output)["1.2"]["verdict"] == "pruned"
        assert script.asked.count(("read", IRON)) == 1
        assert f"Findings:\n{IRON} 1781\n{STONE} " in script.turn("aggregate", ROOT)
        pruned = {one["passage_id"] for one in nodes(output)["1.1"]["passages"]}
        kept = {one["passage_id"] for path in ("1", "2") for one in nodes(output)[path]["passages"]}
        assert {one["passage_id"] for one in output["evidence"]} <= kept
        assert pruned  # its passages are told, but are no evidence of their own

    async def test_without_the_judge_every_branch_is_kept(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {("rubric", ROOT): rubric(0), ("judge", ROOT): scores(0)}
        output = await answered(context, tree__judge=False)
        assert comparison.counts == {"split": 3, "read": 2, "aggregate": 1}
        root = nodes(output)[""]
        assert (root["verdict"], root["reason"]) == ("split", "the judge is off")
        assert "score" not in root
        assert "rubric" not in root

    @pytest.mark.parametrize(("theta", "verdict"), [(0.0, "split"), (0.05, "split"), (0.1, "leaf")])
    async def test_theta_is_a_setting(
        self, context: Context, comparison: Script, theta: float, verdict: str
    ) -> None:
        comparison.lines["judge", ROOT] = scores(1)
        output = await answered(context, tree__theta=theta, tree__retries=0)
        assert nodes(output)[""]["verdict"] == verdict


class TestFailing:
    """A failed call costs its own branch something; its siblings stay whole."""

    async def test_a_failed_reading(self, context: Context, comparison: Script) -> None:
        comparison.lines["read", IRON] = GARBAGE
        output = await answered(context)
        first, second = nodes(output)["1"], nodes(output)["2"]
        assert first["answer"] == UNKNOWN
        assert "'answer' got no usable output" in first["reason"]
        assert "the question is simple" in first["reason"]
        assert (second["answer"], second["reason"]) == ("1146", "the question is simple")
        assert output["answer"] == "Stone Bridge"
        assert output["truncated"] is False

    async def test_a_failed_reading_at_full_depth(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["read", STONE] = GARBAGE
        output = await answered(context, tree__max_depth=1)
        assert "'answer' got no usable output" in nodes(output)["2"]["reason"]
        assert nodes(output)["1"]["reason"] == "at full depth"

    async def test_a_failed_decomposition(self, context: Context, script: Script) -> None:
        script.lines = full_tree("All?", 2) | {("split", "All left?"): GARBAGE}
        output = await answered(context, "All?", tree__max_depth=2)
        assert list(nodes(output)) == ["", "1", "2", "2.1", "2.2"]
        assert nodes(output)["1"]["verdict"] == "leaf"
        assert "'decompose' got no usable output" in nodes(output)["1"]["reason"]
        assert nodes(output)["2"]["verdict"] == "split"

    async def test_a_failed_judge_of_the_decomposition(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["rubric", ROOT] = GARBAGE
        output = await answered(context)
        assert comparison.asked == [("split", ROOT), ("rubric", ROOT), ("read", ROOT)]
        assert "'judge-decomposition' got no usable" in nodes(output)[""]["reason"]

    async def test_a_failed_judge_of_the_branch_keeps_it_as_it_is(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["judge", ROOT] = GARBAGE
        output = await answered(context)
        assert comparison.counts["split"] == 1  # nothing below is split
        assert {node["verdict"] for node in nodes(output).values()} == {"split", "leaf"}
        for node in nodes(output).values():
            assert "'judge-branch' got no usable output" in node["reason"]
        assert output["answer"] == "Stone Bridge"

    async def test_a_failed_replacement_prunes_the_branch_that_it_was_to_save(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {("judge", ROOT): scores(BELOW), ("replace", ROOT): GARBAGE}
        output = await answered(context)
        assert comparison.asked[4:] == [("judge", ROOT), ("replace", ROOT), ("read", ROOT)]
        root = nodes(output)[""]
        assert (root["verdict"], root["score"]) == ("leaf", 0.35)
        assert "'replace-sub-question' got no usable output" in root["reason"]
        assert nodes(output)["1"]["verdict"] == "pruned"

    async def test_without_a_closing_answer_the_best_supported_finding_stands(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["aggregate", ROOT] = GARBAGE
        output = await answered(context)
        by_score = sorted(
            (node["passages"][0]["score"], node["answer"])
            for path, node in nodes(output).items()
            if path
        )
        assert output["answer"] == by_score[-1][1]
        assert closing(output)["verdict"] == "fallback"
        assert "'aggregate' got no usable output" in closing(output)["reason"]
        assert output["truncated"] is False

    async def test_a_finding_that_is_unknown_does_not_stand(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {("aggregate", ROOT): GARBAGE, ("read", IRON): said(UNKNOWN)}
        assert (await answered(context))["answer"] == "1146"
        comparison.lines["read", STONE] = said(UNKNOWN)
        output = await answered(context, seed=8)
        assert output["answer"] == UNKNOWN
        assert output["citations"] == []

    async def test_a_retry_names_the_fault(self, context: Context, comparison: Script) -> None:
        comparison.lines["split", ROOT] = [GARBAGE, split(IRON, STONE)]
        output = await answered(context, retries=1)
        assert output["answer"] == "Stone Bridge"
        assert comparison.asked[:3] == [("split", ROOT), ("split", ROOT), ("rubric", ROOT)]
        assert comparison.turn("split", ROOT, 1).startswith("That does not fit")


class TestBudget:
    async def test_the_last_call_is_kept_for_the_answer(
        self, context: Context, comparison: Script
    ) -> None:
        output = await answered(context, budget__calls=5)
        assert comparison.counts == {"split": 1, "rubric": 1, "read": 2, "aggregate": 1}
        assert output["answer"] == "Stone Bridge"
        assert output["truncated"] is True
        assert "budget" in nodes(output)[""]["reason"]

    async def test_a_half_that_was_being_split_is_not_lost(
        self, context: Context, script: Script
    ) -> None:
        """The budget ends between the search for 2.1 and 2.2 and the judgement of their branch."""
        script.lines = {
            ("split", ROOT): split(IRON, STONE),
            ("split", STONE): split("Which is it?", "When was it?"),
            ("read", IRON): said("1781"),
            ("read", STONE): said("1146"),
        }
        before = 5 + 3  # the first level; then two splits and a rubric
        output = await answered(context, budget__calls=before + 2)
        assert output["truncated"] is True
        assert len(script.asked) == before + 2
        findings = script.turn("aggregate", ROOT).partition("Findings:\n")[2]
        assert findings.startswith(f"{IRON} 1781\n{STONE} 1146\n")
        found = {one["passage_id"] for one in nodes(output)["2"]["passages"]}
        assert found & {one["passage_id"] for one in output["evidence"]}

    @pytest.mark.parametrize("calls", [1, 2, 3, 4, 5, 7, 9, 14, 15, 33, 35])
    async def test_any_budget_is_kept_and_gives_an_answer(
        self, context: Context, script: Script, calls: int
    ) -> None:
        script.lines = full_tree("All?", 3)
        output = await answered(context, "All?", budget__calls=calls)
        assert len(script.asked) == min(calls, 36) == output["usage"]["model_calls"]
        assert output["truncated"] is (calls < 36)
        assert output["answer"] in {"aggregate: All?", "read: All?"}
        assert all(node["reason"] for node in nodes(output).values() if "verdict" in node)

    async def test_a_budget_of_tokens_ends_the_growth(
        self, context: Context, comparison: Script
    ) -> None:
        output = await answered(context, budget__tokens=1)
        assert comparison.asked == [("split", ROOT), ("read", ROOT)]
        assert output["truncated"] is True


class TestEvidence:
    async def test_the_best_passages_of_all_leaves_each_once(
        self, context: Context, comparison: Script
    ) -> None:
        output = await answered(context, retrieval__k=4, tree__evidence_k=3)
        scored: dict[str, float] = {}
        for path in ("1", "2"):
            for one in nodes(output)[path]["passages"]:
                old = scored.get(one["passage_id"], one["score"])
                scored[one["passage_id"]] = max(old, one["score"])
        best = sorted(scored, key=lambda one: -scored[one])[:3]
        assert [one["passage_id"] for one in output["evidence"]] == best
        assert [one["score"] for one in output["evidence"]] == [scored[one] for one in best]
        assert len(scored) < 8  # the two halves share some
        assert {"iron-bridge", "stone-bridge"} <= set(best)

    async def test_snippets_of_the_closing_prompt_are_cut(
        self, context: Context, script: Script
    ) -> None:
        garden = "Has every garden a gate and a wall and a path?"
        script.lines = {("split", garden): split("Has it a gate?", "Has it a wall?")}
        await answered(context, garden, retrieval__k=8, tree__evidence_k=8)
        for turn in script.turns:
            shown = [line for line in turn.splitlines() if "] Garden: " in line]
            assert all(len(line.partition(": ")[2]) <= 300 * 4 for line in shown)
        assert "Garden: Gardens need water." in script.turn("aggregate", garden)

    async def test_the_answer_is_cited_from_the_evidence(
        self, context: Context, comparison: Script, passages: dict[str, str]
    ) -> None:
        output = await answered(context)
        assert "stone-bridge" in [one["passage_id"] for one in output["citations"]]
        for one in output["citations"]:
            assert one["quote"] in passages[one["passage_id"]]


async def test_the_same_sub_question_twice_is_paid_once(context: Context, script: Script) -> None:
    """Both halves are split into the same four facts: the second asking is answered at once."""
    script.lines = {
        ("split", ROOT): split(IRON, STONE),
        ("split", IRON): split("Who built it?", "Where is it?"),
        ("split", STONE): split("Who built it?", "Where is it?"),
        ("split", "Who built it?"): SIMPLE,
    }
    output = await answered(context)
    assert script.asked.count(("read", "Who built it?")) == 1
    assert script.asked.count(("split", "Who built it?")) == 1
    assert output["usage"]["cached_calls"] == 4
    assert output["usage"]["model_calls"] == len(script.asked)
