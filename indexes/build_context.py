"""The context of a build, for index kinds. Light to import, as `kind` is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from hopyard.indexes.corpus.progress import Progress, silent
from hopyard.indexes.corpus.threads import finish, in_thread
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.rights import Rules

if TYPE_CHECKING:  # numpy and SQLite, which a list of names must not cost
    from hopyard.indexes.corpus.snapshot import Snapshot
    from hopyard.indexes.corpus.vectors import StoredVectors
    from hopyard.models.calls.call import ModelCaller
    from hopyard.models.embedder import Vectors
    from hopyard.models.prompt import OutputT, Prompt

__all__ = ("BuildContext", "BuildOptions", "ModelCall", "Progress", "silent")

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_WAITING: Final = 2
"""Tasks for each model call that may run: a freed place never waits for the next call."""
_PLACES: Final = 4
"""Calls at once where no chat model says how many it takes."""


class ModelCall(Protocol):
    """Calls the run's chat model. The ledger answers repeated calls."""

    async def __call__(
        self, prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = ""
    ) -> OutputT:
        """Ask.

        Args:
            step: The subject of the call for traces, such as a passage's id.

        Raises:
            BudgetExceededError: The budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """


@dataclass(frozen=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        embedding: The key of the vectors: the name of the embedding model (`Embedder.name`) and its
            passage prefix.
        dimension: Length of its vectors.
        language: The corpus's language, a key of `indexes.text.language.LANGUAGES`.
        keep: Whether the build only adds or removes documents. Then a kind changes only for these
            documents.
        clean: Whether no file may keep anything of removed passages.
        open_caller: Opens the chat model, or returns the open model. None if the build may not call
            a model. It may block.
        rights: The rules that say who may read a document.
    """

    settings: Context
    embedding: str
    dimension: int
    language: str = "en"
    keep: bool = False
    clean: bool = False
    open_caller: Callable[[], ModelCaller] | None = None
    rights: Rules = field(default_factory=dict)

    @property
    def caller(self) -> ModelCaller:
        """The chat model.

        Raises:
            UsageError: This build may not call a model.
        """
        if self.open_caller is None:
            raise UsageError("No chat model was given to this build: give it a `caller`.")
        return self.open_caller()

    @property
    def places(self) -> int:
        """The maximum number of parallel model calls."""
        if self.settings.concurrency or self.open_caller is None:
            return self.settings.concurrency or _PLACES
        return self.caller.provider.concurrency

    def calls_of(self, run: str, settings: Context | None = None) -> ModelCall:
        """Return a function that calls the chat model.

        Args:
            settings: Settings that differ from the build's, such as the temperature.
        """

        async def call(
            prompt: Prompt[OutputT], values: Mapping[str, str], *, step: str = ""
        ) -> OutputT:
            asked = settings or self.settings
            caller, worded = await in_thread(lambda: self.caller), prompt.for_model(asked)
            answer = caller.call(worded, values, asked, run, step=step)
            # A call that is paid for is finished, also when the build is cancelled.
            return await finish(asyncio.ensure_future(answer))

        return call


@dataclass(frozen=True)
class BuildContext:
    """The context in which a kind builds or updates itself.

    Methods of `corpus` block, and so do computations of a kind. Run them with `in_thread`.

    Attributes:
        corpus: The corpus of the new generation. `corpus.vectors(context.options.embedding)`
            returns the passages' vectors.
        index_directory: The index directory. A kind may keep a file there that survives a killed
            build. The folders belong to the build.
        directory: The kind's own folder in the new generation. It exists and is empty.
        previous: The kind's own folder in the last generation, read-only. None if the kind is new.
        extends: The same, if the change is small and the index so large that the kind should only
            read and write what has changed (`corpus.changed`). None otherwise.
        built: The folders of the kinds that it needs, in the new generation, by name.
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
    extends: Path | None = None

    def call(self, settings: Context | None = None) -> ModelCall:
        """Return a function that calls the build's chat model.

        Args:
            settings: Settings that differ from the build's, such as the temperature.
        """
        return self.options.calls_of(self.run, settings)

    async def embed(self, texts: Sequence[str], *, namespace: str) -> Vectors:
        """Return the vectors [n, d] of texts, in order.

        Each vector is stored at once, so no text is embedded twice, even after a killed build. At
        the end of the build, unused vectors are removed.

        Args:
            texts: n texts, possibly with duplicates.
            namespace: Kind of the texts, such as `entities`. In another package, prefix it with the
                kind's name, as in `my-kind/entities`.

        Raises:
            ModelOutputError: The model did not return a unit vector for each text.
        """
        stage = f"embed {namespace}"
        return await self._vectors.embed(
            texts, namespace, lambda done, total: self.progress(stage, done, total)
        )

    async def map(
        self, function: Callable[[ItemT], Awaitable[ResultT]], items: Iterable[ItemT]
    ) -> list[ResultT]:
        """Apply a function to all items in parallel, and return the results in order.

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
