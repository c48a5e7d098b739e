"""The runs of a killed server continue when it is back.

The thread store and the ledger have all that was finished; a note says which questions were being
answered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from hopyard.agent.people import ANYBODY, Person
from hopyard.state.errors import ThreadMissingError
from hopyard.web.runs import Runs
from hopyard.web.turns import last_question

__all__ = ("Recovery",)

_LOOK: Final = 1.0
"""Seconds between two looks whether a process that still holds a thread has let go of it."""
_KINDS: Final[Mapping[str, type[HumanMessage] | type[AIMessage]]] = {
    "human": HumanMessage,
    "ai": AIMessage,
}
_log = logging.getLogger(__name__)


class Recovery:
    """Takes up the runs that a killed server has left.

    Args:
        runs: The runs of this server.
        people: The people of the server; none for a server without owners of threads.
    """

    def __init__(self, runs: Runs, people: Collection[Person] = ()) -> None:
        self._runs = runs
        known, groups = people or (ANYBODY,), runs.given.context.groups
        self._people = {person.name: person.within(groups) for person in known}
        self._waiting: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Continue the runs that a killed server has left.

        A thread that another process still holds, as a server that is just ending, is taken up
        as soon as it is free.
        """
        notes = await asyncio.to_thread(lambda: [*self._runs.notes.read()])
        if held := [note for note in notes if not await self._settle(note)]:
            self._waiting = asyncio.create_task(self._settle_later(held))

    def close(self) -> None:
        """Wait for no thread any more."""
        if self._waiting:
            self._waiting.cancel()

    async def _settle_later(self, held: list[Mapping[str, Any]]) -> None:
        while held:
            await asyncio.sleep(_LOOK)
            left = [note for note in held if self._runs.notes.has(note["thread"])]
            held = [note for note in left if not await self._settle(note)]

    async def _settle(self, note: Mapping[str, Any]) -> bool:
        """Take up what is left of a run. Return whether its thread was free to do so."""
        try:
            return await self._take_up(note)
        except Exception:  # The boundary of a run: a damaged note stops no server.
            _log.exception("The run of the thread %r cannot be continued", note["thread"])
            return True

    async def _take_up(self, left: Mapping[str, Any]) -> bool:
        thread = left["thread"]
        run, person = self._runs.of(thread), self._people.get(left.get("owner", ""))
        if person is None:  # the owner has been taken out of the file of people
            self._runs.notes.forget(thread)
        elif run and not run.ended:  # begun here meanwhile
            return True
        elif await self._runs.session.running(thread):
            return False
        else:
            await self._continue(left, person)
        return True

    async def _continue(self, left: Mapping[str, Any], person: Person) -> None:
        thread, question = left["thread"], left["question"]
        ask = partial(self._ask_again, left, person)
        try:
            state = await self._runs.session.result(thread)
        except ThreadMissingError:
            ask()
            return
        answer = left.get("answer")
        if state["finished"]:
            if last_question(state) != question or await self._is_older(thread, left):
                ask()  # killed before it began
                return
        elif not state["waiting"] or _is_for(answer, state["waiting"]):
            self._runs.resume(thread, question, answer if state["waiting"] else None, person)
            return
        self._runs.notes.forget(thread)

    def _ask_again(self, left: Mapping[str, Any], person: Person) -> None:
        given = {name: left[name] for name in ("changes", "like") if name in left}
        said = left.get("history", ())
        history: list[AnyMessage] = [_KINDS[kind](text) for kind, text in said]
        self._runs.ask(left["question"], left["thread"], history, person=person, **given)

    async def _is_older(self, thread: str, left: Mapping[str, Any]) -> bool:
        """Whether a thread ended before a question was asked that equals its last."""
        ended = (await self._runs.session.summary(thread)).updated
        asked = str(left.get("at", "")) if left.get("new") else ""
        return bool(asked) and datetime.fromisoformat(ended) < datetime.fromisoformat(asked)


def _is_for(answer: object, waiting: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an answer, by the ids of the approvals as the page gives it, is for some of these."""
    return isinstance(answer, dict) and set(answer) <= {asked["id"] for asked in waiting}
