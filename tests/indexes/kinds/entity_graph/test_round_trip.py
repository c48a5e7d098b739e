"""The extractions of one index, exported and imported, give another index the same graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.cli.graph.commands import extractions_command

from .find.library import SUMMIT, Library, people


@pytest.mark.parametrize("builder", ["rules", "model"])
def test_an_export_gives_another_index_the_same_files(tmp_path: Path, builder: str) -> None:
    first = Library(tmp_path / "first", builder)
    first.build([*people(4), *SUMMIT])
    first.remove("alba")
    extractions_command(first.directory, tmp_path / "all.jsonl")
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 6

    second = Library(tmp_path / "second", "rules")
    second.build(
        [*people(4)[1:], *SUMMIT], entity_graph={"extractions": str(tmp_path / "all.jsonl")}
    )
    assert second.files == first.files
    assert second.stats.merges == first.stats.merges
    assert {author.model for author in second.stats.written.authors} == {"imported"}


def test_a_passage_that_was_not_read_is_left_out(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "model")
    library.build(people(4), budget={"calls": 3})
    extractions_command(library.directory, tmp_path / "all.jsonl")
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 3
