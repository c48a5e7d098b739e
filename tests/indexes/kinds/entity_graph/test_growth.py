"""Adding and removing touch their own parts only, and cost what a dry run says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus import vectors
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.documents.sync import Scope
from hopyard.indexes.kinds.entity_graph.find import extractions

from .find.library import PEOPLE, SUMMIT, Library, people

MORE = Document("d", "Rome", "Kim Jong-un and Alba Rossi met Donald Trump in Rome.")


@pytest.fixture(params=["rules", "model"])
def library(tmp_path: Path, request: pytest.FixtureRequest) -> Library:
    """An index of a few documents."""
    library = Library(tmp_path / "index", request.param)
    library.build(SUMMIT)
    return library


@pytest.fixture
def extracted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passages that the rules read."""
    read: list[str] = []
    extract = extractions.extract

    def counted(passage: Passage, *given: Any) -> Any:
        read.append(passage.id)
        return extract(passage, *given)

    monkeypatch.setattr(extractions, "extract", counted)
    return read


def test_an_addition_reads_and_embeds_only_what_is_new(
    library: Library, extracted: list[str]
) -> None:
    library.chat.requests.clear()
    library.embedder.embedded.clear()
    names = library.stats.names
    library.add(MORE)
    by_model = bool(library.asked)
    assert (extracted, dict(library.asked)) == (([], {"Rome": 1}) if by_model else (["d"], {}))
    new_facts = sum(fact.count(" is with ") for fact in library.embedder.embedded)
    assert new_facts == by_model
    assert len(library.embedder.embedded) == 1 + (library.stats.names - names) + new_facts


def test_what_is_added_and_removed_leaves_no_trace(library: Library, extracted: list[str]) -> None:
    before, counted = library.files, library.stats
    library.add(MORE)
    assert library.files != before
    extracted.clear()
    library.chat.requests.clear()
    library.remove("d")
    assert library.files == before
    assert (extracted, library.asked) == ([], {})
    same = {"written", "model"}
    assert library.stats.model_dump(exclude=same) == counted.model_dump(exclude=same)
    assert library.stats.model == counted.model


def test_the_rules_never_open_the_model(tmp_path: Path) -> None:
    """The caller of the library raises."""
    library = Library(tmp_path / "index", "rules")
    assert library.build(SUMMIT).usage["model_calls"] == 0
    library.build(SUMMIT)
    library.add(MORE)
    library.remove("d")
    passages, estimate = library.estimate_add(MORE)
    assert (passages, estimate.model, estimate.model_calls) == (4, "", 0)
    assert library.stats.model == ""


def test_rules_after_a_model_name_no_model(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "model")
    library.build(SUMMIT)
    assert library.stats.model == "scripted"
    library.build(SUMMIT, entity_graph={"builder": "rules"})
    assert library.stats.model == ""


@pytest.mark.parametrize(
    ("stage", "left", "left_names"),
    [("names", 6, 10), ("embed entity-graph/names", 0, 6)],
)
def test_a_killed_build_reads_and_embeds_nothing_twice(
    tmp_path: Path,
    extracted: list[str],
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    left: int,
    left_names: int,
) -> None:
    """A copy of the folder, taken while the build runs, is what a kill would leave."""
    monkeypatch.setattr(extractions, "_AT_ONCE", 4)
    monkeypatch.setattr(vectors, "BATCH", 4)
    whole, killed = (Library(tmp_path / name, "rules") for name in ("whole", "killed"))

    def copy(name: str, done: int, total: int) -> None:
        if (name, done) == (stage, 4):
            shutil.copytree(whole.directory, killed.directory)

    whole.build(people(10), progress=copy)
    extracted.clear()
    report = killed.build(people(10))
    assert len(extracted) == len(set(extracted)) == left
    assert report.embedded == 0, "the passages have their vectors"
    assert len(killed.embedder.embedded) == left_names
    assert killed.files == whole.files


# What it costs


@pytest.fixture
def asked(tmp_path: Path) -> Library:
    """An index of four people, written by the model."""
    library = Library(tmp_path / "index", "model")
    assert library.build(people(4)).usage["model_calls"] == 4
    return library


def test_an_addition_costs_what_its_dry_run_says(asked: Library) -> None:
    before = asked.files
    passages, estimate = asked.estimate_add(*people(10))
    assert (passages, estimate.spent_calls, estimate.model_calls) == (10, 4, 2)
    assert asked.files == before
    report = asked.add(*people(10))
    usage = report.usage
    assert (report.added, usage["model_calls"], usage["cached_calls"]) == (6, 2, 4)
    assert usage["input_tokens"] == estimate.input_tokens
    assert asked.asked == dict.fromkeys(PEOPLE, 1)


def test_an_unchanged_document_costs_nothing_and_a_changed_one_does(asked: Library) -> None:
    changed = replace(people(1)[0], text="Alba moved to Oslo.")
    passages, estimate = asked.estimate_add(changed, *people(4)[1:])
    assert (passages, estimate.spent_calls, estimate.model_calls) == (4, 1, 0)


def test_passages_that_a_budget_left_over_are_in_the_estimate(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "model")
    library.build(people(9), budget={"calls": 2})
    passages, estimate = library.estimate_add(*people(10)[9:])
    assert (passages, estimate.spent_calls, estimate.model_calls) == (10, 4, 4)


def test_another_model_reads_only_what_is_new(asked: Library) -> None:
    """An update keeps what every author has written, and so does its estimate."""
    asked.chat.register("other")
    _, estimate = asked.estimate_add(*people(5), model="other")
    assert estimate.details["unwritten"] == 1


def test_what_a_sync_removes_costs_nothing(asked: Library, tmp_path: Path) -> None:
    """Passages that a budget left over go with their documents."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "still-there.txt").write_text("A file.")  # so the folder's disk is mounted
    there = [replace(each, source=f"folder/{each.id}.txt") for each in people(10)[4:]]
    asked.add(*there, budget={"calls": 1})
    assert asked.stats.unread == 5
    unread = sum(each.title not in asked.asked for each in there[:2])
    passages, estimate = asked.estimate_add(*there[:2], scope=Scope([folder]))
    assert passages == 4 + 2
    assert estimate.details["unwritten"] == unread
