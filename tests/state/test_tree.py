"""The tree of sub-questions: paths, order, leaves, and the reducer that merges its levels."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hopyard.state.tree import (
    ROOT,
    TreeNode,
    child_paths,
    depth_of,
    in_order,
    leaves,
    merge_tree,
)

PATHS = st.lists(st.sampled_from("12"), max_size=4).map(".".join)


def node(path: str, **more: object) -> TreeNode:
    return TreeNode(path=path, question=f"Q{path}?", phase="done", **more)


def tree(*nodes: TreeNode) -> dict[str, TreeNode]:
    return {one["path"]: one for one in nodes}


TREES = st.sets(PATHS).map(lambda paths: tree(*map(node, paths)))


def test_paths_grow_by_one_figure_a_level() -> None:
    assert child_paths(ROOT) == ("1", "2")
    assert child_paths("1.2") == ("1.2.1", "1.2.2")
    assert [depth_of(path) for path in (ROOT, "1", "1.2.1")] == [0, 1, 3]


@settings(max_examples=40)
@given(PATHS)
def test_a_child_is_one_level_deeper(path: str) -> None:
    for child in child_paths(path):
        assert depth_of(child) == depth_of(path) + 1


@settings(max_examples=40)
@given(TREES)
def test_parents_come_before_their_children(nodes: dict[str, TreeNode]) -> None:
    order = [one["path"] for one in in_order(nodes)]
    assert sorted(order) == sorted(nodes)
    for position, path in enumerate(order):
        assert not any(before.startswith(f"{path}.") for before in order[:position])


@settings(max_examples=40)
@given(TREES, TREES)
def test_tasks_of_one_level_merge_in_any_order(
    one: dict[str, TreeNode], other: dict[str, TreeNode]
) -> None:
    other = {path: value for path, value in other.items() if path not in one}
    assert merge_tree(one, other) == merge_tree(other, one)


@settings(max_examples=40)
@given(TREES)
def test_nothing_new_changes_nothing(nodes: dict[str, TreeNode]) -> None:
    assert merge_tree(nodes, {}) == nodes
    assert merge_tree(nodes, nodes) == nodes


def test_a_node_is_written_anew_and_taken_away() -> None:
    old = tree(node("1"), node("2"))
    merged = merge_tree(old, {"1": node("1", answer="yes"), "2": None})
    assert merged == tree(node("1", answer="yes"))
    assert set(old) == {"1", "2"}


def test_leaves_are_the_answered_ends_that_were_kept() -> None:
    nodes = tree(
        node(ROOT, verdict="split"),
        node("1", verdict="split", answer="old"),
        node("1.1", verdict="leaf", answer="a"),
        node("1.2", verdict="leaf", answer="b"),
        node("2", verdict="leaf", answer="c"),
    )
    assert [leaf["path"] for leaf in leaves(nodes)] == ["1.1", "1.2", "2"]


def test_a_simple_question_is_its_own_leaf() -> None:
    assert [leaf["path"] for leaf in leaves(tree(node(ROOT, verdict="leaf", answer="a")))] == [ROOT]


def test_an_empty_tree_has_no_leaf() -> None:
    assert leaves({}) == []
