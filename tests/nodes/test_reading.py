"""What the model reads for one search: the passages found, and the rest of their pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from long_reports import build_reports

from hopyard.models.embeddings import register_embedder
from hopyard.nodes.reading import find_to_read, rest_to_read
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context
from hopyard.testing.models import WordEmbedder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register_embedder("words", WordEmbedder())
    return build_reports(tmp_path_factory.mktemp("reports") / "index")


@pytest.fixture(scope="module")
def resources() -> Iterator[Resources]:
    with Resources() as resources:
        yield resources


def run(index: Path, resources: Resources, model: str = "openai:gpt-4.1", **retrieval: int) -> Run:
    settings = {"index": str(index), "embedding": "words", "model": model, "retrieval": retrieval}
    return Run("r", Context.model_validate(settings), resources)


async def read(asked: Run, text: str) -> list[tuple[str, str]]:
    """Document and page of what is read, without repeats."""
    found = await find_to_read(asked, text)
    passages = await asked.passages([unit["id"] for unit in found.evidence])
    return list(dict.fromkeys((passage.document_id, passage.pages) for passage in passages))


async def test_the_rest_of_the_page_follows_the_passages_found(
    index: Path, resources: Resources
) -> None:
    asked = run(index, resources, k=1)
    found = await find_to_read(asked, "The crane of pier 12 lifts heavy crates")
    alone = await asked.try_find("The crane of pier 12 lifts heavy crates")
    assert found.evidence[:1] == alone.evidence
    assert len(found.evidence) > 1
    assert await read(asked, "The crane of pier 12 lifts heavy crates") == [("report-2023", "12")]
    assert all(unit["score"] == 0.0 and "on the page" in unit["why"] for unit in found.evidence[1:])


async def test_the_tokens_of_the_setting_are_the_most_that_is_added(
    index: Path, resources: Resources
) -> None:
    assert (
        len((await find_to_read(run(index, resources, tokens=0), "cranes of piers")).evidence) == 5
    )
    assert (
        len((await find_to_read(run(index, resources, tokens=1), "cranes of piers")).evidence) == 5
    )
    assert len((await find_to_read(run(index, resources), "cranes of piers")).evidence) > 5


async def test_the_builtin_model_reads_only_what_is_found(
    index: Path, resources: Resources
) -> None:
    assert (
        len((await find_to_read(run(index, resources, "builtin"), "cranes of piers")).evidence) == 5
    )


async def test_what_was_read_before_is_not_read_again(index: Path, resources: Resources) -> None:
    asked = run(index, resources, k=1)
    found = (await asked.try_find("The crane of pier 12 lifts heavy crates")).evidence
    rest = [unit["id"] for unit in await rest_to_read(asked, found)]
    assert rest
    assert await rest_to_read(asked, found, seen=rest) == []
    assert await rest_to_read(asked, found, parts=1000) == []
