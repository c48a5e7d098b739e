"""An exported entity graph is read back by those it is made for."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import networkx
import pytest
from building import build
from conftest import WordEmbedder

from hopyard.cli.graph.commands import export_command
from hopyard.indexes.arrays.exporting import NEO4J_FILES, write_graphml, write_neo4j
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kinds.entity_graph.find.extraction import Described, Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.assemble import PassageRow
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.graph.graph_files import element_fields
from hopyard.indexes.kinds.entity_graph.read.export import export_of

from .made_graph import SENSES, SYNONYMS, TEXTS, graph_of, made_files, read


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


# Elements and communities

DESCRIBED = {
    "one": Extraction(
        mentions=(Mention(name="Alba", sentence=0), Mention(name="Bert", sentence=0)),
        facts=(
            Fact(subject="Alba", relation="met", object="Bert", sentence=0, description="At sea.",
                 strength=7.5),
        ),
        entities=(
            Described(name="Alba", type="person", description="She swims; she sings."),
            Described(name="Bert", type="cat", description="He sleeps."),
        ),
    ),
    "two": Extraction(
        mentions=(Mention(name="Alba", sentence=0), Mention(name="Cora", sentence=0)),
        facts=(Fact(subject="Alba", relation="knows", object="Cora", sentence=0),),
        entities=(Described(name="Alba", type="person", description="Alba has a boat in Oslo."),),
    ),
}  # fmt: skip
COMMUNITIES = (("0-0", "1-1"), ("0-0", "1-0", "2-0"), ("0-1",))
"""Alba leaves the tree at level 1 and Cora at level 0."""


@pytest.fixture
def described(tmp_path: Path) -> EntityGraph:
    folder = tmp_path / "described"
    folder.mkdir()
    rows = [PassageRow(name, name, name, name.title()) for name in DESCRIBED]
    entities = {"alba": 0, "bert": 1, "cora": 2}
    elements = element_fields(rows, DESCRIBED, lambda name, _: entities[name])
    replace(made_files(rows, DESCRIBED), **elements).save(folder)
    return EntityGraph.load(folder)


def test_elements_and_communities_are_in_graphml(described: EntityGraph, tmp_path: Path) -> None:
    write_graphml(export_of(described, read([]), COMMUNITIES), tmp_path / "g.graphml")
    whole = networkx.read_graphml(tmp_path / "g.graphml")
    nodes = {values["label"]: values for _, values in whole.nodes(data=True) if values}
    assert nodes["Alba"] == {
        "kind": "entity",
        "label": "Alba",
        "names": "alba",
        "passages": 2,
        "type": "person",
        "description": "Alba has a boat in Oslo. She swims; she sings.",
        "community_0": "0-0",
        "community_1": "1-1",
        "community_2": "1-1",
    }
    assert [nodes[name].get("type") for name in ("Bert", "Cora")] == ["cat", None]
    levels = [f"community_{level}" for level in range(3)]
    assert [nodes["Bert"][level] for level in levels] == ["0-0", "1-0", "2-0"]
    assert [nodes["Cora"][level] for level in levels] == ["0-1", "0-1", "0-1"]
    facts = {
        values["relation"]: (values["description"], values["strength"])
        for *_, values in whole.edges(data=True)
        if values["kind"] == "fact"
    }
    assert facts == {"met": ("At sea.", 7.5), "knows": ("", 1.0)}


def test_elements_and_communities_are_columns_of_neo4j(
    described: EntityGraph, tmp_path: Path
) -> None:
    write_neo4j(export_of(described, read([]), COMMUNITIES[:1] * 3), tmp_path)
    nodes, relationships = (read_csv(tmp_path / name) for name in NEO4J_FILES)
    assert nodes[0][-5:] == ["type", "description", "community_0", "community_1", ":LABEL"]
    assert nodes[2][-5:] == ["cat", "He sleeps.", "0-0", "1-1", "Entity"]
    assert nodes[3][-5:] == ["", "", "0-0", "1-1", "Entity"]
    assert relationships[0][-3:] == ["description", "strength:double", ":TYPE"]
    assert [row[-3:] for row in relationships if row[-1] == "FACT"] == [
        ["At sea.", "7.5", "FACT"],
        ["", "1.0", "FACT"],
    ]


def test_the_command_exports_the_communities_of_the_index(tmp_path: Path) -> None:
    build(
        [
            Document("a", "", "Then Alba Adler met Bert Brandt."),
            Document("b", "", "So it is Zanzibar."),
        ],
        directory=tmp_path / "index",
        embedder=WordEmbedder(),
        kinds=("dense", "entity-graph", "communities"),
    )
    export_command(tmp_path / "index", tmp_path / "g.graphml")
    nodes = networkx.read_graphml(tmp_path / "g.graphml").nodes(data=True)
    found = {values["label"]: values.get("community_0") for _, values in nodes if values["label"]}
    assert found == {"Alba Adler": "0-0", "Bert Brandt": "0-0", "Zanzibar": "0-1"}
