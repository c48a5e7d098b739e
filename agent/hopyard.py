"""The front door: ask an index questions, from sync and async programs."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing
from copy import copy
from pathlib import Path
from typing import Self, TypeVar

from typing_extensions import Unpack

from hopyard.agent.answer import Answer, Citation, Evidence, evidence_of
from hopyard.agent.background import stream, stream_async, wait, wait_async
from hopyard.agent.events import Event
from hopyard.agent.keywords import Settings, named_settings
from hopyard.agent.searching import find_evidence
from hopyard.agent.session import Session, new_thread_id, open_session
from hopyard.agent.texts import read_marks
from hopyard.agent.thread_settings import thread_settings
from hopyard.agent.threads.summary import ThreadSummary
from hopyard.agent.threads.threads import Groups, may_continue
from hopyard.indexes.passages.marks import Mark
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import is_address

T = TypeVar("T")


class Hopyard:
    """Answers questions from an index, and retrieves only as much as each needs.

        with Hopyard("my-index", model="openai:gpt-4.1-mini") as hop:
            answer = hop.ask("Where was the discoverer of Pluto born?")
            print(answer, answer.citations)

    Settings given here win over the environment and `hopyard.toml`; those given to a method win
    over both. Threads are those of the command line. A method `x` has an async twin `ax`. The sync
    methods also work while an event loop is running, as in a notebook, and in several threads at
    once.

    Args:
        index: The index directory or address; read from `HOPYARD_INDEX` if it is empty.
        **named: Settings; see `Settings`.

    Raises:
        UsageError: A setting is unknown or not usable.
    """

    def __init__(
        self,
        index: str | Path | None = "",
        **named: Unpack[Settings],
    ) -> None:
        self._origin: Hopyard | None = None
        self._resources = Resources()
        weakref.finalize(self, self._resources.close)
        named_index = index if is_address(index) else str(Path(index or "").expanduser())
        own = {"index": named_index} if index else {}
        self._pairs = [*own.items(), *named_settings(self._resources, named)]
        self._given = read_given(self._pairs)

    @classmethod
    def of(
        cls,
        index: str | Path | Hopyard,
        **named: Unpack[Settings],
    ) -> Hopyard:
        """A `Hopyard` of an index; one that is given keeps its models, with changed settings."""
        if not isinstance(index, Hopyard):
            return cls(index, **named)
        changed = copy(index)  # it shares the resources, which the first one closes
        changed._origin = index
        if not all(isinstance(named.get(name, ""), str) for name in ("model", "embedding")):
            changed._resources = index._resources.with_own_models()
        changed._pairs = [*index._pairs, *named_settings(changed._resources, named)]
        changed._given = read_given(changed._pairs)
        return changed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Hopyard({self.context.index!r}, model={self.context.model!r})"

    @property
    def context(self) -> Context:
        """All settings of a new thread."""
        return self._given.context

    @property
    def resources(self) -> Resources:
        """The open indexes, models and ledger."""
        return self._resources

    def close(self) -> None:
        """Close the indexes, models and ledger. No question may be running."""
        self._resources.close()

    async def aclose(self) -> None:
        """Close the indexes, models and ledger. No question may be running."""
        await asyncio.to_thread(self._resources.close)

    def ask(
        self,
        question: str,
        *,
        thread: str | None = None,
        **named: Unpack[Settings],
    ) -> Answer:
        """Answer a question.

        Args:
            question: The question; on an old thread it may be a follow-up ("and the other one?").
            thread: The thread's name; None makes a new thread. An old thread keeps its settings,
                apart from those given here and to `Hopyard`.
            **named: Settings, as in `strategy="tree"`; see `Settings`.

        Returns:
            The answer. If the run waits for an approval, its `waiting` says for what.

        Raises:
            UsageError: The question is empty, a setting is unknown or not usable, or the caller
                lacks a group of the thread.
            IndexMissingError: There is no such index, or it cannot be read.
            ThreadBusyError: Another run works on the thread.
            ModelUnreachableError: The model does not answer. `resume` continues the thread.
        """
        hop = self.of(self, **named)
        return wait(_last(hop._ask(question, thread)))

    async def aask(
        self,
        question: str,
        *,
        thread: str | None = None,
        **named: Unpack[Settings],
    ) -> Answer:
        """Answer a question. See `ask`."""
        return await wait_async(_last(self.of(self, **named)._ask(question, thread)))

    def stream(
        self,
        question: str,
        *,
        thread: str | None = None,
        **named: Unpack[Settings],
    ) -> Generator[Event | Answer, None, None]:
        """Answer a question, and tell what happens meanwhile. It takes what `ask` takes.

        Yields:
            An `Event` for each finished step, a `Token` for each piece of the answer while the
            model writes it, and at the end the `Answer`.
        """
        hop = self.of(self, **named)
        return stream(hop._ask(question, thread, tokens=True))

    def astream(
        self,
        question: str,
        *,
        thread: str | None = None,
        **named: Unpack[Settings],
    ) -> AsyncGenerator[Event | Answer, None]:
        """Answer a question, and tell what happens meanwhile. See `stream`."""
        return stream_async(self.of(self, **named)._ask(question, thread, tokens=True))

    def resume(
        self,
        thread: str,
        answer: object = None,
        **named: Unpack[Settings],
    ) -> Answer:
        """Continue a thread that was stopped or killed, or that waits for an approval.

        Finished steps are not repeated. A finished thread gives its last answer again.

        Args:
            thread: The thread's name.
            answer: The answer that the run waits for: `"approve"`, the arguments to change, a
                decision as LangChain's human-in-the-loop middleware takes it, or several by the
                ids of `Answer.waiting`.
            **named: Settings that change from here on, as for `ask`.

        Raises:
            ThreadMissingError: There is no such thread.
            UsageError: The answer does not fit, a setting is unknown or not usable, or the caller
                lacks a group of the thread.
        """
        hop = self.of(self, **named)
        return wait(_last(hop._resume(thread, answer)))

    async def aresume(
        self,
        thread: str,
        answer: object = None,
        **named: Unpack[Settings],
    ) -> Answer:
        """Continue a thread. See `resume`."""
        return await wait_async(_last(self.of(self, **named)._resume(thread, answer)))

    def search(self, text: str, **named: Unpack[Settings]) -> tuple[Evidence, ...]:
        """Find evidence for a text. No chat model is called.

        Args:
            text: The question, or words.
            **named: Settings, as in `search="mmr"` or `k=8`.

        Raises:
            UsageError: The text is empty, or a setting is unknown or not usable.
            IndexMissingError: There is no such index, or the method needs a kind that it lacks.
        """
        hop = self.of(self, **named)
        return wait(hop._search(text))

    async def asearch(self, text: str, **named: Unpack[Settings]) -> tuple[Evidence, ...]:
        """Find evidence for a text. See `search`."""
        hop = self.of(self, **named)
        return await wait_async(hop._search(text))

    def marks(self, citation: Citation) -> tuple[tuple[Mark, ...], ...]:
        """The places of a citation's quotes on the pages of a PDF, to mark them on a picture.

        Args:
            citation: A citation of an answer from this index.

        Returns:
            For each of its `quotes` one `Mark` a page: its number, and a box for each line, as
            shares of the page's width and height from the top left corner. A quote has none if
            its document is no PDF, if the index was built without the places of words, or if the
            passage has left the index.

        Raises:
            IndexMissingError: There is no such index, or it cannot be read.
        """
        context = self.context
        corpus = self._resources.corpus(context.index, context.groups)
        return read_marks(citation, corpus)

    async def amarks(self, citation: Citation) -> tuple[tuple[Mark, ...], ...]:
        """The places of a citation's quotes on their pages. See `marks`."""
        return await asyncio.to_thread(self.marks, citation)

    def threads(self) -> list[ThreadSummary]:
        """All threads that this caller may continue, the one used last first."""
        return wait(self._in_session(self._threads))

    async def athreads(self) -> list[ThreadSummary]:
        """All threads that this caller may continue, the one used last first."""
        return await wait_async(self._in_session(self._threads))

    def last_answer(self, thread: str) -> Answer:
        """The last answer of a thread, or what it waits for.

        Raises:
            ThreadMissingError: There is no such thread.
            UsageError: The caller lacks a group of the thread.
        """
        return wait(self._in_session(lambda session: self._answer_of(session, thread)))

    async def alast_answer(self, thread: str) -> Answer:
        """The last answer of a thread. See `last_answer`."""
        return await wait_async(self._in_session(lambda session: self._answer_of(session, thread)))

    def delete_thread(self, thread: str) -> None:
        """Delete a thread with its history, and the model's answers that no other thread has.

        Raises:
            ThreadMissingError: There is no such thread.
            UsageError: The caller lacks a group of the thread.
            ThreadBusyError: A run works on it.
        """
        wait(self._in_session(lambda session: self._delete(session, thread)))

    async def adelete_thread(self, thread: str) -> None:
        """Delete a thread. See `delete_thread`."""
        await wait_async(self._in_session(lambda session: self._delete(session, thread)))

    async def _ask(
        self, question: str, thread: str | None, *, tokens: bool = False
    ) -> AsyncGenerator[Event | Answer, None]:
        name = thread or new_thread_id()
        async with open_session(self._resources) as session:
            context = (await thread_settings(session, name, self._given)).context
            steps = session.ask(question, context, name, tokens=tokens, caller=self._groups)
            async with aclosing(steps) as events:
                async for event in events:
                    yield event
            yield await _answer(session, name)

    async def _resume(self, thread: str, answer: object) -> AsyncGenerator[Event | Answer, None]:
        async with open_session(self._resources) as session:
            changes, caller = self._given.flags, self._groups
            events = session.resume(thread, answer, changes=changes, caller=caller)
            async with aclosing(events):
                async for event in events:
                    yield event
            yield await _answer(session, thread)

    async def _answer_of(self, session: Session, thread: str) -> Answer:
        await session.check_groups(thread, self._groups)
        return await _answer(session, thread)

    async def _threads(self, session: Session) -> list[ThreadSummary]:
        caller, found = self._groups, await session.threads()
        return [each for each in found if may_continue(caller, each.groups)]

    async def _delete(self, session: Session, thread: str) -> None:
        await session.check_groups(thread, self._groups)
        await session.delete(thread)

    @property
    def _groups(self) -> Groups:
        return self._given.context.groups

    async def _search(self, text: str) -> tuple[Evidence, ...]:
        return evidence_of((await find_evidence(text, self.context, self._resources)).evidence)

    async def _in_session(self, work: Callable[[Session], Awaitable[T]]) -> T:
        async with open_session(self._resources) as session:
            return await work(session)


async def _answer(session: Session, thread: str) -> Answer:
    result = await session.result(thread)
    return await asyncio.to_thread(Answer.of, result)


async def _last(items: AsyncGenerator[Event | Answer, None]) -> Answer:
    async with aclosing(items):
        async for item in items:
            if isinstance(item, Answer):
                return item
    raise AssertionError("a run ends with an answer")
