"""Searches measured beside each other, without a model call."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.evaluation.retrieval_only import DEPTHS, measure_retrieval
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.measures.questions import read_questions
from hopyard.models import embeddings
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.schemas import Evidence, passage_evidence
from hopyard.state.settings.fields import Context

from ..graphs.chain.script import BaselineScript
from ..graphs.conftest import CORPUS, Words
from ..graphs.hop.conftest import BRIDGES
from ..graphs.hop.drawn import Dialled, build_drawn
from .conftest import question


async def test_each_search_finds_what_it_finds(
    context: Context, questions_file: Path, script: BaselineScript
) -> None:
    told: list[tuple[str, int, int]] = []
    report = await measure_retrieval(
        "bridges", read_questions(questions_file), context, lambda *event: told.append(event)
    )
    assert script.asked == []
    assert list(report.searches) == ["dense", "hybrid", "mmr", "segments", "sparse"]
    assert (report.questions, report.documents, report.passages) == (3, 8, 8)
    for result in report.searches.values():
        recalls = [result.recall[k] for k in DEPTHS]
        assert recalls == sorted(recalls)
        assert result.interval_at_5.low <= result.recall[5] <= result.interval_at_5.high
        assert result.at_5["recall"] == pytest.approx(result.recall[5], abs=1e-4)
    assert report.searches["dense"].recall[20] == 1.0  # there are eight documents
    # q1 and q2 name their bridge, and the first document is it; q3 has two, one of them first.
    assert report.searches["sparse"].recall[1] == pytest.approx(2.5 / 3, abs=1e-4)
    assert told[2] == ("dense", 3, 3)


async def test_a_search_of_a_package_is_measured_beside_the_others(
    context: Context, questions_file: Path
) -> None:
    async def find(search: Search) -> list[Evidence]:
        return [passage_evidence("iron-bridge", 1.0)]

    SEARCHES.register(SearchMethod("always-iron", "One passage for all.", find))
    SEARCHES.register(SearchMethod("asks", "Asks a model.", find, asks_model=True))
    SEARCHES.register(SearchMethod("needy", "Needs more.", find, needs=("entities",)))
    try:
        report = await measure_retrieval("bridges", read_questions(questions_file), context)
    finally:
        for name in ("always-iron", "asks", "needy"):
            SEARCHES.unregister(name)
    assert set(report.searches) == {"dense", "hybrid", "mmr", "segments", "sparse", "always-iron"}
    # q1's document, and one of the two that q3 has.
    assert report.searches["always-iron"].recall[5] == pytest.approx(1.5 / 3, abs=1e-4)


async def test_the_walk_is_measured_where_there_is_a_graph(
    context: Context, questions_file: Path, script: BaselineScript, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    embeddings.register_embedder(Dialled.name, Dialled())
    drawn = build_drawn(tmp_path / "drawn", CORPUS, BRIDGES, Words())
    graph = context.model_copy(update={"index": str(drawn)})
    report = await measure_retrieval("bridges", read_questions(questions_file), graph)
    assert set(report.searches) == {"dense", "hybrid", "mmr", "passage-graph", "segments", "sparse"}
    assert report.searches["passage-graph"].recall[20] > 0.5
    assert script.asked == []


async def test_without_gold_there_is_nothing_to_measure(context: Context) -> None:
    with pytest.raises(UsageError, match="supporting_ids"):
        await measure_retrieval("none", [question()], context)
    with pytest.raises(IndexMissingError):
        nowhere = context.model_copy(update={"index": "/nowhere"})
        await measure_retrieval("none", [question(supporting_ids=["a"])], nowhere)
