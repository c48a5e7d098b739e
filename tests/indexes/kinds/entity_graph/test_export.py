"""An exported entity graph is read back by those it is made for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx
import pytest
from building import build
from conftest import WordEmbedder

from hopyard.cli.graph.commands import export_command
from hopyard.indexes.arrays.exporting import write_graphml
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
