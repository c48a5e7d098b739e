"""The contract of an index kind."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
import pytest_asyncio

from hopyard.indexes.building.build import BuildReport, add, build, estimate, remove
from hopyard.indexes.corpus.manifest import find_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS, IndexKind
from hopyard.models.calls.call import ModelCaller
from hopyard.nodes.resources import Resources
from hopyard.state.errors import IndexMissingError
from hopyard.testing.checkpoints import plain_values
from hopyard.testing.contract import MODEL, Contract, all_kinds
from hopyard.testing.models import ScriptedChat, WordEmbedder

__all__ = ("IndexKindContract",)

_NEW: Final = Document(
    "pontcysyllte",
    "Pontcysyllte Aqueduct",
    "The Pontcysyllte Aqueduct was opened in 1805. It carries a canal across the River Dee.",
)


@pytest.mark.asyncio
class IndexKindContract(Contract):
    """Contract tests of an index kind. Inherit it in a test class and set the attributes.

    Attributes:
        volatile: Files whose bytes may differ between builds of the same documents, such as
            statistics.
        new_document: A document that is added to the corpus and taken out again.
        exact_updates: Whether adding or removing documents gives the files of a fresh build. If
            not, the same updates of the same index give the same files.
    """

    kind: ClassVar[IndexKind]
    volatile: ClassVar[Sequence[str]] = ()
    new_document: ClassVar[Document] = _NEW
    exact_updates: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def registered(self) -> Iterator[None]:
        """The kind, by its name."""
        with KINDS.registered(self.kind):
            yield

    @pytest.fixture
    def caller(self, chat: ScriptedChat, resources: Resources) -> Callable[[], ModelCaller]:
        """Opens the chat model."""
        del chat
        return lambda: resources.caller(MODEL)

    @pytest_asyncio.fixture
    async def index(self, tmp_path: Path, caller: Callable[[], ModelCaller]) -> Path:
        """An index of the documents."""
        await self.build(tmp_path / "index", caller)
        return tmp_path / "index"

    async def build(
        self,
        directory: Path,
        caller: Callable[[], ModelCaller],
        documents: Sequence[Document] | None = None,
        **options: Any,
    ) -> BuildReport:
        """Build an index with the kind and all that it builds on."""
        return await build(
            self.documents if documents is None else documents,
            directory=directory,
            embedder=WordEmbedder(),
            chunk_tokens=0,
            kinds=all_kinds([self.kind.name]),
            settings=self.make_context(),
            caller=caller,
            **options,
        )

    def folder(self, directory: Path) -> Path:
        """The kind's folder in an index."""
        with Index.open(directory) as opened:
            return opened.kind_directory(self.kind.name)

    def files(self, directory: Path) -> dict[str, bytes]:
        """The kind's files in an index, without volatile files."""
        folder = self.folder(directory)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in self.volatile
        }

    async def test_the_kind_is_named_and_described(self) -> None:
        assert self.kind.name == self.kind.name.lower().replace("_", "-").strip()
        assert self.kind.about.endswith(".")
        assert set(self.kind.needs) <= set(KINDS)
        assert all(type(version) is str for version in self.kind.prompts.values())

    async def test_an_index_opens_its_reader(self, index: Path) -> None:
        with Index.open(index) as opened:
            assert opened.has(self.kind.name)
            reader = opened.reader(self.kind.name)
            assert opened.reader(self.kind.name) is reader
            assert self.kind.check(reader, opened.manifest.counts) == ""

    async def test_the_same_documents_give_the_same_files(
        self, index: Path, tmp_path: Path, caller: Callable[[], ModelCaller]
    ) -> None:
        backwards = list(reversed(self.documents))
        await self.build(tmp_path / "again", caller, backwards)
        assert self.files(tmp_path / "again") == self.files(index)
        assert self.files(index)

    async def test_a_build_without_changes_writes_nothing(
        self, index: Path, chat: ScriptedChat, caller: Callable[[], ModelCaller]
    ) -> None:
        chat.requests.clear()
        before = self.folder(index)
        report = await self.build(index, caller)
        assert not report.changed
        assert self.folder(index) == before
        assert chat.requests == []

    async def _add(self, directory: Path, caller: Callable[[], ModelCaller]) -> None:
        await add(
            [self.new_document],
            directory=directory,
            embedder=WordEmbedder(),
            settings=self.make_context(),
            caller=caller,
        )

    @pytest.mark.parametrize("adds", [True, False])
    async def test_a_document_that_is_added_or_removed_gives_the_same_files(
        self,
        index: Path,
        tmp_path: Path,
        chat: ScriptedChat,
        caller: Callable[[], ModelCaller],
        adds: bool,
    ) -> None:
        first, *others = self.documents

        async def update(directory: Path) -> None:
            if adds:
                await self._add(directory, caller)
            else:
                await remove([first.id], directory=directory, embedder=WordEmbedder)

        other = tmp_path / "other"
        shutil.copytree(index, other)
        chat.requests.clear()
        await update(index)
        assert len(chat.requests) <= len(self.documents) * adds  # it asks about what is new
        if self.exact_updates:
            shutil.rmtree(other)
            await self.build(
                other, caller, [*self.documents, self.new_document] if adds else others
            )
        else:
            await update(other)
        assert self.files(index) == self.files(other)

    async def test_a_changed_document_gives_what_a_fresh_build_gives(
        self, index: Path, tmp_path: Path, caller: Callable[[], ModelCaller]
    ) -> None:
        first, *others = self.documents
        documents = [replace(first, title=f"Old {first.title}"), *others]
        await self.build(index, caller, documents)
        await self.build(tmp_path / "fresh", caller, documents)
        assert self.files(index) == self.files(tmp_path / "fresh")

    async def test_a_cancelled_build_continues(self, index: Path, tmp_path: Path) -> None:
        told: list[str] = []
        with self._models(tmp_path / "counted") as (chat, caller):
            await self.build(
                tmp_path / "counted" / "index",
                caller,
                progress=lambda stage, done, total: told.append(stage),
            )
            asked = Counter(chat.requests)
        for moment in _moments(len(told)):
            directory = tmp_path / f"cancelled-{moment}" / "index"
            with self._models(directory.parent) as (chat, caller):
                await self._cancel_at(moment, directory, caller)
                await self.build(directory, caller)
                assert Counter(chat.requests) == asked, f"after progress {moment}"
            assert self.files(directory) == self.files(index)

    async def test_a_killed_build_continues(self, index: Path, tmp_path: Path) -> None:
        directory, told, killed = tmp_path / "running" / "index", 0, []

        def copy(stage: str, done: int, total: int) -> None:
            """Take what a kill would leave on the disk."""
            nonlocal told
            told += 1
            killed.append(tmp_path / f"killed-{told}")
            shutil.copytree(directory, killed[-1])

        with self._models(directory.parent) as (_, caller):
            await self.build(directory, caller, progress=copy)
            for moment in _moments(told):
                left = killed[moment - 1]
                assert find_manifest(left) is None
                await self.build(left, caller)
                assert self.files(left) == self.files(index)

    @contextmanager
    def _models(self, folder: Path) -> Iterator[tuple[ScriptedChat, Callable[[], ModelCaller]]]:
        """A chat model that nobody has asked yet, under a new ledger."""
        chat = ScriptedChat(type(self).answers)
        chat.register(MODEL)
        with Resources(folder / "home") as resources:
            yield chat, lambda: resources.caller(MODEL)

    async def _cancel_at(
        self, moment: int, directory: Path, caller: Callable[[], ModelCaller]
    ) -> None:
        """Cancel a build when it tells its progress for the nth time."""
        told, loop = 0, asyncio.get_running_loop()

        def stop(stage: str, done: int, total: int) -> None:
            nonlocal told
            told += 1
            if told == moment:
                loop.call_soon_threadsafe(building.cancel)

        building = asyncio.create_task(self.build(directory, caller, progress=stop))
        with pytest.raises(asyncio.CancelledError):
            await building

    async def test_status_is_plain(self, index: Path) -> None:
        list(plain_values(dict(self.kind.status(self.folder(index)))))
        assert self.kind.unfinished(self.folder(index)) == ""

    async def test_what_is_derived_from_a_passage_is_plain(self, index: Path) -> None:
        names = [document.id for document in self.documents]
        derived = self.kind.derived(self.folder(index), names)
        assert set(derived) <= set(names)
        list(plain_values({name: dict(values) for name, values in derived.items()}))

    async def test_an_estimate_is_plain_and_leaves_the_index_alone(
        self, index: Path, caller: Callable[[], ModelCaller]
    ) -> None:
        if not self.kind.asks_model:
            return
        before = self.files(index)
        _, estimates = await estimate(
            [*self.documents, self.new_document],
            directory=index,
            embedder=WordEmbedder(),
            caller=caller,
            chunk_tokens=0,
            kinds=all_kinds([self.kind.name]),
            settings=self.make_context(),
        )
        given = asdict(estimates[self.kind.name])
        list(plain_values(given))
        assert given["model_calls"] >= 0
        assert given["basis"]
        assert self.files(index) == before

    async def test_missing_files_are_named(self, index: Path, tmp_path: Path) -> None:
        empty = tmp_path / "empty"
        empty.mkdir()
        with pytest.raises(IndexMissingError):
            _close(self.kind.open(empty))

    async def test_damaged_files_are_named(self, index: Path, tmp_path: Path) -> None:
        names = [path.relative_to(self.folder(index)) for path in _files(self.folder(index))]
        refused = 0
        for number, name in enumerate(names):
            copy = tmp_path / f"damaged-{number}"
            shutil.copytree(self.folder(index), copy)
            half = (copy / name).read_bytes()
            (copy / name).write_bytes(half[: len(half) // 2])
            try:
                _close(self.kind.open(copy))
            except IndexMissingError:
                refused += 1
        assert refused, "every damaged file was opened without an error"


def _moments(told: int) -> list[int]:
    """The first, the middle and the last of so many moments, counted from 1."""
    return sorted({1, (told + 1) // 2, told})


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _close(reader: Any) -> None:
    if hasattr(reader, "close"):
        reader.close()
