"""The passages that are read for one search: those found, and more of their documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from long_reports import build_reports

from hopyard.models.embeddings import register_embedder
from hopyard.nodes.reading import find_to_read, more_to_read, tokens_to_read
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import Evidence
from hopyard.state.settings.fields import Context
from hopyard.testing.models import WordEmbedder

TEXT = "The crane of pier 12 lifts heavy crates"
ON_ALL_PAGES = "heavy crates for the town"


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


async def test_the_rest_of_the_page_follows_the_passages_found(
    index: Path, resources: Resources
) -> None:
    asked = run(index, resources, k=1, tokens=100)
    found = await find_to_read(asked, ON_ALL_PAGES)
    alone = await asked.try_find(ON_ALL_PAGES)
    assert found.evidence[:1] == alone.evidence
    first, *_, last = await asked.passages([unit["id"] for unit in found.evidence])
    assert (last.document_id, last.pages) == (first.document_id, first.pages)
    beside = [unit for unit in found.evidence if "on the page" in unit.get("why", "")]
    assert found.evidence[-1:] == beside[-1:]
    assert {unit["score"] for unit in beside} == {0.0}


async def test_three_quarters_of_the_tokens_are_for_the_next_passages_of_the_documents(
    index: Path, resources: Resources
) -> None:
    asked = run(index, resources, k=1, tokens=100)
    found = await find_to_read(asked, ON_ALL_PAGES)
    next_found = [unit for unit in found.evidence if "on the page" not in unit.get("why", "")]
    ranked = await asked.find(ON_ALL_PAGES, k=50)
    passages = await asked.passages([unit["id"] for unit in ranked])
    [document] = {each.document_id for each in passages[:1]}
    own = [each.id for each in passages if each.document_id == document]
    assert [unit["id"] for unit in next_found] == own[: len(next_found)]
    assert 1 < len(next_found) < len(found.evidence)
    assert (
        sum(len(passage.text) for passage in passages if passage.id in own[: len(next_found)])
        <= 300
    )


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
    found = (await asked.try_find(TEXT)).evidence
    rest = [unit["id"] for unit in await more_to_read(asked, "", found, tokens=4000)]
    assert rest
    assert await more_to_read(asked, "", found, tokens=4000, seen=rest) == []
    assert await more_to_read(asked, "", found, tokens=4) == []


def test_a_step_of_a_chain_reads_less(index: Path, resources: Resources) -> None:
    asked = run(index, resources)
    assert tokens_to_read(asked) == 4000
    assert tokens_to_read(asked, step=True) == 1300
    assert tokens_to_read(run(index, resources, tokens=2000), step=True) == 2000


async def test_passages_that_hardly_match_are_not_read(index: Path, resources: Resources) -> None:
    asked = run(index, resources, k=1)
    read = (await find_to_read(asked, TEXT)).evidence
    passages = await asked.passages([unit["id"] for unit in read])
    assert [each.pages for each in passages] == ["12", "12"]
    assert len(await asked.find(TEXT, k=50)) > 40


async def test_scores_below_zero_are_read_too(index: Path, resources: Resources) -> None:
    asked = run(index, resources, k=1)
    [best] = (await asked.try_find(TEXT)).evidence
    assert await more_to_read(asked, "", [Evidence(**{**best, "score": -2.0})], tokens=4000)
