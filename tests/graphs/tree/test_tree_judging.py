"""`tree`: branches that are judged, repaired once and pruned."""

from __future__ import annotations

import pytest

from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from ..script import Script, rubric, said, scores, split
from .trees import AT, BELOW, IRON, ROOT, STONE, ask_tree, closing, comparison, nodes

__all__ = ("comparison",)

NAMES = ("sufficiency", "non_redundancy", "consistency", "decomposition")
SCORES = ("sufficiency", "non redundancy", "consistency", "decomposition")


class TestJudging:
    async def test_a_branch_exactly_at_theta_is_kept(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["judge", ROOT] = scores(AT)
        output = await ask_tree(context, tree__max_depth=1)
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
        output = await ask_tree(context)
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
        assert [root["facts"][name] for name in SCORES] == ["2/5", "2/5", "2/5", "1/5"]
        assert root["reason"] == "its branch was pruned: below θ=0.4"
        assert root["replaced"] == [
            {
                "question": STONE,
                "answer": "1146",
                "score": 0.35,
                "reason": "the weaker sub-question of its branch: below θ=0.4",
            }
        ]
        assert first["verdict"] == second["verdict"] == "pruned"
        assert first["question"] == IRON
        assert second["question"] == "How old is the Stone Bridge?"
        assert closing(output)["reason"] == "the branch was pruned"
        assert output["evidence"] == root["passages"]

    async def test_good_scores_do_not_make_up_for_a_0(
        self, context: Context, comparison: Script
    ) -> None:
        """(0 + 5 + 5 + 0) / 20 is 0.5, above θ, but the answers are of no use."""
        bad = dict(zip(NAMES, (0, 5, 5, 0), strict=True)) | {"weaker": "first"}
        comparison.lines |= {("judge", ROOT): bad, ("read", ROOT): said("by itself")}
        output = await ask_tree(context)
        root = nodes(output)[""]
        assert (root["verdict"], root["score"]) == ("leaf", 0.5)
        assert root["reason"] == ("its branch was pruned: sufficiency and decomposition got 0 of 5")
        assert output["answer"] == "by itself"

    async def test_a_better_half_saves_the_branch(
        self, context: Context, comparison: Script
    ) -> None:
        better = "How old is the Iron Bridge?"
        comparison.lines |= {
            ("judge", ROOT): [scores(0, weaker="first"), scores(AT)],
            ("replace", ROOT): {"question": better},
            ("read", better): said("very"),
        }
        output = await ask_tree(context, tree__max_depth=1)
        root, first, second = nodes(output).values()
        assert root["verdict"] == "split"
        assert root["score"] == 0.4
        assert [thrown["question"] for thrown in root["replaced"]] == [IRON]
        assert root["replaced"][0]["score"] == 0.0
        assert (first["question"], first["answer"]) == (better, "very")
        assert (second["question"], second["answer"]) == (STONE, "1146")
        assert f"{better} very\n{STONE} 1146" in comparison.turn("aggregate", ROOT)

    async def test_a_half_is_replaced_once(self, context: Context, comparison: Script) -> None:
        comparison.lines |= {
            ("judge", ROOT): scores(BELOW),
            ("replace", ROOT): [{"question": f"What about {number}?"} for number in range(3)],
        }
        output = await ask_tree(context)
        assert (comparison.counts["replace"], comparison.counts["judge"]) == (1, 2)
        assert len(nodes(output)[""]["replaced"]) == 1

    async def test_rejected_decompositions_take_no_replacement_away(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {
            ("split", ROOT): [split("A?", "B?"), split(IRON, STONE)],
            ("rubric", ROOT): [rubric(0), rubric(5)],
            ("judge", ROOT): [scores(BELOW), scores(AT)],
        }
        output = await ask_tree(context, tree__max_depth=1)
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
        output = await ask_tree(context)
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
        output = await ask_tree(context)
        half = nodes(output)["1"]
        assert (half["verdict"], half["answer"]) == ("leaf", "1781")
        assert half["reason"] == "its branch was pruned: below θ=0.4"
        assert nodes(output)["1.1"]["verdict"] == nodes(output)["1.2"]["verdict"] == "pruned"
        assert script.asked.count(("read", IRON)) == 1
        assert f"Findings:\n{IRON} 1781\n{STONE} " in script.turn("aggregate", ROOT)
        kept = [unit for path in ("1", "2") for unit in nodes(output)[path]["passages"]]
        assert set(passage_ids(output["evidence"])) <= set(passage_ids(kept))
        assert nodes(output)["1.1"]["passages"]  # they are shown, but are no evidence

    @pytest.mark.parametrize(("theta", "verdict"), [(0.0, "split"), (0.2, "split"), (0.25, "leaf")])
    async def test_theta_is_a_setting(
        self, context: Context, comparison: Script, theta: float, verdict: str
    ) -> None:
        comparison.lines["judge", ROOT] = scores(4)  # 4 of 20
        output = await ask_tree(context, tree__theta=theta)
        assert nodes(output)[""]["verdict"] == verdict
