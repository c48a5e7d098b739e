"""The communities of an index: what the reader, the listing and `index show` tell, and changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from building import build, wait
from conftest import WordEmbedder

from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities import KIND
from hopyard.indexes.kinds.communities.index import CommunityIndex, save_reports
from hopyard.indexes.kinds.communities.records import Report
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.settings.fields import Context

KINDS = ("dense", "sparse", "entity-graph", "communities")
DOCUMENTS = [
    Document("iron", "Bridge", "The Iron Bridge crosses the River Severn. Abraham Darby cast it."),
    Document("darby", "Darby", "Abraham Darby worked in Coalbrookdale near the River Severn."),
    Document("rhine", "Rhine", "The Lorelei stands above the River Rhine. Clemens Brentano wrote."),
    Document("song", "Song", "Clemens Brentano and Heinrich Heine wrote about the Lorelei."),
    Document("alone", "Zanzibar", "Nobody knows Zanzibar."),
]


def make(directory: Path, documents: list[Document] = DOCUMENTS, **settings: object) -> Path:
    context = Context.model_validate({"communities": settings} if settings else {})
    build(
        documents,
        directory=directory,
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=KINDS,
        settings=context,
    )
    return directory


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("communities") / "index")


@pytest.fixture
def opened(directory: Path) -> Iterator[Index]:
    with Index.open(directory) as index:
        yield index


def labels(opened: Index, level: int = 0) -> list[set[str]]:
    graph: EntityGraph = opened.reader("entity-graph")
    found: CommunityIndex = opened.reader("communities")
    return [{graph.label(row) for row in each.entities} for each in found.at(level)]


def test_what_is_told_together_is_a_community(opened: Index) -> None:
    bridge, rhine = labels(opened)[:2]
    assert {"Iron Bridge", "Abraham Darby", "River Severn", "Coalbrookdale"} <= bridge | rhine
    assert not bridge & rhine
    assert {"Zanzibar"} in labels(opened)


def test_an_entity_is_in_a_community_of_each_level(opened: Index) -> None:
    found: CommunityIndex = opened.reader("communities")
    for entity in range(found.entities):
        path = found.of_entity(entity)
        assert [found.community(name).level for name in path] == list(range(len(path)))
        assert [found.community(name).parent for name in path] == ["", *path[:-1]]
        assert all(entity in found.community(name).entities for name in path)
        assert found.community(path[-1]).children == ()


def test_ids_titles_and_passages(opened: Index) -> None:
    found: CommunityIndex = opened.reader("communities")
    assert [each.id for each in found.at(0)] == [
        f"0-{number}" for number in range(len(found.at(0)))
    ]
    alone = next(each for each in found.at(0) if each.title == "Zanzibar")
    assert (alone.passages, len(alone.entities), found.report(alone.id)) == (1, 1, None)
    assert found.at(0)[0].passages == 2
    assert len(found.files.modularity) == found.levels
    with pytest.raises(UsageError, match="no community '7-0'"):
        found.community("7-0")
    with pytest.raises(UsageError, match=f"give one from 0 to {found.levels - 1}"):
        found.at(found.levels)


def test_a_report_gives_its_title(tmp_path: Path) -> None:
    folder = Index.open(make(tmp_path / "index")).kind_directory("communities")
    save_reports(folder, {"0-0": Report(community="0-0", title="Iron", summary="Old.", rating=5)})
    found = CommunityIndex.load(folder)
    assert found.community("0-0").title == "Iron"
    assert found.report("0-0") == Report(community="0-0", title="Iron", summary="Old.", rating=5)


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    folder = Index.open(make(tmp_path / "index")).kind_directory("communities")
    np.save(folder / "parent.npy", np.full(len(CommunityIndex.load(folder)), 99, np.int32))
    with pytest.raises(IndexMissingError, match=r"parent\.npy.*does not fit"):
        CommunityIndex.load(folder)


def test_index_show_tells_the_communities_of_a_passage(directory: Path, opened: Index) -> None:
    shown = KIND.derived(opened.kind_directory("communities"), ["alone", "iron"])
    found: CommunityIndex = opened.reader("communities")
    name = next(each.id for each in found.at(0) if each.title == "Zanzibar")
    assert shown["alone"] == {"communities": [f"{name} Zanzibar"]}
    assert len(shown["iron"]["communities"]) >= 1


def test_an_addition_clusters_again(tmp_path: Path) -> None:
    index = make(tmp_path / "index")
    more = Document("stone", "Stone", "Zanzibar has a Stone Town. Freddie Mercury left Zanzibar.")
    wait(building.add([more], directory=index, embedder=WordEmbedder()))
    with Index.open(index) as opened:
        assert any({"Zanzibar", "Freddie Mercury"} <= names for names in labels(opened))
    wait(building.remove(["stone"], directory=index))
    with Index.open(index) as opened, Index.open(make(tmp_path / "fresh")) as fresh:
        assert labels(opened) == labels(fresh)


def test_an_update_keeps_the_settings_and_a_build_takes_new_ones(tmp_path: Path) -> None:
    index = make(tmp_path / "index", max_size=2)
    wait(building.remove(["alone"], directory=index))
    assert _status(index)["max_size"] == 2
    build(DOCUMENTS[:4], directory=index, embedder=WordEmbedder(), chunk_tokens=0, kinds=KINDS)
    status = _status(index)
    assert status["max_size"] == 10
    assert status["C0"].startswith("2 communities")


def _status(index: Path) -> dict[str, object]:
    with Index.open(index) as opened:
        return dict(KIND.status(opened.kind_directory("communities")))


def test_a_community_as_plain_values(opened: Index) -> None:
    found: CommunityIndex = opened.reader("communities")
    assert found.plain(found.at(0)[-1], opened.reader("entity-graph")) == {
        "id": found.at(0)[-1].id,
        "level": 0,
        "parent": "",
        "children": [],
        "entities": 1,
        "passages": 1,
        "title": "Zanzibar",
        "labels": ["Zanzibar"],
        "report": None,
    }
