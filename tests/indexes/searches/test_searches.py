"""The search methods of Hopyard's own, over a small index."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES, Kept, Search, SearchMethod
from hopyard.models.cross_encoder import PairScorer
from hopyard.models.embedder import Embedder, Vector
from hopyard.prompts.expand import Place
from hopyard.state.errors import (
    BudgetExceededError,
    IndexMissingError,
    ModelOutputError,
    ModelUnreachableError,
    UsageError,
)
from hopyard.state.schemas import Evidence, passage_evidence
from hopyard.state.settings.fields import Context

Find = Callable[..., Any]


@pytest.fixture
async def index(
    directory: Path, embedder: Embedder, make_documents: Callable[[int], list[Document]]
) -> Any:
    await build(make_documents(40), directory=directory, embedder=embedder)
    with Index.open(directory, embedder) as index:
        yield index


@pytest.fixture
def find(index: Index, embedder: Embedder) -> Find:
    """Search by a method; settings by name."""

    async def embed(text: str) -> Vector:
        return embedder.embed_query(text)

    async def find(
        method: str,
        text: str,
        k: int,
        *,
        call: Any = None,
        embed: Any = embed,
        kept: Kept | None = None,
        **settings: Any,
    ) -> list[Evidence]:
        context = Context.model_validate(settings)
        search = Search(text, k, index, context, embed, call, kept or Kept())
        found: list[Evidence] = await SEARCHES[method].run(search)
        return found

    return find


def ids(found: list[Evidence]) -> list[str]:
    return [unit["id"] for unit in found]


def scores(found: list[Evidence]) -> list[float]:
    return [unit["score"] for unit in found]


async def test_dense_is_by_cosine(find: Find, index: Index, embedder: Embedder) -> None:
    names, vectors = index.corpus.vectors("fake")
    cosines = vectors @ embedder.embed_query("mountain of river 11")

    found = await find("dense", "mountain of river 11", 5)

    assert ids(found) == [names[row] for row in np.argsort(-cosines, kind="stable")[:5]]
    assert scores(found) == pytest.approx(sorted(cosines)[:-6:-1], abs=1e-6)
    assert found[0]["kind"] == "passage"
    assert [unit["passages"] for unit in found] == [[unit["id"]] for unit in found]


async def test_sparse_embeds_nothing(find: Find) -> None:
    async def refuse(text: str) -> Vector:
        raise AssertionError(f"{text!r} was embedded")

    found = await find("sparse", "castle 33", 3, embed=refuse)

    assert ids(found)[0] == "d0033"
    assert scores(found) == sorted(scores(found), reverse=True)


async def test_hybrid_adds_up_both(find: Find, index: Index, embedder: Embedder) -> None:
    names, vectors = index.corpus.vectors("fake")
    cosines = vectors @ embedder.embed_query("castle of river")
    near = dict(zip(names, (cosines - cosines.min()) / np.ptp(cosines), strict=True))
    worded = await find("sparse", "castle of river", 40)
    words = {unit["id"]: unit["score"] / worded[0]["score"] for unit in worded}
    share = 0.25 * (1 + 1 / 11)  # of the words, where a document is one passage
    both = {name: (1 - share) * near[name] + share * words.get(name, 0.0) for name in names}

    found = await find("hybrid", "castle of river", 7)

    assert scores(found) == pytest.approx(sorted(both.values(), reverse=True)[:7], abs=0.05)
    assert scores(found) == sorted(scores(found), reverse=True)
    assert ids(found)[0] == max(both, key=both.__getitem__)


async def test_mmr_with_lambda_1_is_dense(find: Find) -> None:
    plain = await find("dense", "river of king", 6)
    found = await find("mmr", "river of king", 6, retrieval={"mmr_lambda": 1.0})

    assert ids(found) == ids(plain)
    assert scores(found) == pytest.approx(scores(plain))


async def test_mmr_spreads_out(find: Find, index: Index) -> None:
    vectors = dict(zip(*index.corpus.vectors("fake"), strict=True))

    def likeness(found: list[Evidence]) -> float:
        chosen = np.stack([vectors[name] for name in ids(found)])
        return float((chosen @ chosen.T).mean())

    wide = {"mmr_lambda": 0.3}
    spread = await find("mmr", "river of king", 5, retrieval=wide)

    assert likeness(spread) < likeness(await find("dense", "river of king", 5))
    assert all(type(score) is float for score in scores(spread))
    assert len(await find("mmr", "river of king", 30)) == 30


async def test_a_kind_that_is_missing_is_named_with_the_search(find: Find) -> None:
    with pytest.raises(IndexMissingError, match="no passage-graph part, which passage-graph needs"):
        await find("passage-graph", "river", 3)


@pytest.mark.parametrize("kinds", [["sparse"], ["sparse", "entity-graph"]])
async def test_hybrid_needs_no_vectors_of_passages(
    kinds: list[str],
    directory: Path,
    embedder: Embedder,
    make_documents: Callable[[int], list[Document]],
) -> None:
    await build(make_documents(10), directory=directory, embedder=embedder, kinds=kinds)
    with Index.open(directory, embedder) as index:

        async def found(method: str) -> list[Evidence]:
            search = Search("river of king", 3, index, Context(), None, None, Kept())  # type: ignore[arg-type]
            return await SEARCHES[method].run(search)

        assert await found("hybrid") == await found("sparse") != []


# Reranking


class Judge:
    """A chat model that judges passages by their titles."""

    def __init__(self, necessary: str, error: Exception | None = None) -> None:
        self.necessary = necessary
        self.error = error
        self.asked: list[Mapping[str, str]] = []

    async def __call__(self, prompt: Any, values: Mapping[str, str], *, step: str = "") -> Any:
        self.asked.append(values)
        if self.error is not None:
            raise self.error
        lines = values["passages"].splitlines()
        judged = ["necessary" if f" {self.necessary}:" in line else "irrelevant" for line in lines]
        return prompt.output(judgements=judged)


@pytest.fixture
def scorer(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A cross-encoder that likes long numbers, and which of them were loaded."""
    loaded: list[str] = []

    class Model:
        def predict(self, pairs: list[tuple[str, str]], **_: Any) -> list[float]:
            return [float("39" in text) + float("38" in text) / 2 for _, text in pairs]

    def load(self: PairScorer) -> None:
        loaded.append(self._name)
        self._model = Model()  # type: ignore[assignment]

    monkeypatch.setattr(PairScorer, "_load", load)
    return iter([loaded])


async def test_rerank_keeps_the_best_of_twice_as_many(
    find: Find, scorer: Iterator[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.searches.rerank._BASE", "sparse")
    wide = ids(await find("sparse", "number 38 39 castle", 8))
    found = await find("rerank", "number 38 39 castle", 4)

    assert ids(found)[:2] == ["d0039", "d0038"]
    assert scores(found) == [1.0, 0.5, 0.0, 0.0]
    # Equal scores keep the order of the search.
    assert ids(found)[2:] == [name for name in wide if name not in ("d0038", "d0039")][:2]


async def test_a_cross_encoder_is_loaded_once(find: Find, scorer: Iterator[Any]) -> None:
    kept = Kept()
    for _ in range(3):
        await find("rerank", "castle", 2, kept=kept, rerank={"model": "mine"})

    assert next(scorer) == ["mine"]


async def test_rerank_by_the_chat_model(find: Find) -> None:
    judge = Judge("Page 33")
    found = await find("rerank", "castle 33", 3, call=judge, rerank={"model": "chat"})

    assert (ids(found)[0], scores(found)) == ("d0033", [1.0, 0.0, 0.0])
    assert len(judge.asked[0]["passages"].splitlines()) == 6


async def test_the_chat_model_stands_in_for_a_cross_encoder_that_does_not_load(
    find: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The model is looked for first; the library takes four seconds to import.
    spec = ModuleSpec("sentence_transformers", None)
    library = SimpleNamespace(__spec__=spec, CrossEncoder=None)
    monkeypatch.setitem(sys.modules, spec.name, library)
    with pytest.raises(ModelUnreachableError, match="cross-encoder '/nowhere' cannot be loaded"):
        await find("rerank", "castle 33", 3, rerank={"model": "/nowhere"})

    judge = Judge("Page 33")
    found = await find("rerank", "castle 33", 3, call=judge, rerank={"model": "/nowhere"})

    assert ids(found)[0] == "d0033"
    assert len(judge.asked) == 1


async def test_the_chat_model_is_only_asked_where_it_may_be(find: Find) -> None:
    with pytest.raises(UsageError, match=r"rerank\.model=chat asks the chat model"):
        await find("rerank", "castle", 3, rerank={"model": "chat"})


@pytest.mark.parametrize("error", [ModelOutputError("garbage"), BudgetExceededError("no calls")])
async def test_without_a_judgement_the_order_of_the_search_stays(
    find: Find, error: Exception
) -> None:
    found = await find("rerank", "castle", 3, call=Judge("", error), rerank={"model": "chat"})

    assert found == await find("dense", "castle", 3)


async def test_expand_searches_for_the_words_that_the_model_names_too(find: Find) -> None:
    place = Place(place="castle", labels=["Page 33", "33"], about="")

    async def call(prompt: Any, values: Mapping[str, str]) -> Place:
        assert values == {"question": "fortress"}
        return place

    found = await find("expand", "fortress", 3, call=call)

    assert found == await find("hybrid", f"fortress {place.words}", 3)
    assert ids(found)[0] == "d0033"
    with pytest.raises(UsageError, match="expand asks the chat model"):
        await find("expand", "fortress", 3)


@pytest.mark.parametrize("error", [ModelOutputError("garbage"), BudgetExceededError("no calls")])
async def test_without_the_model_s_words_expand_is_hybrid(find: Find, error: Exception) -> None:
    found = await find("expand", "castle", 3, call=Judge("", error))

    assert found == await find("hybrid", "castle", 3)


async def test_a_method_of_a_program_s_own(find: Find) -> None:
    async def first(search: Search) -> list[Evidence]:
        return [passage_evidence("d0000", 1.0)]

    SEARCHES.register(SearchMethod("first", "Always the first passage.", first))
    try:
        assert ids(await find("first", "anything", 3)) == ["d0000"]
    finally:
        SEARCHES.unregister("first")
