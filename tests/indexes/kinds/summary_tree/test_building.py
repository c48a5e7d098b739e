"""A tree that grows, shrinks and is written by a model that fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.summary_tree import KIND
from hopyard.indexes.kinds.summary_tree.building import _FEW, _MANY, expected_summaries
from hopyard.indexes.kinds.summary_tree.clustering import TOKENS
from hopyard.indexes.kinds.summary_tree.tree import Summary, SummaryTree
from hopyard.testing.models import GARBAGE, ScriptedChat, WordEmbedder

from ...built import Built

PORTS = ("Nordby", "Sund", "Vik", "Holm")


def report(port: str, number: int) -> Document:
    """A long report, so that two fill a cluster."""
    told = f"The port of {port} counted {number} barges with grain in week {number}. "
    more = f"In {port} the pilots of {port} rested, and {port} was quiet. "
    return Document(f"{port.lower()}-{number}", f"{port} {number}", told + more * 110)


REPORTS = [report(port, number) for port in PORTS for number in (1, 2)]


def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The first sentence of each line."""
    lines = re.findall(r"^\[(\d+)\] (.*?\.)", str(messages[-1]["content"]), re.MULTILINE)
    return {"sentences": [{"text": text, "lines": [int(number)]} for number, text in lines]}


class Library(Built):
    """An index with a summary tree."""

    kind = "summary-tree"
    kinds = ("dense", "summary-tree")

    def __init__(self, directory: Path, **settings: Any) -> None:
        super().__init__(directory, WordEmbedder(), profile="capable", **settings)
        self.chat = ScriptedChat(answer)
        self.chat.register("scripted")

    @property
    def tree(self) -> SummaryTree:
        """The tree."""
        tree: SummaryTree = KIND.open(self.folder)
        return tree


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / "index")
    made.build(REPORTS)
    return made


def by_children(tree: SummaryTree) -> Mapping[frozenset[str], Summary]:
    return {frozenset(summary.children): summary for summary in tree.at(1)}


def test_a_tree_ends_with_one_summary_and_every_sentence_is_in_its_passage(
    library: Library,
) -> None:
    tree = library.tree
    assert library.stats.layers == (4, 1)
    assert tree.leaves == {document.id for document in REPORTS}
    texts = {document.id: document.text for document in REPORTS}
    for summary in tree.summaries:
        for sentence in summary.sentences:
            assert sentence.text in str(texts[sentence.passages[0]])
    assert [summary.layer for summary in tree.above("vik-1")] == [1, 2]
    assert library.chat.requests == []


def test_an_addition_rewrites_only_the_summaries_above_it(library: Library) -> None:
    before = by_children(library.tree)
    library.add(report("Vik", 3))
    after = by_children(library.tree)
    assert len(before.keys() - after.keys()) == 1
    assert frozenset({"vik-1", "vik-2", "vik-3"}) in after
    # Its cluster has the same central sentences as before, so the root shows nothing new.
    assert (library.stats.rewritten, library.stats.updates) == (1, 1)


def test_a_removed_document_leaves_no_sentence(library: Library) -> None:
    library.remove("sund-1", "sund-2")
    told = [sentence for summary in library.tree.summaries for sentence in summary.sentences]
    assert all("Sund" not in each.text for each in told)
    assert not {"sund-1", "sund-2"} & library.tree.leaves


def test_a_build_after_updates_clusters_from_scratch(library: Library, tmp_path: Path) -> None:
    library.add(report("Vik", 3))
    library.build([*REPORTS, report("Vik", 3)])
    fresh = Library(tmp_path / "fresh")
    fresh.build([*REPORTS, report("Vik", 3)])
    assert library.tree.summaries == fresh.tree.summaries
    assert library.stats.updates == 0


def test_a_summary_names_the_passages_that_there_are_also_if_ids_change(library: Library) -> None:
    first, *others = REPORTS
    library.build([replace(first, id="nordby-0"), *others])
    tree = library.tree
    assert library.stats.rewritten == 0  # the same texts in the same order
    told = {name for each in tree.summaries for line in each.sentences for name in line.passages}
    assert told <= tree.leaves
    assert "nordby-0" in tree.leaves


def test_the_model_is_asked_about_what_changed_and_a_removal_is_told_by_rule(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path / "index", summary_tree={"writer": "model"})
    library.build(REPORTS)
    assert (len(library.chat.requests), library.stats.by_rule) == (5, 0)
    library.add(report("Vik", 3))
    assert len(library.chat.requests) == 5 + library.stats.rewritten
    before = library.stats.layers
    library.remove("sund-1")
    assert 0 < library.stats.by_rule < sum(before)
    assert KIND.unfinished(library.folder).endswith("without a summary by the model yet")
    library.add(report("Vik", 4))
    assert (library.stats.by_rule, KIND.unfinished(library.folder)) == (0, "")


def test_a_dry_run_gives_a_range_that_has_the_calls_of_the_build(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", summary_tree={"writer": "model"})
    mixed = [*REPORTS[::2], *REPORTS[1::2]]  # so no group of neighbours is a cluster
    _, found = library.estimate(mixed)
    asked = len(library.chat.requests)
    library.build(mixed)
    made = len(library.chat.requests) - asked
    assert (asked, made, found.model_calls) == (found.spent_calls, 5, 5)
    assert "8 passages give about 5 summaries, and the estimate is for 5" in found.basis


@pytest.mark.parametrize(
    ("passages", "layers"),
    [
        (239, (47, 9, 2, 1)),
        (400, (70, 11, 1)),
        (3740, (380, 70, 14, 3, 1)),
        (19694, (1509, 222, 48, 7, 1)),
    ],
)
def test_real_trees_are_within_the_range(passages: int, layers: tuple[int, ...]) -> None:
    tokens = 200 * passages
    fewest, most = (
        sum(expected_summaries(passages, tokens, TOKENS, *each)) for each in (_FEW, _MANY)
    )
    assert fewest <= sum(layers) <= most < 3 * fewest


@pytest.mark.usefixtures("one_attempt")
def test_a_summary_that_fails_is_made_by_rule(tmp_path: Path) -> None:
    library = Library(
        tmp_path / "index",
        summary_tree={"writer": "model"},
        writing={"max_failure_rate": 1},
    )
    library.chat.answers = {
        ("ClusterSummary", "Vik 1"): GARBAGE,
        ("ClusterSummary", "Sund 1"): {"sentences": [{"text": "A guess.", "lines": [99]}]},
        "ClusterSummary": {"sentences": [{"text": "Ports count barges.", "lines": [1, 99]}]},
    }
    library.build(REPORTS)
    tree = library.tree
    assert library.stats.by_rule == library.stats.written.failed > 0
    assert all(summary.sentences for summary in tree.summaries)
    assert "A guess." not in {told.text for each in tree.summaries for told in each.sentences}
