"""The agent on a thread: ask, be killed, resume."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot

from hopyard.agent.advice import keep_found
from hopyard.agent.events import Event, Teller, Token
from hopyard.agent.threads.history import NEW_TURN, state_begun
from hopyard.agent.threads.summary import ThreadSummary, model_of
from hopyard.agent.threads.threads import (
    Groups,
    Threads,
    new_thread_id,
    thread_missing,
    thread_taken,
)
from hopyard.agent.threads.waiting import answer_command, waiting_in
from hopyard.graphs import router
from hopyard.models.calls.call import ModelCaller
from hopyard.models.telemetry import NodeWatch
from hopyard.nodes.index_facts import check_index
from hopyard.nodes.lifecycle import check_question
from hopyard.nodes.resources import Resources, shared_resources
from hopyard.nodes.run import Run
from hopyard.state.agent import AgentInput, AgentOutput, AgentState
from hopyard.state.errors import ThreadUnfinishedError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.storage.checkpoints import open_saver, store_error
from hopyard.state.storage.thread_names import checked_thread_name, resume_command
from hopyard.state.strategy import STRATEGIES

__all__ = ("Event", "Session", "ThreadSummary", "Token", "new_thread_id", "open_session")


@asynccontextmanager
async def open_session(resources: Resources | None = None) -> AsyncIterator[Session]:
    """Open a session over the user's thread store.

    Args:
        resources: Indexes and models for its runs. The default is shared by the process.
    """
    async with open_saver() as saver:
        opened = resources if resources is not None else await asyncio.to_thread(shared_resources)
        yield Session(saver, opened)


class Session(Threads):
    """The agent over one thread store."""

    _strategies: tuple[str, ...] = ()
    _compiled: CompiledStateGraph[AgentState, Context, AgentInput, AgentOutput]

    @property
    def _agent(self) -> CompiledStateGraph[AgentState, Context, AgentInput, AgentOutput]:
        """The agent with the strategies that are registered by now."""
        if self._strategies != (names := tuple(STRATEGIES)):
            self._compiled = router.build().compile(name="hopyard", checkpointer=self._saver)
            self._strategies = names
        return self._compiled

    async def ask(
        self,
        question: str,
        context: Context,
        thread_id: str | None = None,
        *,
        tokens: bool = False,
        new: bool = False,
        history: Sequence[AnyMessage] = (),
        caller: Groups = None,
    ) -> AsyncGenerator[Event, None]:
        """Ask a question on a new or existing thread, and yield each step when it ends.

        Args:
            question: The question, or a follow-up to the thread's last.
            thread_id: The thread; None starts a new thread.
            tokens: Give the answer too, as `Token` events while the model writes it.
            new: Whether the thread must be new.
            history: The conversation before the question, which another program kept, for a new
                thread.
            caller: The groups of a caller who continues only threads of these groups.

        Raises:
            UsageError: The question is empty or too long, the thread's last question is not
                finished, it is of other groups, or there is such a thread although it must be new.
            IndexMissingError: The index does not exist. No thread is created.
            ThreadBusyError: Another run works on the thread.
        """
        question = check_question(question)
        await check_index(Run("", context, self._resources))
        thread_id = checked_thread_name(thread_id or new_thread_id())
        config = self._config(thread_id, context)
        async with self._saver.locks.hold(thread_id):
            await self.check_groups(thread_id, caller)
            state = await self._agent.aget_state(config)
            if new and state.created_at is not None:
                raise thread_taken(thread_id)
            if state.tasks:
                raise ThreadUnfinishedError(
                    f"The thread {thread_id!r} has an unfinished question; run "
                    f"`{resume_command(thread_id)}` first, or take another thread."
                )
            if context.retention_days:
                await self.prune(context.retention_days, keep=thread_id)
            given = AgentInput(question=question)
            if history:
                given = AgentInput(messages=[*history, HumanMessage(question)])
            stream = self._stream(given, config, context, tokens=tokens)
            async with aclosing(stream) as events:
                async for event in events:
                    yield event

    async def resume(
        self,
        thread_id: str,
        answer: object = None,
        *,
        tokens: bool = False,
        changes: Mapping[str, Any] | None = None,
        caller: Groups = None,
    ) -> AsyncGenerator[Event, None]:
        """Continue a thread where it stopped. Yield nothing if it is finished.

        Args:
            answer: Answer to the waiting approval, or several answers by the ids of the approvals.
            tokens: Give the answer too, as `Token` events while the model writes it.
            changes: Settings to change for the rest of the thread. Nested settings are nested
                dicts.
            caller: The groups of a caller who continues only threads of these groups.

        Raises:
            ThreadMissingError: There is no such thread.
            UsageError: The thread is of other groups, a changed setting is not usable, the answer
                does not name one of several waiting approvals, or no approval waits.
            ThreadBusyError: Another run works on the thread.
        """
        thread_id = checked_thread_name(thread_id)
        context = change_context(await self.context(thread_id), dict(changes or {}))
        config = self._config(thread_id, context)
        async with self._saver.locks.hold(thread_id):
            await self.check_groups(thread_id, caller)
            state = await self._agent.aget_state(config)
            given = None if answer is None else answer_command(waiting_in(state), answer)
            if given:  # what a person takes to answer is no working time
                (await self._caller(context)).stop_clock(state.values.get("run", ""))
            if state.tasks:
                async with aclosing(self._stream(given, config, context, tokens=tokens)) as events:
                    async for event in events:
                        yield event

    async def result(self, thread_id: str) -> dict[str, Any]:
        """Return the state of a thread: its last question, answer and steps."""
        thread_id = checked_thread_name(thread_id)
        state = await self._agent.aget_state(self._config(thread_id))
        if not state.values:
            raise thread_missing(thread_id)
        values = state.values
        if NEW_TURN.intersection(state.next) and state.config:
            saved = await self._saver.aget_tuple(state.config)
            values = state_begun(saved.checkpoint["channel_values"] if saved else values)
        return {
            **values,
            "thread_id": thread_id,
            "model": model_of(state.metadata or {}, state.values),
            "finished": not state.tasks,
            "running": await self.running(thread_id) if state.tasks else None,
            "waiting": [{"id": waiting.id, **waiting.asked} for waiting in waiting_in(state)],
        }

    async def snapshot(self, thread_id: str) -> StateSnapshot:
        """Return LangGraph's snapshot of a thread, with the state of a running strategy."""
        return await self._agent.aget_state(self._config(thread_id), subgraphs=True)

    async def _stream(
        self,
        given: AgentInput | Command[Any] | None,
        config: RunnableConfig,
        context: Context,
        *,
        tokens: bool,
    ) -> AsyncGenerator[Event, None]:
        teller = Teller(tokens=tokens)
        try:
            with keep_found(config | RunnableConfig(callbacks=[NodeWatch()])) as watched:
                stream: Any = self._agent.astream(
                    given,
                    watched,
                    context=context,
                    stream_mode=teller.modes,
                    subgraphs=True,
                    version="v2",
                    # Each super-step is on disk before the next begins: a kill loses no finished
                    # step.
                    durability="sync",
                )
                async with aclosing(stream):
                    async for part in stream:
                        for event in teller.events(part):
                            yield event
        except Exception as error:
            # Running calls of the failed branch's siblings are finished and recorded first.
            await (await self._caller(context)).drain()
            if isinstance(error, sqlite3.Error):
                raise store_error(error) from error
            raise

    async def stop_calls(self, thread_id: str) -> None:
        """Stop the model calls of a thread whose run was cancelled. Else they are finished.

        Raises:
            ThreadMissingError: There is no such thread.
        """
        context = await self.context(thread_id)
        state = await self._agent.aget_state(self._config(thread_id, context))
        (await self._caller(context)).stop(state.values.get("run", ""))

    async def _caller(self, context: Context) -> ModelCaller:
        return await asyncio.to_thread(self._resources.caller, context.model)
