"""Ask the chat model about many sources, such as passages, and keep each answer at once.

A kind derives a `Writer`, which asks about one source, and a `WrittenStore`, which keeps the
answers. A build opens the store with `open_texts`. `write_missing` asks about every content without
an answer. It stops when the budget is used up, and fails when too many answers are unusable.
`count_texts` counts what the build used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar, cast

from hopyard.indexes.build_context import BuildContext, BuildOptions, ModelCall
from hopyard.indexes.corpus.threads import enter_in_thread, in_thread
from hopyard.indexes.written.stats import WrittenCounts, add_calls
from hopyard.indexes.written.store import FAILED, Author, ContentT, Written, WrittenStore
from hopyard.models.ledger import ParseRate
from hopyard.models.prompt import Prompt
from hopyard.state.errors import BudgetExceededError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context, profile_of

SourceT = TypeVar("SourceT")
StoreT = TypeVar("StoreT", bound=WrittenStore[Any])
CountsT = TypeVar("CountsT", bound=WrittenCounts)

EVIDENCE: Final = 50
"""Sources asked about before a rate of failures is believed and the rest is spared."""


class Writer(ABC, Generic[SourceT, ContentT]):
    """How a kind asks the chat model about one source."""

    prompt: ClassVar[Prompt[Any]]
    written: ClassVar[str]
    """The texts that it writes, in the plural, such as `questions`."""
    sources: ClassVar[str] = "passages"
    """The sources, in the plural."""
    store: ClassVar[type[WrittenStore[Any]]]
    temperature: ClassVar[float] = 0.0
    """The sampling temperature."""

    def __init__(self, settings: Context) -> None:
        self.settings: Final = settings

    @property
    def max_failure_rate(self) -> float:
        """Maximum share of contents for which the model may write nothing usable."""
        return self.settings.writing.max_failure_rate

    @abstractmethod
    async def write(self, source: SourceT, call: ModelCall) -> tuple[str, ContentT]:
        """Ask about one source.

        Returns:
            The outcome, a word of the kind's own, and the content.
        """

    @abstractmethod
    def nothing(self, source: SourceT) -> ContentT:
        """The content for a source for which the model wrote nothing usable."""

    def author(self, options: BuildOptions) -> Author:
        """Who would write in a build. It may open the chat model."""
        wording = self.prompt.of(profile_of(self.settings))
        return Author(wording.version, options.caller.provider.identity)

    def has_finished(self, counts: WrittenCounts, options: BuildOptions) -> bool:
        """Whether a build would ask nothing and keep every text of the last generation.

        Args:
            counts: The counts of the last generation.
            options: The options of the build. One that keeps its index accepts every author.
        """
        if options.open_caller is None:
            return True
        if counts.missing:
            return False
        author = self.author(options)
        return options.keep or all(share.author == author for share in counts.authors)

    @property
    def asking(self) -> Context:
        """The settings of its calls.

        A build has no closing call, so the place that a budget keeps for such a call is given back
        to it.
        """
        budget = self.settings.budget
        if budget.calls:
            budget = budget.model_copy(update={"calls": budget.calls + 1})
        return self.settings.model_copy(update={"budget": budget, "temperature": self.temperature})


@asynccontextmanager
async def open_texts(
    context: BuildContext, store: type[StoreT], last: WrittenCounts
) -> AsyncIterator[StoreT]:
    """Open the store of a kind's texts, and drop those that no recent generation has used.

    Args:
        last: The counts of the last generation; the defaults in a first build.
    """
    async with enter_in_thread(lambda: store(context.index_directory)) as texts:
        await in_thread(texts.begin, context.corpus.generation, last.runs)
        yield cast("StoreT", texts)


async def count_texts(
    context: BuildContext,
    store: WrittenStore[ContentT],
    last: CountsT,
    contents: Collection[str],
    rows: Mapping[str, Written[ContentT]],
    **own: Any,
) -> CountsT:
    """Mark texts as used by the new generation, and count them.

    Args:
        last: The counts of the last generation; the defaults in a first build.
        contents: The content hash of each source.
        rows: The rows of the sources that have one, by content hash.
        **own: Further counts of the kind's own class of counts.
    """
    await in_thread(store.use, rows, context.corpus.generation)
    runs = tuple(await in_thread(store.runs)) if context.options.open_caller else ()
    calls = await in_thread(calls_so_far, context.options, last.calls, runs)
    return type(last).of([rows.get(key) for key in contents], calls=calls, runs=runs, **own)


def calls_so_far(
    options: BuildOptions, before: tuple[ParseRate, ...], runs: Sequence[str]
) -> tuple[ParseRate, ...]:
    """Add up what an index paid for, over all its builds and those that were killed.

    Args:
        options: The options of the build, whose ledger is read.
        before: The calls that the last generation has counted.
    """
    if options.open_caller is None or not runs:  # then the model stays closed
        return before
    ledger = options.caller.ledger
    return add_calls(before, (rate for run in runs for rate in ledger.parse_rates(run)))


async def write_missing(
    context: BuildContext,
    store: WrittenStore[ContentT],
    writer: Writer[SourceT, ContentT],
    contents: Mapping[str, str],
    read: Callable[[str], SourceT],
    *,
    total: int = 0,
) -> None:
    """Ask about every content that has no row by the build's author, and keep the answers.

    A build that keeps its index (`BuildOptions.keep`) accepts the rows of every author.

    Args:
        context: The build, which may ask a model.
        store: Gets each answer as soon as it is there, and the failures at the end.
        contents: Content hash of each source, by the source's id, such as the passage's.
        read: Fetches a source by its id. It may block.
        total: Number of contents that the allowed rate of failures refers to, if `contents` are a
            part of them.
    """
    author = await in_thread(writer.author, context.options)
    there = {
        content_hash
        for content_hash, other in (await in_thread(store.authors)).items()
        if context.options.keep or other == author
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
        # Calls under way end also when the round stops: they are paid for.
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
        rate = "writing.max_failure_rate"
        return ModelOutputError(
            f"The prompt {self.writer.prompt.name!r} (version {self.author.version}) failed for "
            f"{len(self.failed)} of {self.asked} {self.writer.sources}, more than "
            f"{rate}={self.writer.max_failure_rate:g} allows; finished {self.writer.written} are "
            f"kept: use a larger model with --model, or allow more failures with --set {rate}=0.5. "
            f"The first failure: {self._why}"
        )
