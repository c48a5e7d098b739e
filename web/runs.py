"""Runs of the server. A run continues whether or not a page listens, and numbers its events.

A page that connects again names the last event that it has, and gets those after it. A run that a
killed server has left is noted in a file, and continues when the server is back: the thread store
and the ledger have all that was finished.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from langchain_core.messages import AnyMessage

from hopyard.agent.answer import Answer
from hopyard.agent.events import Event, Token
from hopyard.agent.people import ANYBODY, Person
from hopyard.agent.session import Session
from hopyard.agent.thread_settings import thread_settings
from hopyard.nodes.lifecycle import check_question
from hopyard.state.errors import HopyardError, ThreadBusyError
from hopyard.state.settings.given import Given
from hopyard.state.settings.index_address import lasting_index
from hopyard.state.settings.sources import change_context
from hopyard.state.storage.thread_names import checked_thread_name
from hopyard.tracing.describe import gate_step, route_step
from hopyard.web.notes import Notes

__all__ = ("IDLE", "Happening", "Run", "Runs")

_KEPT: Final = 20
"""Ended runs whose events are kept for a page that lost its connection. After them it reads the
thread, which has the answer."""
_log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[AsyncGenerator[Event, None]]]


class Happening(NamedTuple):
    """One event of a run, as pages get it."""

    id: str
    kind: str
    """begin, token, steps, answer, failed, stopped, or away: the server ends, the run continues."""
    data: dict[str, Any]

    @property
    def last(self) -> bool:
        """Whether the run has ended with it."""
        return self.kind in {"answer", "failed", "stopped", "away"}


IDLE: Final = Happening("", "idle", {})


class Run:
    """A question that is being answered, and what it has told so far.

    Args:
        thread: Its thread.
        question: The question.
    """

    def __init__(self, thread: str, question: str) -> None:
        self.thread, self.question, self._begun = thread, question, time.monotonic()
        self.task: asyncio.Task[None] | None = None
        self._id = uuid4().hex[:8]
        self._told: list[Happening] = []
        self._news = asyncio.Event()
        self.tell("begin", {"thread": thread, "question": question})

    @property
    def seconds(self) -> float:
        """How long ago it began."""
        return time.monotonic() - self._begun

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._told[-1].last

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Add an event, and wake those who listen."""
        self._told.append(Happening(f"{self._id}-{len(self._told) + 1}", kind, data))
        self._news.set()
        self._news = asyncio.Event()

    async def follow(
        self, after: str = "", idle: float | None = None
    ) -> AsyncGenerator[Happening, None]:
        """The events, to the last.

        Args:
            after: The id of the last event that the listener has. Any other means all.
            idle: Seconds without an event after which `IDLE` comes in its place; None for never.
        """
        known = [happening.id for happening in self._told]
        place = known.index(after) + 1 if after in known else 0
        while True:
            news = self._news
            while place < len(self._told):  # more may be told while a listener takes one
                yield self._told[place]
                place += 1
            if self.ended:
                return
            try:
                await asyncio.wait_for(news.wait(), idle)
            except TimeoutError:
                yield IDLE


class Runs:
    """The runs of one server, at most one a thread.

    Args:
        session: The thread store.
        given: The server's settings.
        folder: Where a note of each running question is kept until it ends.
    """

    def __init__(self, session: Session, given: Given, folder: Path) -> None:
        self.session, self.given = session, given
        self.notes = Notes(folder, lasting_index(given.context.index))
        self._runs: dict[str, Run] = {}
        self._closing = False

    def of(self, thread: str) -> Run | None:
        """The last run of a thread since the server has started."""
        return self._runs.get(thread)

    def ask(
        self,
        question: str,
        thread: str = "",
        history: Sequence[AnyMessage] = (),
        *,
        person: Person = ANYBODY,
        changes: Mapping[str, Any] | None = None,
        like: str = "",
    ) -> Run:
        """Begin to answer a question.

        Args:
            question: The question.
            thread: Its thread; "" for a new thread.
            history: The conversation before it, if the thread is new and another program kept it.
            person: Who asks. The rights of the thread are the person's from here on.
            changes: Settings of the thread from here on; nested settings are nested dicts.
            like: A thread whose settings a new thread takes.

        Raises:
            UsageError: The question or the name of the thread is not usable.
            ThreadBusyError: The thread's last question is being answered.
            ThreadMissingError: The thread is somebody else's.
        """
        question = check_question(question)
        thread = checked_thread_name(person.thread(thread))

        async def asked() -> AsyncGenerator[Event, None]:
            settings = await thread_settings(self.session, like or thread, self.given)
            context = change_context(settings.context, dict(changes or {}))
            context = change_context(context, person.changes(self.given.context))
            return self.session.ask(question, context, thread, tokens=True, history=history)

        said = [(message.type, message.text) for message in history]
        return self._begin(
            thread, question, person, asked, changes=changes, like=like, history=said, new=True
        )

    def resume(
        self, thread: str, question: str, answer: object = None, person: Person = ANYBODY
    ) -> Run:
        """Continue a thread that was stopped, or that waits for an answer.

        Raises:
            UsageError: The name of the thread is not usable.
            ThreadBusyError: It is running.
        """
        thread = checked_thread_name(thread)

        async def resumed() -> AsyncGenerator[Event, None]:
            own = person.changes(self.given.context)
            return self.session.resume(thread, answer, tokens=True, changes=own)

        return self._begin(thread, question, person, resumed, answer=answer)

    async def stop(self, thread: str) -> bool:
        """Stop a run; `resume` continues it. Return whether there was one."""
        run = self.of(thread)
        if run is None or run.ended or run.task is None:
            return False
        self.abandon(run)
        await asyncio.wait([run.task])
        return True

    def forget(self, thread: str) -> None:
        """Forget the events of a thread that was deleted."""
        self._runs.pop(thread, None)

    def abandon(self, run: Run) -> None:
        """Stop a run without waiting for its end. A second stop would break off its last writes."""
        if run.task is not None and not run.ended and not run.task.cancelling():
            self.notes.forget(run.thread)
            run.task.cancel()

    async def close(self) -> None:
        """Stop all runs. They continue when the server starts again."""
        self._closing = True
        tasks = [run.task for run in self._runs.values() if run.task and not run.task.done()]
        for task in tasks:
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, thread: str, question: str, person: Person, work: Work, **asked: Any) -> Run:
        before = self.of(thread)
        if before and not before.ended:
            raise ThreadBusyError(f"The last question of the thread {thread!r} is being answered.")
        self.notes.write(thread, question=question, owner=person.name, **asked)
        self._runs.pop(thread, None)  # the newest stands last
        run = self._runs[thread] = Run(thread, question)
        run.task = asyncio.create_task(self._drive(run, work))
        for old in [name for name, kept in self._runs.items() if kept.ended][:-_KEPT]:
            del self._runs[old]
        return run

    async def _drive(self, run: Run, work: Work) -> None:
        try:
            async with aclosing(await work()) as events:
                async for event in events:
                    _tell(run, event)
            answer = await asyncio.to_thread(Answer.of, await self.session.result(run.thread))
        except asyncio.CancelledError:
            if not self._closing:
                with suppress(HopyardError):
                    await self.session.stop_calls(run.thread)
            run.tell("away" if self._closing else "stopped", {})
            raise
        except HopyardError as error:
            run.tell("failed", {"text": str(error), "reason": error.reason})
        except Exception:  # The boundary of a run: the log has the error, the page a sentence.
            _log.exception("A run of the thread %r failed", run.thread)
            run.tell("failed", {"text": "The server failed; its log says why.", "reason": ""})
        else:
            run.tell("answer", {"answer": answer})
        self.notes.forget(run.thread)


def _tell(run: Run, event: Event) -> None:
    if isinstance(event, Token):
        run.tell("token", {"text": event.text, "restart": event.restart})
        return
    steps = list(event.steps)
    if event.node == "gate" and "gate" in event.update:
        steps.append(gate_step(event.update["gate"]))
    if event.node == "route" and "route" in event.update:
        steps.append(route_step(event.update["route"]))
    if steps:
        run.tell("steps", {"graph": event.graph, "steps": steps})
