"""The contract of a search method."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES, SearchMethod
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.schemas import Evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing.contract import Contract
from hopyard.testing.corpus import LEDGERS, RECIPES
from hopyard.testing.evidence import check_evidence
from hopyard.testing.models import ScriptedChat

__all__ = ("SearchContract",)


def check_filtered(found: Sequence[Evidence], k: int, allowed: Set[str]) -> None:
    """See that k units match a filter, or that all passages that match it are found."""
    check_evidence(found, allowed)
    assert len(found) == k or (len(found) < k and set(passage_ids(found)) == allowed)
    scores = [unit["score"] for unit in found]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.asyncio
class SearchContract(Contract):
    """Contract tests of a search method. Inherit it in a test class and set the attributes.

    Attributes:
        finds: Texts, each with the id of a passage that must be among the first three found.

    If the method's index kinds ask the chat model, `answers` must also reply for documents other
    than `documents`: the tests of filters add some.
    """

    search: ClassVar[SearchMethod]
    finds: ClassVar[Mapping[str, str]]

    @pytest.fixture(autouse=True)
    def registered(self) -> Iterator[None]:
        """The method, by its name."""
        with SEARCHES.registered(self.search):
            yield

    @pytest.fixture(scope="class")
    @classmethod
    def index(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """An index of the documents, with the kinds that the method reads."""
        directory = tmp_path_factory.mktemp("contract") / "index"
        return asyncio.run(cls.build_index(directory, (*cls.search.needs, *cls.kinds)))

    @pytest.fixture(scope="class")
    @classmethod
    def long_index(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """An index with more passages than a search looks at, of which few match a filter."""
        directory = tmp_path_factory.mktemp("contract") / "long-index"
        kinds = (*cls.search.needs, *cls.kinds)
        return asyncio.run(cls.build_index(directory, kinds, (*LEDGERS, *RECIPES)))

    @pytest.fixture
    def run(self, index: Path, chat: ScriptedChat, resources: Resources) -> Run:
        """A run over the index, with the method as its search."""
        return Run("search", self.make_context(index), resources)

    async def find(self, run: Run, text: str, k: int = 3, **options: Any) -> list[Evidence]:
        """Search with the method."""
        return (await run.try_find(text, k=k, method=self.search.name, **options)).evidence

    async def test_it_finds_what_it_should(self, run: Run) -> None:
        for text, passage in self.finds.items():
            assert passage in passage_ids(await self.find(run, text)), text
        assert self.finds

    @pytest.mark.parametrize("k", [1, 2, 5, 100])
    async def test_it_gives_k_units_at_most_the_best_first_and_each_once(
        self, run: Run, k: int
    ) -> None:
        with Index.open(Path(run.settings.index)) as opened:
            passages = opened.corpus.passage_ids()
        for text in self.finds:
            found = await self.find(run, text, k)
            assert len(found) <= k
            check_evidence(found, passages)
            scores = [unit["score"] for unit in found]
            assert scores == sorted(scores, reverse=True)
            assert all(math.isfinite(score) for score in scores)

    async def test_the_same_text_finds_the_same(self, run: Run) -> None:
        for text in self.finds:
            assert await self.find(run, text) == await self.find(run, text)

    @pytest.mark.parametrize("text", ["Xylophone zyzzyva?", "?!", "桥", "a", "the the " * 500])
    async def test_any_text_can_be_searched_for(self, run: Run, text: str) -> None:
        with Index.open(Path(run.settings.index)) as opened:
            check_evidence(await self.find(run, text), opened.corpus.passage_ids())

    async def test_it_asks_the_model_only_if_it_says_so(self, run: Run, chat: ScriptedChat) -> None:
        for text in self.finds:
            await self.find(run, text)
        assert bool(chat.requests) is self.search.asks_model

    async def test_it_asks_no_model_where_none_may_be_asked(
        self, run: Run, chat: ScriptedChat
    ) -> None:
        for text in self.finds:
            try:
                await self.find(run, text, models=False)
            except UsageError:
                assert self.search.asks_model
        assert chat.requests == []

    @pytest.mark.parametrize("operator", ["=", "!="])
    async def test_a_filter_leaves_k_units_that_fit_it(self, run: Run, operator: str) -> None:
        titles = [document.title for document in self.documents[::2]]
        filtered = run.with_settings(where=Context(where={f"title{operator}": titles}).where)
        allowed = await filtered.allowed()
        assert allowed
        for text in self.finds:
            for k in (1, 2, 100):
                check_filtered(await self.find(filtered, text, k), k, allowed)

    async def test_a_filter_leaves_k_units_that_are_far_from_the_text(
        self, long_index: Path, resources: Resources
    ) -> None:
        titles = [document.title for document in RECIPES]
        settings = change_context(self.make_context(long_index), {"where": {"title": titles}})
        run = Run("search", settings, resources)
        allowed = frozenset(document.id for document in RECIPES)
        for text in ("Who signed the ledger of Quay Street for week 7?", "?!"):
            for k in (1, 3, len(allowed), 100):
                check_filtered(await self.find(run, text, k), k, allowed)

    async def test_a_missing_part_of_the_index_is_named(self, run: Run, tmp_path: Path) -> None:
        for number, need in enumerate(self.search.needs):
            others = [kind for kind in ("dense", "sparse") if kind != need]
            index = await self.build_index(tmp_path / f"without-{number}", others[:1])
            settings = change_context(run.settings, {"index": str(index)})
            without = Run("search", settings, run.resources)
            if need == "dense" and self.search.without_vectors:
                assert await self.find(without, next(iter(self.finds)))
                continue
            with pytest.raises(IndexMissingError, match=rf"\b{need}\b"):
                await self.find(without, next(iter(self.finds)))
