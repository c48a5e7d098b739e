"""Makes every model call: a prompt and values in, a validated object out.

In between: the ledger (a finished call is never paid for twice), the budget, the limit on calls at
once, schema-constrained output, one repair by rule, a bounded number of retries, and then a typed
failure.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic
from weakref import WeakKeyDictionary

from langchain_core.messages import BaseMessage

from hopyard.models.calls.asked import asked_text
from hopyard.models.calls.key import call_key, prompt_of_attempt, sampling_of
from hopyard.models.calls.parse import UnfitOutputError, json_schema, parse
from hopyard.models.calls.reply import Ending, Reply
from hopyard.models.calls.sized_request import request_that_fits
from hopyard.models.calls.spent import Spent, spent_on
from hopyard.models.calls.stream import ANSWER_FIELD, AnswerStream, answer_stream
from hopyard.models.calls.thoughts import without_thoughts
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.concurrency import Scheduler
from hopyard.models.ledger import Entry, Ledger
from hopyard.models.notices import point_out
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.recorded import RecordedCall, Recorder, recorded_key
from hopyard.models.telemetry import call_span, log_call
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted
from hopyard.state.usage import Meter

if TYPE_CHECKING:
    from hopyard.models.calls.voice import Spoken

__all__ = ("ModelCaller",)

logger = logging.getLogger(__name__)

RETRIES: Final = 2
"""Maximum retries after an output that does not fit its schema."""
_METERS_KEPT: Final = 4096


@dataclass(frozen=True)
class _Call(Generic[OutputT]):
    """One attempt at a call: everything that the answer depends on, and the run that pays."""

    prompt: Prompt[OutputT]
    values: Mapping[str, str]
    messages: list[BaseMessage]
    attempt: int
    context: Context
    run: str
    final: bool
    step: str
    stream: AnswerStream | None

    @property
    def sampling(self) -> Sampling:
        return sampling_of(self.prompt, self.context, self.attempt)

    def key(self, model: str) -> str:
        return call_key(model, self.prompt, self.messages, self.context, self.attempt)

    @property
    def recorded_key(self) -> str:
        return recorded_key(
            [(message.type, message.content) for message in self.messages],
            json_schema(self.prompt.output),
            temperature=self.sampling.temperature,
            seed=self.sampling.seed,
        )


class ModelCaller:
    """Calls a chat model and keeps the answers in a ledger.

    Args:
        provider: The model.
        ledger: Answers the calls that were made before.
        recorder: Records every answered call, those that the ledger answers too.
    """

    retries: int = RETRIES

    def __init__(
        self, provider: ChatProvider, ledger: Ledger, recorder: Recorder | None = None
    ) -> None:
        self.provider = provider
        self.ledger = ledger
        self.recorder = recorder
        self._meters: OrderedDict[str, Meter] = OrderedDict()
        self._metering = threading.Lock()
        self._spoken: OrderedDict[str, Spoken] = OrderedDict()
        self._notes: OrderedDict[str, dict[str, None]] = OrderedDict()
        # A future belongs to the event loop that made it; a process may run several in turn.
        self._schedulers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, Scheduler]] = (
            WeakKeyDictionary()
        )
        self._running: WeakKeyDictionary[
            asyncio.AbstractEventLoop, dict[str, asyncio.Task[tuple[Entry, bool]]]
        ] = WeakKeyDictionary()

    def meter(self, run: str) -> Meter:
        """The run's meter, which starts with the run's totals in the ledger."""
        with self._metering:
            if run not in self._meters:
                self._meters[run] = Meter(self.ledger.usage(run), self.ledger.endings(run))
                while len(self._meters) > _METERS_KEPT:
                    self._meters.popitem(last=False)
            return self._meters[run]

    def stop_clock(self, run: str) -> None:
        """Forget the run's meter, so that time spent waiting for a person is not counted.

        No call of the run may be running. The next meter starts with the totals in the ledger.
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
        stream: bool = False,
        step: str = "",
        retries: int | None = None,
    ) -> OutputT:
        """Ask the model. While the output does not fit, ask again in another way.

        Args:
            prompt: The prompt.
            values: Fill the prompt's template.
            context: The run's settings.
            run: The run that pays.
            final: Whether this is the closing call, for which the budget keeps a place. Its answer
                is streamed (`models.calls.stream`).
            stream: Whether the answer of another call is streamed too.
            step: The id of the step that the call belongs to.
            retries: How often the model is asked again; `RETRIES` by default.

        Returns:
            The output. `Output.cut` tells whether the end of its text is missing.

        Raises:
            BudgetExceededError: The run's budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """
        most = self.retries if retries is None else retries
        try:
            output = await self._told(prompt, values, context, run, final, stream, step, most)
        except ModelOutputError as error:
            await self._note_ending(run, (step, prompt.name), error.reason)
            raise
        ending = Ending.CUT.value if output.cut else ""
        await self._note_ending(run, (step, prompt.name), ending)
        return output

    async def _note_ending(self, run: str, call: tuple[str, str], ending: str) -> None:
        meter = await asyncio.to_thread(self.meter, run)
        if meter.note_ending(call, ending):
            await asyncio.to_thread(self.ledger.note_ending, run, call, ending)

    async def _told(
        self,
        prompt: Prompt[OutputT],
        values: Mapping[str, str],
        context: Context,
        run: str,
        final: bool,
        stream: bool,
        step: str,
        retries: int,
    ) -> OutputT:
        """The output, whose answer is streamed if it is wanted."""
        read = (final or stream) and ANSWER_FIELD in prompt.output.model_fields
        answer = answer_stream(markers=prompt.output.markers) if read else None
        if answer is None:
            return await self._tried(prompt, values, context, run, final, step, None, retries)
        complete = False
        try:
            output = await self._tried(prompt, values, context, run, final, step, answer, retries)
            answer.settle(getattr(output, ANSWER_FIELD))
            complete = True
        finally:
            if spoken := await answer.end(complete=complete):
                self._spoken[run] = spoken
                while len(self._spoken) > _METERS_KEPT:
                    self._spoken.popitem(last=False)
        return output

    def notes(self, run: str) -> list[str]:
        """What a reader of the run's answer has to know about its calls, in sentences."""
        return list(self._notes.get(run, ()))

    def _note(self, run: str, sentence: str) -> None:
        self._notes.setdefault(run, {})[sentence] = None
        while len(self._notes) > _METERS_KEPT:
            self._notes.popitem(last=False)
        point_out(sentence)

    def spoken(self, run: str) -> Spoken | None:
        """The last message of a run on the messages stream; None if there is none."""
        return self._spoken.get(run)

    async def _tried(
        self,
        prompt: Prompt[OutputT],
        values: Mapping[str, str],
        context: Context,
        run: str,
        final: bool,
        step: str,
        answer: AnswerStream | None,
        retries: int,
    ) -> OutputT:
        problem = ""
        for attempt in range(retries + 1):
            worded = prompt_of_attempt(prompt, attempt)
            messages = worded.messages(values)
            entry = await self._answer(
                _Call(worded, values, messages, attempt, context, run, final, step, answer)
            )
            try:
                return self._parse(entry.output, prompt)[0]
            except UnfitOutputError as error:
                problem = str(error)
                logger.info("%s, attempt %d: %s", prompt.name, attempt + 1, problem)
        tries = counted(retries + 1, "attempt")
        if not entry.output.strip():
            raise CallFailedError(
                f"The model {self.provider.identity} said nothing outside of its thoughts in "
                f"{tries}; turn its thinking off, or use another model.",
                reason=Ending.EMPTY.value,
            )
        raise ModelOutputError(
            f"The prompt {prompt.name!r} got no usable output from {self.provider.identity} in "
            f"{tries} ({problem}); try a larger model."
        )

    async def drain(self) -> None:
        """Wait until all running calls are finished and recorded.

        When one branch ends a run, the calls that its siblings are paying for are not lost.
        """
        running = self._running.get(asyncio.get_running_loop(), {})
        while running:
            await asyncio.wait(list(running.values()))

    async def _answer(self, call: _Call[OutputT]) -> Entry:
        """The finished call: from an identical running call, the ledger or the model."""
        key = call.key(self.provider.identity)
        with call_span(call.prompt.name, self.provider.identity, call.attempt) as span:
            entry, cached = await self._shared(key, call)
            span.end(entry, cached=cached)
        log_call(entry, cached=cached)
        return entry

    async def _shared(self, key: str, call: _Call[OutputT]) -> tuple[Entry, bool]:
        """The finished call, and whether it cost this run nothing."""
        running = self._running.setdefault(asyncio.get_running_loop(), {})
        # Shielded: a call that is being paid for is finished and recorded, even if nobody waits.
        while key in running:
            with suppress(BudgetExceededError):  # of the other run, not of this run
                await asyncio.shield(running[key])
            await asyncio.sleep(0)  # lets the callback run that forgets a finished call
        running[key] = asyncio.create_task(self._known_or_paid(key, call))
        running[key].add_done_callback(lambda done: _forget(running, key, done))
        return await asyncio.shield(running[key])

    async def _known_or_paid(self, key: str, call: _Call[OutputT]) -> tuple[Entry, bool]:
        # The meter comes first: it starts with the ledger's totals, without this call.
        meter = await asyncio.to_thread(self.meter, call.run)
        known = await asyncio.to_thread(self.ledger.find, key, call.run, step=call.step)
        if known is not None:
            meter.count_cached()
        entry = known or await self._paid(key, call)
        if self.recorder is not None:
            await asyncio.to_thread(self.recorder.record, call.recorded_key, _recorded(entry))
        return entry, known is not None

    async def _paid(self, key: str, call: _Call[OutputT]) -> Entry:
        meter, prompt = self.meter(call.run), call.prompt
        async with self._scheduler(call.context).place(f"{prompt.name}/{prompt.version}"):
            meter.start_call(call.context.budget, final=call.final)
            started = monotonic()
            spent: Spent | None = None
            try:
                reply, sent = await self._ask(call)
                spent = spent_on(reply, sent)
            finally:
                meter.end_call(**asdict(spent or Spent()), finished=spent is not None)
            # Keep the place until the ledger has the answer, so that a kill loses no more answers
            # than there are places.
            text = without_thoughts(reply.text)
            entry = Entry(
                prompt=prompt.name,
                version=prompt.version,
                model=self.provider.identity,
                attempt=call.attempt,
                output=text,
                outcome=self._outcome(text, prompt),
                seconds=monotonic() - started,
                **asdict(spent),
            )
            await asyncio.to_thread(
                self.ledger.record,
                key,
                entry,
                run=call.run,
                run_seconds=meter.usage["seconds"],
                step=call.step,
                asked=asked_text(sent),
            )
        return entry

    async def _ask(self, call: _Call[OutputT]) -> tuple[Reply, list[BaseMessage]]:
        """The answer of the model, or of the recording in its place, and what it was sent."""
        provider = self.provider
        if provider.recording is not None:
            recorded = provider.recording.find(
                call.recorded_key, prompt=call.prompt.name, step=call.step
            )
            return _replied(recorded), call.messages
        if provider.prepare:
            await asyncio.to_thread(provider.prepare)
        sent = await request_that_fits(
            provider,
            call.prompt,
            call.values,
            call.sampling,
            call.context.timeout,
            call.stream,
        )
        if sent.note:
            self._note(call.run, sent.note)
        return sent.reply, sent.messages

    def _parse(self, text: str, prompt: Prompt[OutputT]) -> tuple[OutputT, bool]:
        return parse(text, prompt.output, self.provider.correct)

    def _outcome(self, text: str, prompt: Prompt[OutputT]) -> str:
        try:
            return "repaired" if self._parse(text, prompt)[1] else "parsed"
        except UnfitOutputError:
            return "failed"

    def _scheduler(self, context: Context) -> Scheduler:
        """The scheduler that all runs with this limit share."""
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
        done.exception()  # marks it as retrieved, even if nobody waits any more


def _recorded(entry: Entry) -> RecordedCall:
    return RecordedCall(
        output=entry.output,
        input_tokens=entry.input_tokens,
        output_tokens=entry.output_tokens,
    )


def _replied(call: RecordedCall) -> Reply:
    return Reply(call.output, Ending.FINISHED, call.input_tokens, call.output_tokens)
