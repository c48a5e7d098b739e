"""The one function through which every model call goes.

Prompt and values in, validated object out. In between: the ledger (a finished call is never paid
for twice), the budget, the provider's places, schema-constrained output, one repair by rule, a
bounded number of retries, and then a typed failure.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Final, Generic
from weakref import WeakKeyDictionary

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hopyard.models.chat import ChatProvider, Sampling, chat_provider
from hopyard.models.ledger import Entry, Ledger, Place, ledger_key
from hopyard.models.parse import UnfitOutputError, json_schema, parse
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.request import answer_text, request
from hopyard.models.scheduler import Scheduler
from hopyard.models.stream import ANSWER_FIELD, AnswerStream, answer_stream
from hopyard.models.telemetry import call_span, current_node, log_call
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.settings import Context, home
from hopyard.state.usage import Meter, Usage

__all__ = ("ModelCaller", "call_model", "model_caller", "usage_of")

logger = logging.getLogger(__name__)

_METERS_KEPT: Final = 4096
_BAD_OUTPUT_SHOWN: Final = 400

_opening: Final = threading.Lock()


async def call_model(
    prompt: Prompt[OutputT],
    values: Mapping[str, str],
    *,
    context: Context,
    run: str,
    final: bool = False,
    about: str = "",
) -> OutputT:
    """Ask the run's model.

    Args:
        prompt: What to ask.
        values: What the prompt's template is filled with.
        context: The run's settings.
        run: The run that the call is counted to.
        final: Whether this is the closing call, for which the budget keeps a place. Its answer
            is streamed (`models.stream`).
        about: What the call is about, as a trace tells it; the question where it is not said.

    Raises:
        BudgetExceededError: The run's budget is used up.
        ModelUnreachableError: The model does not answer.
        ModelOutputError: The output did not fit the schema after repair and retries.
    """
    caller = await asyncio.to_thread(model_caller, context.model)
    return await caller.call(prompt, values, context, run, final=final, about=about)


def usage_of(run: str, context: Context) -> Usage:
    """What a run has spent so far. It may read the ledger: call it in a thread."""
    return model_caller(context.model).meter(run).usage


def model_caller(spec: str) -> ModelCaller:
    """The caller of a model, one a process and data folder."""
    with _opening:  # the branches of a resumed level ask all at once
        return _caller(spec, home() / "ledger.sqlite")


@lru_cache(maxsize=16)
def _caller(spec: str, ledger: Path) -> ModelCaller:
    return ModelCaller(chat_provider(spec), open_ledger(ledger))


@lru_cache(maxsize=16)
def open_ledger(path: Path) -> Ledger:
    """The ledger at a path, opened once a process."""
    return Ledger(path)


@dataclass(frozen=True)
class _Call(Generic[OutputT]):
    """One attempt at one call: everything that its answer depends on, and who pays."""

    prompt: Prompt[OutputT]
    messages: list[BaseMessage]
    attempt: int
    context: Context
    run: str
    final: bool
    place: Place
    stream: AnswerStream | None

    @property
    def sampling(self) -> Sampling:
        return Sampling(
            max_tokens=self.prompt.max_tokens,
            temperature=self.context.temperature,
            frequency_penalty=self.context.frequency_penalty,
            seed=self.context.seed + self.attempt,
        )

    def key(self, model: str) -> str:
        return ledger_key(
            {
                "model": model,
                "prompt": self.prompt.name,
                "version": self.prompt.version,
                "schema": json_schema(self.prompt.output),
                "messages": [(message.type, message.content) for message in self.messages],
                "sampling": asdict(self.sampling),
                "attempt": self.attempt,
            }
        )


class ModelCaller:
    """Calls one chat model, under one ledger."""

    def __init__(self, provider: ChatProvider, ledger: Ledger) -> None:
        self.provider = provider
        self.ledger = ledger
        self._meters: OrderedDict[str, Meter] = OrderedDict()
        self._metering = threading.Lock()
        # A future belongs to the event loop that made it; a process may run several in turn.
        self._schedulers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, Scheduler]] = (
            WeakKeyDictionary()
        )
        self._running: WeakKeyDictionary[
            asyncio.AbstractEventLoop, dict[str, asyncio.Task[tuple[Entry, bool]]]
        ] = WeakKeyDictionary()

    def meter(self, run: str) -> Meter:
        """The run's meter, which goes on from what the ledger says the run spent before."""
        with self._metering:
            if run not in self._meters:
                self._meters[run] = Meter(self.ledger.usage(run))
                while len(self._meters) > _METERS_KEPT:
                    self._meters.popitem(last=False)
            return self._meters[run]

    def stop_clock(self, run: str) -> None:
        """Forget the run's meter: the next one goes on from what the ledger says, without a wait.

        Nothing of the run may be under way.
        """
        with self._metering:
            self._meters.pop(run, None)

    async def call(
        self,
        prompt: Prompt[OutputT],
        values: Mapping[str, str],
        context: Context,
        run: str,
        *,
        final: bool = False,
        about: str = "",
    ) -> OutputT:
        """Ask once, and again with the fault named while the output does not fit."""
        asked = prompt.messages(values)
        messages, problem = asked, ""
        place = Place(current_node(), about or values.get("question", ""))
        stream = answer_stream() if final and ANSWER_FIELD in prompt.output.model_fields else None
        for attempt in range(context.retries + 1):
            entry = await self._answer(
                _Call(prompt, messages, attempt, context, run, final, place, stream)
            )
            try:
                output = parse(entry.output, prompt.output)[0]
            except UnfitOutputError as error:
                problem = str(error)
                logger.info("%s, attempt %d: %s", prompt.name, attempt + 1, problem)
                messages = [
                    *asked,
                    AIMessage(entry.output[:_BAD_OUTPUT_SHOWN]),
                    HumanMessage(f"That does not fit ({problem}). Answer with the JSON alone."),
                ]
            else:
                if stream is not None:
                    stream.settle(getattr(output, ANSWER_FIELD))
                return output
        raise ModelOutputError(
            f"The prompt {prompt.name!r} got no usable output from {self.provider.identity} in "
            f"{context.retries + 1} attempts ({problem}); try a larger model, or more tries with "
            "--set retries=5."
        )

    async def drain(self) -> None:
        """Wait until the calls that are under way are finished and recorded.

        When one branch has ended a run, what its siblings are paying for is not lost.
        """
        running = self._running.get(asyncio.get_running_loop(), {})
        while running:
            await asyncio.wait(list(running.values()))

    async def _answer(self, call: _Call[OutputT]) -> Entry:
        """The finished call: from a twin under way, from the ledger, or from the model."""
        key = call.key(self.provider.identity)
        with call_span(call.prompt.name, self.provider.identity, call.attempt) as span:
            entry, cached = await self._shared(key, call)
            span.end(entry, cached=cached)
        log_call(entry, call.place, cached=cached)
        return entry

    async def _shared(self, key: str, call: _Call[OutputT]) -> tuple[Entry, bool]:
        """The finished call, and whether it cost this run nothing."""
        running = self._running.setdefault(asyncio.get_running_loop(), {})
        # Shielded: a call that is being paid for is finished and recorded, whoever stops waiting.
        while key in running:
            try:
                entry, _ = await asyncio.shield(running[key])
            except BudgetExceededError:
                continue  # the budget of the twin's run, not of this one
            (await asyncio.to_thread(self.meter, call.run)).count_cached()
            return entry, True
        running[key] = asyncio.create_task(self._known_or_paid(key, call))
        running[key].add_done_callback(lambda done: _forget(running, key, done))
        return await asyncio.shield(running[key])

    async def _known_or_paid(self, key: str, call: _Call[OutputT]) -> tuple[Entry, bool]:
        # First: the meter begins with what the ledger says until now.
        meter = await asyncio.to_thread(self.meter, call.run)
        known = await asyncio.to_thread(self.ledger.find, key, call.run, call.place)
        if known is None:
            return await self._paid(key, call), False
        meter.count_cached()
        return known, True

    async def _paid(self, key: str, call: _Call[OutputT]) -> Entry:
        meter, prompt = self.meter(call.run), call.prompt
        async with self._scheduler(call.context).place(f"{prompt.name}/{prompt.version}"):
            meter.start_call(call.context.budget, final=call.final)
            started = monotonic()
            answer: AIMessage | None = None
            try:
                if self.provider.prepare:
                    await asyncio.to_thread(self.provider.prepare)
                answer = await request(
                    self.provider,
                    prompt,
                    call.messages,
                    call.sampling,
                    call.context.timeout,
                    call.stream,
                )
            finally:
                tokens_in, tokens_out = _tokens(answer)
                meter.end_call(tokens_in, tokens_out, finished=answer is not None)
        text = answer_text(answer)
        entry = Entry(
            prompt=prompt.name,
            version=prompt.version,
            model=self.provider.identity,
            attempt=call.attempt,
            output=text,
            outcome=_outcome(text, prompt),
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            seconds=monotonic() - started,
        )
        await asyncio.to_thread(
            self.ledger.record,
            key,
            entry,
            run=call.run,
            run_seconds=meter.usage["seconds"],
            place=call.place,
        )
        return entry

    def _scheduler(self, context: Context) -> Scheduler:
        """The places of all runs that want so many calls at once."""
        schedulers = self._schedulers.setdefault(asyncio.get_running_loop(), {})
        limit = context.concurrency or self.provider.concurrency
        if limit not in schedulers:
            schedulers[limit] = Scheduler(limit, keep_prefixes=self.provider.keep_prefixes)
        return schedulers[limit]


def _forget(
    running: dict[str, asyncio.Task[tuple[Entry, bool]]],
    key: str,
    done: asyncio.Task[tuple[Entry, bool]],
) -> None:
    running.pop(key, None)
    if not done.cancelled():
        done.exception()  # seen, also when every waiter has gone


def _tokens(answer: AIMessage | None) -> tuple[int, int]:
    usage = answer.usage_metadata if answer is not None else None
    return (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)


def _outcome(text: str, prompt: Prompt[OutputT]) -> str:
    try:
        return "repaired" if parse(text, prompt.output)[1] else "parsed"
    except UnfitOutputError:
        return "failed"
