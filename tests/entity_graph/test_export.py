"""An exported entity graph is read back by those it is made for."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx
import pytest

from hopyard.indexes.exporting import NEO4J_FILES, write_graphml, write_neo4j
from hopyard.indexes.kinds.entity_graph.export import export_of
from hopyard.indexes.kinds.entity_graph.graph import EntityGraph

from .made_graph import SENSES, SYNONYMS, TEXTS, graph_of, read


@pytest.fixture
def graph(tmp_path: Path) -> EntityGraph:
    (tmp_path / "graph").mkdir()
    return graph_of(tmp_path / "graph", senses=SENSES, synonyms=SYNONYMS)


def test_graphml_holds_everything(graph: EntityGraph, tmp_path: Path) -> None:
    write_graphml(export_of(graph, read(sorted(TEXTS))), tmp_path / "g.graphml")
    whole = networkx.read_graphml(tmp_path / "g.graphml")

    labels = {name: values["label"] for name, values in whole.nodes(data=True)}
    assert whole.nodes["entity:0"] == {
        "kind": "entity",
        "label": "Abraham Darby",
        "names": "abraham darby;darby",
        "passages": 2,
    }
    assert whole.nodes["passage:zoo"] == {"kind": "passage", "label": "Zoo"}
    assert len(whole) == graph.entities + len(TEXTS)
    edges = {
        (labels[start], labels[end], *values.values())
        for start, end, values in whole.edges(data=True)
        if values["kind"] != "mention"
    }
    assert edges == {
        ("Iron Bridge", "SEVERN", "fact", "crosses", "bridge"),
        ("Abraham Darby", "Iron Bridge", "fact", "built", "bridge"),
        ("Abraham Darby", "Iron Bridge", "fact", "built", "darby"),
        ("Abraham Darby", "Dudley", "fact", "was born in", "darby"),
        ('<b>Stone</b> & "Bridge"', "SEVERN", "fact", "crosses", "stone"),
        ("Dudley", "Iron Bridge", "synonym", 0.81),
        ("Iron Bridge", "SEVERN", "synonym", 0.9),
    }
    mentions = {
        (labels[start], end): values["count"]
        for start, end, values in whole.edges(data=True)
        if values["kind"] == "mention"
    }
    assert len(mentions) == 11
    assert sum(mentions.values()) == len(graph.files.mentions)
    assert mentions["Abraham Darby", "passage:darby"] == 2
    assert mentions["SEVERN", "passage:stone"] == 1


def test_neo4j_has_a_row_for_each_node_and_edge(graph: EntityGraph, tmp_path: Path) -> None:
    write_neo4j(export_of(graph, read(sorted(TEXTS))), tmp_path)
    nodes, relationships = (read_csv(tmp_path / name) for name in NEO4J_FILES)
    assert nodes[0] == ["nodeId:ID", "kind", "label", "names:string[]", "passages:int", ":LABEL"]
    assert nodes[1] == [
        "entity:0", "entity", "Abraham Darby", "abraham darby;darby", "2", "Entity"
    ]  # fmt: skip
    assert nodes[-1] == ["passage:zoo", "passage", "Zoo", "", "", "Passage"]
    assert relationships[0] == [
        ":START_ID", ":END_ID", "kind", "count:int", "relation", "passage", "cosine:double", ":TYPE"
    ]  # fmt: skip
    assert relationships[2] == [
        "entity:0", "passage:darby", "mention", "2", "", "", "", "MENTIONED_IN"
    ]  # fmt: skip
    assert relationships[-1] == [
        "entity:4", "entity:5", "synonym", "", "", "", "0.9", "SYNONYM"
    ]  # fmt: skip
    assert {row[-1] for row in relationships[1:]} == {"MENTIONED_IN", "FACT", "SYNONYM"}
    ids = {row[0] for row in nodes[1:]}
    assert {end for row in relationships[1:] for end in row[:2]} <= ids


def read_csv(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))
