"""The bookkeeping of `tree` and `plan`: paths, order, merging, tasks, leaves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.types import Send

from hopyard.nodes.plan import tasks as plan
from hopyard.nodes.tree.tasks import next_tasks
from hopyard.state.sub_questions import (
    ROOT,
    because,
    child_paths,
    depth_of,
    in_order,
    leaves,
    merge_tree,
)
from hopyard.state.tree import TreeNode

sides = st.lists(st.sampled_from("12"), max_size=8)
paths = sides.map(".".join)


def node(path: str, status: Any = "done", **more: Any) -> TreeNode:
    return {"path": path, "question": f"{path or 'root'}?", "status": status, **more}  # type: ignore[typeddict-item]


def tree_of(*nodes: TreeNode) -> dict[str, TreeNode]:
    return {node["path"]: node for node in nodes}


def state(*nodes: TreeNode, truncated: bool = False) -> Any:
    return {"question": "root?", "run": "r", "tree": tree_of(*nodes), "truncated": truncated}


def sent(tasks: Any) -> list[tuple[str, str]]:
    assert all(isinstance(task, Send) for task in tasks)
    return [(task.node, task.arg["node"]["path"]) for task in tasks]


class TestPaths:
    @pytest.mark.parametrize(
        ("path", "children", "depth"),
        [("", ("1", "2"), 0), ("1", ("1.1", "1.2"), 1), ("2.1", ("2.1.1", "2.1.2"), 2)],
    )
    def test_by_hand(self, path: str, children: tuple[str, str], depth: int) -> None:
        assert child_paths(path) == children
        assert depth_of(path) == depth

    @given(path=paths)
    def test_a_child_is_one_deeper_and_knows_its_parent(self, path: str) -> None:
        first, second = child_paths(path)
        assert first != second
        assert depth_of(first) == depth_of(second) == depth_of(path) + 1
        assert first.rpartition(".")[0] == second.rpartition(".")[0] == path

    @given(found=st.sets(paths, max_size=40))
    def test_order_is_that_of_the_steps_of_each_path(self, found: set[str]) -> None:
        """Parents come first, and what lies under "1" comes before "2"."""
        ordered = [
            found["path"] for found in in_order(tree_of(*map(node, sorted(found, key=hash))))
        ]
        assert ordered == sorted(found, key=lambda path: path.split(".") if path else [])


class TestMerging:
    def test_a_node_written_anew_takes_its_place(self) -> None:
        old = tree_of(node(""), node("1"), node("2"))
        merged = merge_tree(old, tree_of(node("2", "to answer")))
        assert list(merged) == ["", "1", "2"]
        assert merged["2"]["status"] == "to answer"
        assert old["2"]["status"] == "done"

    def test_none_takes_a_node_away(self) -> None:
        merged = merge_tree(tree_of(node(""), node("1")), {"1": None, "2": None})
        assert list(merged) == [""]

    @given(st.lists(st.dictionaries(paths, st.none() | st.integers(0, 9)), max_size=4), st.data())
    def test_writes_to_different_nodes_may_come_in_any_order(
        self, updates: list[dict[str, int | None]], data: st.DataObject
    ) -> None:
        """Tasks of a level write each to nodes of their own: which ends first must not matter."""
        seen: set[str] = set()
        disjoint = []
        for update in updates:
            disjoint.append({path: value for path, value in update.items() if path not in seen})
            seen |= set(update)
        shuffled = data.draw(st.permutations(disjoint))
        merged: list[dict[str, Any]] = []
        for order in (disjoint, shuffled):
            tree: dict[str, Any] = {}
            for update in order:
                tree = merge_tree(tree, update)  # type: ignore[arg-type]
            merged.append(tree)
        assert merged[0] == merged[1]
        assert None not in merged[0].values()


class TestNextTasks:
    @pytest.mark.parametrize(
        ("nodes", "tasks"),
        [
            pytest.param([node("", "to split")], [("decompose", "")], id="a new root"),
            pytest.param([node("", "to answer")], [("answer_sub_question", "")], id="a whole root"),
            pytest.param(
                [node("", "to judge"), node("1", "to answer"), node("2", "to answer")],
                [("answer_sub_question", "1"), ("answer_sub_question", "2")],
                id="two halves to search for",
            ),
            pytest.param(
                [node("", "to judge"), node("1", "answered"), node("2", "to answer")],
                [("answer_sub_question", "2")],
                id="one half replaced: the branch waits",
            ),
            pytest.param(
                [node("", "to judge"), node("1", "answered"), node("2", "answered")],
                [("judge_branch", "")],
                id="both halves answered",
            ),
            pytest.param(
                [
                    node(""),
                    node("1", "to judge"),
                    node("1.1", "answered"),
                    node("1.2", "answered"),
                    node("2", "to split"),
                ],
                [("judge_branch", "1"), ("decompose", "2")],
                id="branches at different points",
            ),
        ],
    )
    def test_each_node_that_waits_has_a_task(
        self, nodes: list[TreeNode], tasks: list[tuple[str, str]]
    ) -> None:
        assert sent(next_tasks(state(*nodes))) == tasks

    def test_a_judge_is_sent_the_two_halves(self) -> None:
        halves = [node("1", "answered", answer="a"), node("2", "answered", answer="b")]
        (task,) = next_tasks(state(node("", "to judge"), *halves))
        assert task == Send(
            "judge_branch", {"run": "r", "node": node("", "to judge"), "read": halves}
        )

    def test_when_nothing_waits_the_leaves_are_put_together(self) -> None:
        assert next_tasks(state(node(""), node("1"), node("2"))) == "aggregate"

    def test_after_the_budget_nothing_grows(self) -> None:
        waiting = [node("", "to judge"), node("1", "answered"), node("2", "to answer")]
        assert next_tasks(state(*waiting, truncated=True)) == "aggregate"
        split = [node(""), node("1", "to split"), node("2", "to split")]
        assert next_tasks(state(*split, truncated=True)) == "aggregate"

    def test_after_the_budget_a_whole_root_is_still_answered(self) -> None:
        tasks = next_tasks(state(node("", "to answer"), truncated=True))
        assert sent(tasks) == [("answer_sub_question", "")]


class TestPlan:
    def test_a_part_waits_for_those_that_it_refers_to_and_reads_them(self) -> None:
        first, third = node("1", "to answer"), node("3", "to answer")
        second: Any = node("2", "to answer", needs=["1"])
        branch = node("", "to judge")
        assert sent(plan.next_tasks(state(branch, first, second, third))) == [
            ("answer_part", "1"),
            ("answer_part", "3"),
        ]
        first = node("1", "answered", answer="a")
        task = plan.next_tasks(state(branch, first, second, third))[0]
        assert task == Send(
            "answer_part", {"run": "r", "node": second, "read": [first], "whole": "root?"}
        )

    def test_a_branch_is_closed_with_all_that_lies_below_it(self) -> None:
        parts = [
            node("1", "answered", answer="a"),
            node("1.1", "answered"),
            node("2", "answered"),
            node("3", "answered"),
        ]
        [task] = plan.next_tasks(state(node("", "to judge"), *parts))
        assert task.arg["read"] == parts
        waiting = [*parts[:3], node("3", "to split")]
        assert sent(plan.next_tasks(state(node("", "to judge"), *waiting))) == [("split", "3")]

    def test_it_ends_with_the_budget(self) -> None:
        parts = [node("1", "answered"), node("2", "to answer")]
        assert plan.next_tasks(state(node("", "to judge"), *parts, truncated=True)) == "conclude"
        assert plan.next_tasks(state(node(""))) == "conclude"


class TestLeaves:
    def test_verdicts_decide(self) -> None:
        tree = tree_of(
            node("", verdict="split"),
            node("1", verdict="leaf", answer="a"),
            node("1.1", verdict="pruned", answer="b"),
            node("1.2", verdict="pruned", answer="c"),
            node("2", verdict="split", answer="d"),
            node("2.1", verdict="leaf", answer="e"),
            node("2.2", verdict="leaf", answer="f"),
        )
        assert [leaf["answer"] for leaf in leaves(tree)] == ["a", "e", "f"]

    def test_a_branch_that_was_never_judged_answers_for_itself(self) -> None:
        tree = tree_of(
            node("", verdict="split"),
            node("1", verdict="leaf", answer="a"),
            node("2", "to judge", answer="b"),
            node("2.1", "answered", answer="c"),
            node("2.2", "to answer"),
        )
        assert [leaf["answer"] for leaf in leaves(tree)] == ["a", "b"]

    def test_a_root_that_was_never_judged_is_answered_by_its_halves(self) -> None:
        tree = tree_of(
            node("", "to judge"), node("1", "answered", answer="a"), node("2", "to answer")
        )
        assert [leaf["answer"] for leaf in leaves(tree)] == ["a"]

    def test_a_root_alone(self) -> None:
        assert leaves(tree_of(node("", "to split"))) == []
        assert [leaf["path"] for leaf in leaves(tree_of(node("", answer="a")))] == [ROOT]


@pytest.mark.parametrize(
    ("told", "reason", "together"),
    [
        ("", "at full depth", "at full depth"),
        ("It failed.", "at full depth", "It failed; at full depth"),
        ("The budget is used up.", "The budget is used up.", "The budget is used up."),
    ],
)
def test_a_reason_does_not_hide_an_earlier_one(told: str, reason: str, together: str) -> None:
    assert because(node("1", reason=told), reason) == together
    assert because(node("1"), reason) == reason
