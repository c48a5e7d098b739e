"""What a build gives to each index kind. Light to import, as `kind` is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from hopyard.indexes.threads import finish, in_thread
from hopyard.state.errors import UsageError
from hopyard.state.settings import Context, profile_of

if TYPE_CHECKING:  # numpy and SQLite, which a list of names must not cost
    from hopyard.indexes.snapshot import Snapshot
    from hopyard.indexes.vectors import StoredVectors
    from hopyard.models.call import ModelCaller
    from hopyard.models.embedder import Vectors
    from hopyard.models.prompt import OutputT, Prompt

__all__ = ("BuildContext", "BuildOptions", "ModelCall", "Progress", "silent")

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_WAITING: Final = 2
"""Tasks for each model call that may run: a freed place never waits for the next call."""
_PLACES: Final = 4
"""Calls at once where no chat model says how many it takes."""

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, the items done, and how many there are (0: not known yet). A build
calls it from several threads, one at a time."""


def silent(stage: str, done: int, total: int) -> None:
    """The progress callback that says nothing."""
    del stage, done, total


class ModelCall(Protocol):
    """Asks the run's chat model; the ledger answers what was asked before."""

    async def __call__(
        self, prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = ""
    ) -> OutputT:
        """Ask.

        Args:
            prompt: What to ask.
            values: What fills the prompt's template.
            step: What the call is about, such as a passage's id, for traces.

        Raises:
            BudgetExceededError: The budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """


@dataclass(frozen=True)
class BuildOptions:
    """What a build is asked for, besides documents.

    Attributes:
        settings: The settings of the build.
        embedding: What the vectors are kept under: the name of the embedding model
            (`Embedder.name`), with what it wants before a passage.
        dimension: Length of its vectors.
        language: The corpus's language, a key of `indexes.language.LANGUAGES`.
        keep: Whether documents are only added or removed. Then a kind stays as its last build made
            it, apart from the documents that changed.
        open_caller: Opens the chat model, or gives it again; None where no model may be asked. It
            may block.
    """

    settings: Context
    embedding: str
    dimension: int
    language: str = "en"
    keep: bool = False
    open_caller: Callable[[], ModelCaller] | None = None

    @property
    def caller(self) -> ModelCaller:
        """The chat model.

        Raises:
            UsageError: This build may ask none.
        """
        if self.open_caller is None:
            raise UsageError("No chat model was given to this build: give it a `caller`.")
        return self.open_caller()

    @property
    def places(self) -> int:
        """How many model calls may run at once."""
        if self.settings.concurrency or self.open_caller is None:
            return self.settings.concurrency or _PLACES
        return self.caller.provider.concurrency

    def calls_of(self, run: str, settings: Context | None = None) -> ModelCall:
        """A function that asks the chat model.

        Args:
            run: The run that the calls are counted to.
            settings: Settings that differ from the build's, such as the temperature.
        """

        async def call(
            prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = ""
        ) -> OutputT:
            asked = settings or self.settings
            caller, worded = await in_thread(lambda: self.caller), prompt.of(profile_of(asked))
            answer = caller.call(worded, values, asked, run, step=step)
            # A call that is paid for is finished, also when the build is cancelled.
            return await finish(asyncio.ensure_future(answer))

        return call


@dataclass(frozen=True)
class BuildContext:
    """What a kind is given to bring itself up to date.

    Methods of `corpus` block, and so does all that a kind computes: run it with `in_thread`.

    Attributes:
        corpus: The corpus of the new generation; `corpus.vectors(context.options.embedding)` gives
            the passages' vectors to a kind that needs them.
        index_directory: The index directory, where a kind may keep a file, named after what is in
            it, that outlives a killed build. Its folders belong to the build.
        directory: The kind's own folder in the new generation: there, and empty.
        previous: The kind's own folder in the last generation, to be read only; None where the
            kind is new.
        built: The folders of the kinds that it builds on, in the new generation, by name.
        options: What the build is asked for.
        run: The run that this kind's model calls are counted to.
        progress: Called as the work proceeds.
    """

    corpus: Snapshot
    index_directory: Path
    directory: Path
    previous: Path | None
    built: Mapping[str, Path]
    options: BuildOptions
    run: str
    progress: Progress
    _vectors: StoredVectors

    def call(self, settings: Context | None = None) -> ModelCall:
        """A function that asks the build's chat model.

        Args:
            settings: Settings that differ from the build's, such as the temperature.
        """
        return self.options.calls_of(self.run, settings)

    async def embed(self, texts: Sequence[str], *, namespace: str) -> Vectors:
        """The vectors [n, d] of some texts, in order.

        A vector is stored as soon as it is there, so no text is embedded twice, whatever becomes
        of the build. When the build ends, those that no kind has asked for are dropped.

        Args:
            texts: n texts; a text may be among them twice.
            namespace: What they are, such as `entities`. A kind of another package puts its name
                before it, as in `my-kind/entities`.

        Raises:
            ModelOutputError: The model gave something else than a unit vector for each.
        """
        stage = f"embed {namespace}"
        return await self._vectors.embed(
            texts, namespace, lambda done, total: self.progress(stage, done, total)
        )

    async def map(
        self, function: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT]
    ) -> list[ResultT]:
        """The results for all items, in order, as many at once as the chat model takes.

        The first error cancels the rest.
        """
        results: dict[int, ResultT] = {}
        waiting = enumerate(items)

        async def work() -> None:
            for place, item in waiting:
                results[place] = await function(item)

        workers = _WAITING * await in_thread(lambda: self.options.places)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(work())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [results[place] for place in sorted(results)]
