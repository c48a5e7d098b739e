"""The programs that an export is made for read it."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest

from hopyard.indexes.arrays.exporting import write_graphml
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles, GraphIndex, export_of
from hopyard.state.errors import UsageError

from .conftest import Library
from .script import people

AWKWARD = 'He said "no; yes",\nand\x00 left\u2028 <b>&amp;</b>\ufffe.'


def passage(name: str, text: str) -> Passage:
    return Passage(name, name, 0, f"Title of {name}", text, "", 3)


@pytest.fixture
def awkward() -> tuple[GraphIndex, list[Passage]]:
    """Two passages and two edges from the first to the second, with all that must be escaped."""
    files = GraphFiles(
        passages=["a;1", 'b"2'],
        edges=np.array([(0, 1, 0, 0.75), (0, 1, 1, 1 / 3)], dtype=EDGE_ROW),
        questions=Ragged.of_texts([AWKWARD, "Who?"]),
        vectors=np.eye(2, dtype=np.float32),
        vocabulary=Ragged.of_texts(["alba", "rock; roll"]),
        edge_keywords=Ragged.of([[0, 1], []], np.int32),
        passage_keywords=Ragged.of([[], []], np.int32),
    )
    return GraphIndex(files), [passage("a;1", AWKWARD), passage('b"2', "Plain.")]


def test_graphml_holds_awkward_texts(
    awkward: tuple[GraphIndex, list[Passage]], tmp_path: Path
) -> None:
    file = tmp_path / "new" / "graph.graphml"
    write_graphml(export_of(*awkward), file)

    read = networkx.read_graphml(file)
    assert isinstance(read, networkx.MultiDiGraph)
    clean = 'He said "no; yes",\nand left\u2028 <b>&amp;</b>.'
    assert read.nodes["a;1"] == {"title": "Title of a;1", "text": clean}
    first, second = read.edges["a;1", 'b"2', 0], read.edges["a;1", 'b"2', 1]
    assert first == {"question": clean, "keywords": "alba;rock, roll", "similarity": 0.75}
    assert (second["question"], second["similarity"]) == ("Who?", 1 / 3)
    assert not read.has_edge('b"2', "a;1")
    assert [each.name for each in file.parent.iterdir()] == ["graph.graphml"]


def test_a_built_graph_is_exported_whole(library: Library, tmp_path: Path) -> None:
    library.build(people(10))
    graph = library.opened()
    with Index.open(library.directory) as index:
        write_graphml(export_of(graph, index.corpus.passages()), tmp_path / "g")

    read = networkx.read_graphml(tmp_path / "g")
    wanted = sorted((edge.tail, edge.head, edge.question) for edge in graph)
    assert sorted(read.edges(data="question")) == wanted
    assert set(read.nodes) == set(graph.passage_ids)
    assert {text for _, text in read.nodes(data="text")} == {each.text for each in people(10)}


def test_a_place_that_cannot_be_written_is_named(
    awkward: tuple[GraphIndex, list[Passage]], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"cannot be written .* name another --out"):
        write_graphml(export_of(*awkward), tmp_path)
    assert list(tmp_path.iterdir()) == []
