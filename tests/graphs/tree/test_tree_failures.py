"""`tree`: calls that fail, and budgets that end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import ModelOutputError
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from ..script import GARBAGE, Script, full_tree, said, scores, split
from .trees import BELOW, IRON, ROOT, STONE, ask_tree, closing, comparison, nodes

__all__ = ("comparison",)


class TestFailing:
    """A failed call costs its own branch something; its siblings stay whole."""

    async def test_a_failed_reading(self, context: Context, comparison: Script) -> None:
        comparison.lines["read", IRON] = GARBAGE
        output = await ask_tree(context)
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
        output = await ask_tree(context, tree__max_depth=1)
        assert "'answer' got no usable output" in nodes(output)["2"]["reason"]
        assert nodes(output)["1"]["reason"] == "at full depth"

    async def test_a_failed_decomposition(self, context: Context, script: Script) -> None:
        script.lines = full_tree("All?", 2) | {("split", "All left?"): GARBAGE}
        output = await ask_tree(context, "All?", tree__max_depth=2)
        assert list(nodes(output)) == ["", "1", "2", "2.1", "2.2"]
        assert nodes(output)["1"]["verdict"] == "leaf"
        assert "'decompose' got no usable output" in nodes(output)["1"]["reason"]
        assert nodes(output)["2"]["verdict"] == "split"

    async def test_a_failed_judge_of_the_decomposition(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["rubric", ROOT] = GARBAGE
        output = await ask_tree(context)
        assert comparison.asked == [("split", ROOT), ("rubric", ROOT), ("read", ROOT)]
        assert "'judge-decomposition' got no usable" in nodes(output)[""]["reason"]

    async def test_a_failed_judge_of_the_branch_keeps_it_as_it_is(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["judge", ROOT] = GARBAGE
        output = await ask_tree(context)
        assert comparison.counts["split"] == 1  # nothing below is split
        assert {node["verdict"] for node in nodes(output).values()} == {"split", "leaf"}
        for node in nodes(output).values():
            assert "'judge-branch' got no usable output" in node["reason"]
        assert output["answer"] == "Stone Bridge"

    async def test_a_failed_replacement_prunes_the_branch_that_it_was_to_save(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines |= {("judge", ROOT): scores(BELOW), ("replace", ROOT): GARBAGE}
        output = await ask_tree(context)
        assert comparison.asked[4:] == [("judge", ROOT), ("replace", ROOT), ("read", ROOT)]
        root = nodes(output)[""]
        assert (root["verdict"], root["score"]) == ("leaf", 0.35)
        assert "'replace-sub-question' got no usable output" in root["reason"]
        assert nodes(output)["1"]["verdict"] == "pruned"

    async def test_without_a_closing_answer_the_best_supported_finding_stands(
        self, context: Context, comparison: Script
    ) -> None:
        comparison.lines["aggregate", ROOT] = GARBAGE
        output = await ask_tree(context)
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
        assert (await ask_tree(context))["answer"] == "1146"
        comparison.lines["read", STONE] = said(UNKNOWN)
        with pytest.raises(ModelOutputError, match="'aggregate' got no usable output"):
            await ask_tree(context, seed=8)

    async def test_a_retry_shows_no_fault(
        self, context: Context, comparison: Script, retries: Callable[[int], None]
    ) -> None:
        retries(1)
        comparison.lines["split", ROOT] = [GARBAGE, split(IRON, STONE)]
        output = await ask_tree(context)
        assert output["answer"] == "Stone Bridge"
        assert comparison.asked[:3] == [("split", ROOT), ("split", ROOT), ("rubric", ROOT)]
        assert comparison.turn("split", ROOT, 1) == comparison.turn("split", ROOT, 0)


class TestBudget:
    async def test_the_last_call_is_kept_for_the_answer(
        self, context: Context, comparison: Script
    ) -> None:
        output = await ask_tree(context, budget__calls=5)
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
        output = await ask_tree(context, budget__calls=before + 2)
        assert output["truncated"] is True
        assert len(script.asked) == before + 2
        findings = script.turn("aggregate", ROOT).partition("Findings:\n")[2]
        assert findings.startswith(f"{IRON} 1781\n{STONE} 1146\n")
        found = passage_ids(nodes(output)["2"]["passages"])
        assert set(found) & set(passage_ids(output["evidence"]))

    @pytest.mark.parametrize("calls", [1, 2, 3, 4, 5, 7, 9, 14, 15, 33, 35])
    async def test_any_budget_is_kept_and_gives_an_answer(
        self, context: Context, script: Script, calls: int
    ) -> None:
        script.lines = full_tree("All?", 3)
        output = await ask_tree(context, "All?", budget__calls=calls)
        assert len(script.asked) == min(calls, 36) == output["usage"]["model_calls"]
        assert output["truncated"] is (calls < 36)
        assert output["answer"] in {"aggregate: All?", "read: All?"}
        assert all(node["reason"] for node in nodes(output).values() if node["verdict"] != "open")

    async def test_a_budget_of_tokens_ends_the_growth(
        self, context: Context, comparison: Script
    ) -> None:
        output = await ask_tree(context, budget__tokens=1)
        assert comparison.asked == [("split", ROOT), ("read", ROOT)]
        assert output["truncated"] is True
