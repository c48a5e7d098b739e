"""Names that a file keeps apart are not merged, in any later build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.resolve import apart
from hopyard.state.errors import IndexMissingError

from .find.library import SUMMIT, Library

PAIR = ("kim jong un", "kim jong-un")


def test_names_stay_apart_after_every_change(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "rules")
    library.build(SUMMIT)
    merged = library.stats.entities
    assert library.merges == {"kim jong-un": "kim jong un"}
    (library.directory / apart.APART_FILE).write_text(json.dumps([PAIR]))
    library.build(SUMMIT)
    assert (library.merges, library.stats.entities) == ({}, merged + 1)
    library.add(Document("d", "More", "Kim Jong-un met Kim Jong Un."))
    assert library.merges == {}
    library.remove("d")
    assert library.merges == {}
    assert library.stats.made_with.apart == (PAIR,)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / apart.APART_FILE).write_text('["a"]')
    with pytest.raises(IndexMissingError, match=r"apart\.json"):
        apart.read(tmp_path)
