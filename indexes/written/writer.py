"""Ask the chat model about many sources, such as passages, and keep each answer at once.

A kind derives a `Writer`, which asks about one source, and a `WrittenStore`, which keeps the
answers. `write_missing` asks about every content without an answer. It stops when the budget is
used up, and fails when too many answers are unusable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from hopyard.indexes.build_context import BuildContext, BuildOptions, ModelCall
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.written.store import FAILED, Author, ContentT, Written, WrittenStore
from hopyard.models.prompt import Prompt
from hopyard.state.errors import BudgetExceededError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context, profile_of

__all__ = ("SourceT", "Writer", "write_missing")

SourceT = TypeVar("SourceT")

EVIDENCE: Final = 50
"""Sources asked about before a rate of failures is believed and the rest is spared."""


class Writer(ABC, Generic[SourceT, ContentT]):
    """How a kind asks the chat model about one source.

    Args:
        settings: The settings of the build.
    """

    prompt: ClassVar[Prompt[Any]]
    written: ClassVar[str]
    """What it writes, in the plural, such as `questions`."""
    sources: ClassVar[str] = "passages"
    """What it writes about, in the plural."""
    store: ClassVar[type[WrittenStore[Any]]]
    group: ClassVar[str]
    """The settings group that has `max_failure_rate`."""

    def __init__(self, settings: Context) -> None:
        self.settings: Final = settings

    @property
    @abstractmethod
    def max_failure_rate(self) -> float:
        """Maximum share of contents for which the model may write nothing usable."""

    @property
    @abstractmethod
    def sampling(self) -> Mapping[str, float]:
        """The settings of its calls that differ from the build's, such as the temperature."""

    @abstractmethod
    async def write(self, source: SourceT, call: ModelCall) -> tuple[str, ContentT]:
        """Ask about one source.

        Returns:
            The outcome, a word of the kind's own, and the content.

        Raises:
            ModelOutputError: The model gave nothing usable.
            BudgetExceededError: The budget is used up; what was paid for is in the ledger.
            ModelUnreachableError: The model does not answer.
        """

    @abstractmethod
    def nothing(self, source: SourceT) -> ContentT:
        """What stands in for a source for which the model wrote nothing usable."""

    def author(self, options: BuildOptions) -> Author:
        """Who would write in a build. It may open the chat model."""
        wording = self.prompt.of(profile_of(self.settings))
        return Author(wording.version, options.caller.provider.identity)

    @property
    def asking(self) -> Context:
        """The settings of its calls.

        A build has no closing call, so the place that a budget keeps for such a call is given back
        to it.
        """
        budget = self.settings.budget
        if budget.calls:
            budget = budget.model_copy(update={"calls": budget.calls + 1})
        return self.settings.model_copy(update={"budget": budget, **self.sampling})


async def write_missing(
    context: BuildContext,
    store: WrittenStore[ContentT],
    writer: Writer[SourceT, ContentT],
    contents: Mapping[str, str],
    read: Callable[[str], SourceT],
    accepted: Collection[Author] = (),
    *,
    total: int = 0,
) -> None:
    """Ask about every content that has no row by the build's author, and keep the answers.

    A build that keeps its index (`BuildOptions.keep`) accepts the rows of every author.

    Args:
        context: The build, which may ask a model.
        store: Gets each answer as soon as it is there, and the failures at the end.
        writer: Asks.
        contents: Content hash of each source, by the source's id, such as the passage's.
        read: Fetches a source by its id. It may block.
        accepted: Further authors whose rows need no other.
        total: Number of contents that the allowed rate of failures refers to, if `contents` are a
            part of them.

    Raises:
        ModelUnreachableError: The model stopped answering; what is written is kept.
        ModelOutputError: Too large a share of the sources failed; the others are kept.
    """
    author = await in_thread(writer.author, context.options)
    enough = {author, *accepted}
    there = {
        content_hash
        for content_hash, other in (await in_thread(store.authors)).items()
        if context.options.keep or other in enough
    }
    holders: dict[str, str] = {}
    for source_id, content_hash in contents.items():
        holders.setdefault(content_hash, source_id)
    missing = [_Missing(*holder) for holder in holders.items() if holder[0] not in there]
    if missing:
        await in_thread(store.add_run, context.run)
    writing = _Writing(context, store, writer, author, max(total, len(holders)), read)
    await writing.run(missing)
    await in_thread(store.put, writing.failed.items(), context.corpus.generation)


class _Missing(NamedTuple):
    """A content that has no row yet, and a source that holds it."""

    content_hash: str
    source_id: str


@dataclass
class _Writing(Generic[SourceT, ContentT]):
    """One round of asking. `run` does it; afterwards the fields tell how it went."""

    context: BuildContext
    store: WrittenStore[ContentT]
    writer: Writer[SourceT, ContentT]
    author: Author
    contents: int
    """Distinct contents in the corpus, those that have a row included."""
    read: Callable[[str], SourceT]
    asked: int = 0
    failed: dict[str, Written[ContentT]] = field(default_factory=dict)
    """The contents of which nothing usable came, by hash; kept by nobody until the caller does."""
    _total: int = 0
    _stopped: bool = False
    """Whether the budget ended it."""
    _error: ModelUnreachableError | None = None
    _why: str = ""

    async def run(self, missing: Sequence[_Missing]) -> None:
        self._total = len(missing)
        self._call = self.context.call(self.writer.asking)
        await self.context.map(self._write, missing)
        if self._error is not None:
            raise self._error
        if self._too_many_failed or self._failing:
            raise self._failure()

    async def _write(self, missing: _Missing) -> None:
        # Whoever stops the round lets the calls under way end: they are paid for.
        if self._stopped or self._error is not None or self._failing:
            return
        self._tell()
        source = await in_thread(self.read, missing.source_id)
        try:
            written = Written(self.author, *await self.writer.write(source, self._call))
        except BudgetExceededError:
            self._stopped = True
        except ModelOutputError as error:
            self.asked += 1
            nothing = self.writer.nothing(source)
            self.failed[missing.content_hash] = Written(self.author, FAILED, nothing)
            self._why = self._why or str(error)
        except ModelUnreachableError as error:
            self._error = self._error or error
        else:
            self.asked += 1
            generation = self.context.corpus.generation
            await in_thread(self.store.put, [(missing.content_hash, written)], generation)
        self._tell()

    def _tell(self) -> None:
        self.context.progress(self.writer.written, self.asked, self._total)

    @property
    def _failing(self) -> bool:
        """Whether what was asked so far says that the rest would fail too."""
        allowed = self.writer.max_failure_rate * self.asked
        return self.asked >= EVIDENCE and len(self.failed) > allowed

    @property
    def _too_many_failed(self) -> bool:
        """Whether too large a share of the whole index failed: one addition may fail alone."""
        return len(self.failed) > self.writer.max_failure_rate * self.contents

    def _failure(self) -> ModelOutputError:
        rate = f"{self.writer.group}.max_failure_rate"
        return ModelOutputError(
            f"The prompt {self.writer.prompt.name!r} (version {self.author.version}) failed for "
            f"{len(self.failed)} of {self.asked} {self.writer.sources}, more than "
            f"{rate}={self.writer.max_failure_rate:g} allows; finished {self.writer.written} are "
            f"kept: use a larger model with --model, or allow more failures with --set {rate}=0.5. "
            f"The first failure: {self._why}"
        )
