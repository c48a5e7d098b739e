"""A recogniser that a package brings finds the names of the entity graph."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.finders import FINDERS, NameFinder
from hopyard.indexes.text.names import Name
from hopyard.state.errors import UsageError

from .library import Library

DOCUMENT = Document("hops", "Hops", "Some #hops and #barley grow near Oslo.")


def tags(text: str, language: str) -> list[Name]:
    """Words behind a number sign, in English alone."""
    found = re.finditer(r"(?<=#)\w+", text) if language == "en" else ()
    return [Name(*match.span(), match.group()) for match in found]


TAGS = NameFinder("tags", tags)


def names(library: Library) -> set[str]:
    graph = EntityGraph.load(library.folder)
    return {graph.label(row) for row in range(graph.entities)}


def test_its_name_is_a_builder(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "tags")
    with FINDERS.registered(TAGS):
        library.build([DOCUMENT])
        assert names(library) == {"Hops", "barley"}  # "hops" is the title
        [author] = library.stats.written.authors
        assert (author.version, author.model) == (1, "tags for en")
        assert library.build([DOCUMENT]).unchanged == 1
        library.add(Document("malt", "Malt", "It is #malt, from #barley."))
        assert names(library) == {"Hops", "barley", "Malt"}


def test_another_version_of_it_reads_the_passages_again(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "tags")
    with FINDERS.registered(TAGS):
        library.build([DOCUMENT])
    better = replace(TAGS, version=2, names_in=lambda text, language: tags(text, language)[:1])
    with FINDERS.registered(better):
        library.build([DOCUMENT])
    assert names(library) == {"Hops"}


def test_one_that_is_gone_is_named(tmp_path: Path) -> None:
    library = Library(tmp_path / "index", "tags")
    with pytest.raises(UsageError, match="no builder 'tags'"):
        library.build([DOCUMENT])
