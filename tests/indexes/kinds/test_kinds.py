"""What an index kind may rely on: the order of kinds, and what a build gives them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.indexes.building.build import build, estimate, remove
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS, BuildContext, BuildOptions, IndexKind, select_kinds
from hopyard.indexes.status import status
from hopyard.models.prompt import Output, Prompt
from hopyard.nodes.resources import Resources
from hopyard.state.errors import ModelOutputError, UsageError
from hopyard.state.settings.fields import Context

from ..builds import Fake, documents, index

__all__ = ("documents", "index")


class Found(IndexKind):
    """A kind that keeps what its `find` gives."""

    about = "A kind of the tests."

    async def find(self, context: BuildContext) -> list[Any]:
        raise NotImplementedError

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        found = await self.find(context)
        (context.directory / "found.json").write_text(json.dumps(found))
        return {self.name: len(found)}

    def open(self, directory: Path) -> list[Any]:
        found: list[Any] = json.loads((directory / "found.json").read_text())
        return found


class Titles(Found):
    """The titles, and what the build was given."""

    name = "titles"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.contexts: list[BuildContext] = []

    @property
    def prompts(self) -> Mapping[str, str]:
        return {"title": self.version}

    async def find(self, context: BuildContext) -> list[str]:
        self.contexts.append(context)
        passages = await in_thread(lambda: list(context.corpus.passages()))
        return sorted({passage.title for passage in passages})


class Initials(Found):
    """Builds on the titles, and embeds their first letters: the shape of the vectors."""

    name = "initials"
    needs = ("titles",)

    async def find(self, context: BuildContext) -> list[int]:
        titles = KINDS["titles"].open(context.built["titles"])
        letters = sorted({title[0] for title in titles})
        return list((await context.embed(letters, namespace="initials")).shape)


class Summary(Output):
    text: str


SUMMARY = Prompt("summary", 1, "Sum up.", "$passage", Summary, 64)


class Summaries(Found):
    """Asks the model about every passage."""

    name = "summaries"
    asks_model = True

    async def find(self, context: BuildContext) -> list[str]:
        call = context.call()

        async def sum_up(text: str) -> str:
            return (await call(SUMMARY, {"passage": text}, step=text)).text

        return await context.map(sum_up, [passage.text for passage in context.corpus.passages()])

    def status(self, directory: Path) -> Mapping[str, Any]:
        return {"model": "scripted", "texts": len(self.open(directory))}

    def unfinished(self, directory: Path) -> str:
        return "2 passages have no summary yet"


@pytest.fixture
def registered() -> Iterator[Callable[[IndexKind], None]]:
    """Register kinds until the test's end."""
    names: list[str] = []

    def register(*kinds: IndexKind) -> None:
        for kind in kinds:
            KINDS.register(kind)
            names.append(kind.name)

    yield register
    for name in names:
        KINDS.unregister(name)


Register = Callable[..., None]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["sparse", "dense", "sparse"], ["sparse", "dense"]),
        (["initials", "dense", "titles"], ["titles", "initials", "dense"]),
    ],
)
def test_kinds_are_found_each_once_after_those_that_they_build_on(
    registered: Register, wanted: list[str], found: list[str]
) -> None:
    registered(Titles(), Initials())
    assert [kind.name for kind in select_kinds(wanted)] == found


@pytest.mark.parametrize(
    ("wanted", "needs", "message"),
    [
        (["initials"], (), r"'initials' builds on 'titles': .* --with titles,initials"),
        (["titles", "initials"], ("initials",), "titles and initials build on each other"),
        (["dense", "spares"], (), "no index kind 'spares'; choose one of communities,"),
    ],
)
def test_kinds_that_cannot_be_built(
    registered: Register, wanted: list[str], needs: tuple[str, ...], message: str
) -> None:
    titles = Titles()
    titles.needs = needs  # type: ignore[misc]
    registered(titles, Initials())
    with pytest.raises(UsageError, match=message):
        select_kinds(wanted)


async def test_another_kind_plugs_in(
    index: Path, documents: list[Document], embedder: Fake, registered: Register
) -> None:
    async def rebuild(titles: Titles) -> None:
        registered(titles)
        kinds = ["dense", "titles"]
        await build(documents, directory=index, embedder=embedder, kinds=kinds)

    titles, newer = Titles(), Titles("2")
    await rebuild(titles)
    await rebuild(titles)  # nothing changed
    await rebuild(newer)

    assert [context.previous for context in titles.contexts] == [None]
    assert [context.previous for context in newer.contexts] == [index / "gen-0000002" / "titles"]
    manifest = read_manifest(index)
    assert (manifest.counts["titles"], manifest.prompts) == (10, {"title": "2"})
    with Index.open(index) as opened:
        assert opened.reader("titles") == sorted(f"Page {number}" for number in range(10))
    KINDS.unregister("titles")
    with pytest.raises(UsageError, match="no index kind 'titles'"):
        await remove(["d0001"], directory=index)


async def test_a_kind_builds_on_another_and_embeds(
    directory: Path, documents: list[Document], embedder: Fake, registered: Register
) -> None:
    registered(Titles(), Initials())
    stages: set[str] = set()

    async def rebuild(documents: list[Document]) -> None:
        await build(
            documents,
            directory=directory,
            embedder=embedder,
            kinds=["initials", "titles"],
            progress=lambda stage, done, total: stages.add(stage),
        )

    await rebuild(documents)
    assert embedder.embedded == ["P"]
    assert "embed initials" in stages
    with Index.open(directory) as opened:
        assert opened.reader("initials") == [1, 32]

    await rebuild([*documents, Document("x", "Xylophone", "A text.")])
    assert embedder.embedded == ["P", "X"]


async def sum_up(
    documents: list[Document], directory: Path, embedder: Fake, *, concurrency: int
) -> None:
    with Resources() as resources:
        await build(
            documents,
            directory=directory,
            embedder=embedder,
            kinds=["summaries"],
            settings=Context(model="scripted", concurrency=concurrency),
            caller=lambda: resources.caller("scripted"),
        )


async def test_a_kind_that_asks_the_model(
    directory: Path,
    documents: list[Document],
    embedder: Fake,
    registered: Register,
    model_server: ModelServer,
) -> None:
    registered(Summaries())
    model_server.answer = lambda title, messages: {"text": f"sum: {messages[-1]['content']}"}
    model_server.hold(until=4)
    model_server.delay = 0.02
    await sum_up(documents, directory, embedder, concurrency=4)

    with Index.open(directory) as opened:
        texts = [passage.text for passage in opened.corpus.passages()]
        assert opened.reader("summaries") == [f"sum: {text}" for text in texts]
    assert model_server.most_at_once() == 4
    found = status(directory)
    assert found.kinds == {"summaries": {"model": "scripted", "texts": 10}}
    assert (found.model, found.unfinished) == ("scripted", ("2 passages have no summary yet",))


async def test_a_build_without_a_model_says_so(
    directory: Path, documents: list[Document], embedder: Fake, registered: Register
) -> None:
    registered(Summaries())
    with pytest.raises(UsageError, match="No chat model was given to this build"):
        await build(documents, directory=directory, embedder=embedder, kinds=["summaries"])


async def test_the_first_error_ends_the_others(
    directory: Path,
    documents: list[Document],
    embedder: Fake,
    registered: Register,
    model_server: ModelServer,
) -> None:
    registered(Summaries())
    model_server.answer = lambda title, messages: "no JSON"
    with pytest.raises(ModelOutputError, match="prompt 'summary'"):
        await sum_up(documents, directory, embedder, concurrency=1)
    assert len(model_server.calls) <= 3


async def test_no_kind_in_an_estimate_asks_a_model(
    directory: Path, documents: list[Document], embedder: Fake
) -> None:
    with pytest.raises(UsageError, match="Nothing in dense, sparse needs a model"):
        await estimate(documents, directory=directory, embedder=embedder, caller=lambda: None)  # type: ignore[arg-type, return-value]


def test_settings_decide_how_many_calls_run_at_once() -> None:
    assert BuildOptions(Context(), "fake", 8).places == 4
    assert BuildOptions(Context(concurrency=7), "fake", 8).places == 7
