"""An index keeps what its model wants before questions and passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import add, build
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.models.embedder import Instructions
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context

DOCUMENTS = [Document("a", "", "Tides rise."), Document("b", "", "The moon pulls.")]


@pytest.fixture
def instructed(embedder: Any) -> Any:
    embedder.instructions = Instructions("query: ", "passage: ")
    return embedder


async def test_passages_and_questions_are_embedded_with_it(
    directory: Path, instructed: Any, tmp_path: Path
) -> None:
    await build(DOCUMENTS, directory=directory, embedder=instructed)
    assert sorted(instructed.embedded) == ["passage: The moon pulls.", "passage: Tides rise."]
    manifest = read_manifest(directory)
    assert (manifest.embedding, manifest.query_instruction, manifest.passage_instruction) == (
        "fake",
        "query: ",
        "passage: ",
    )
    register_embedder("fake", instructed)
    with Resources(tmp_path / "home") as resources:
        run = Run("r", Context(index=str(directory), embedding="fake"), resources)
        assert (await run.embed("tides?") == instructed.embed_query("query: tides?")).all()


async def test_an_index_without_it_goes_on_without_until_it_is_built_again(
    directory: Path, embedder: Any
) -> None:
    await build(DOCUMENTS, directory=directory, embedder=embedder)
    embedder.instructions = Instructions("query: ", "passage: ")
    embedder.embedded.clear()

    await add([Document("c", "", "New.")], directory=directory, embedder=embedder)
    assert embedder.embedded == ["New."]
    assert read_manifest(directory).query_instruction == ""

    await build(DOCUMENTS, directory=directory, embedder=embedder)
    assert embedder.embedded[1:] == ["passage: The moon pulls.", "passage: Tides rise."]
    with Index.open(directory, embedder) as index:
        [best, *_] = index.reader("dense").search(embedder.embed_query("passage: Tides rise."), 2)
    assert best == ("a", pytest.approx(1))


async def test_another_query_instruction_embeds_nothing_again(
    directory: Path, instructed: Any
) -> None:
    await build(DOCUMENTS, directory=directory, embedder=instructed)
    instructed.embedded.clear()
    for text in ("Find: ", ""):
        settings = Context.model_validate({"indexing": {"query_instruction": text}})
        await build(DOCUMENTS, directory=directory, embedder=instructed, settings=settings)
        assert read_manifest(directory).query_instruction == text
    assert instructed.embedded == []
