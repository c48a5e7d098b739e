"""Makes every model call: a prompt and values in, a validated object out.

In between: the ledger (no finished call is paid for twice), the budget, the limit on calls at once,
constrained output, one repair by rule, a bounded number of retries, then a typed failure.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic

from hopyard.models.calls.attempt import Attempt
from hopyard.models.calls.parse import UnfitOutputError, parse
from hopyard.models.calls.reply import Ending, Reply, Spent, prompt_tokens, spent_on
from hopyard.models.calls.sized_request import Sent, request_that_fits
from hopyard.models.calls.stream import ANSWER_FIELD, AnswerStream, answer_stream
from hopyard.models.calls.thoughts import without_thoughts
from hopyard.models.chat import ChatProvider
from hopyard.models.concurrency import PerLoop, Twins
from hopyard.models.ledger import Ledger
from hopyard.models.ledger_tables import Entry
from hopyard.models.names import point_out
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.recorded import RecordedCall, Recorder
from hopyard.models.telemetry import log_call
from hopyard.state.errors import BudgetExceededError, CallFailedError, ModelOutputError
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted
from hopyard.state.usage import Meter

if TYPE_CHECKING:
    from hopyard.models.calls.voice import Spoken

logger = logging.getLogger(__name__)

RETRIES: Final = 2
"""Maximum retries after an output that does not fit its schema."""
_RUNS_KEPT: Final = 4096


@dataclass(frozen=True)
class _Call(Generic[OutputT]):
    """One attempt at a call, the run that pays, and the stream of its answer."""

    attempt: Attempt[OutputT]
    run: str
    final: bool
    step: str
    stream: AnswerStream | None

    @property
    def prompt(self) -> Prompt[OutputT]:
        return self.attempt.prompt


@dataclass
class _Run:
    """Facts about a run's calls that the ledger does not have. They outlive each step."""

    meter: Meter | None = None
    spoken: Spoken | None = None
    under_way: set[str] = field(default_factory=set)
    """The keys of its running calls."""


class ModelCaller:
    """Calls a chat model and keeps the answers in a ledger.

    Args:
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
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self._lock = threading.RLock()
        self._places = PerLoop[int, asyncio.Semaphore](asyncio.Semaphore)
        self._twins = Twins[tuple[Entry, bool]](of_others=BudgetExceededError)

    def _run(self, run: str) -> _Run:
        with self._lock:
            found = self._runs.setdefault(run, _Run())
            while len(self._runs) > _RUNS_KEPT:
                self._runs.popitem(last=False)
            return found

    def meter(self, run: str) -> Meter:
        """The run's meter, which starts with the run's totals in the ledger."""
        with self._lock:
            known = self._run(run)
            if known.meter is None:
                known.meter = Meter(self.ledger.usage(run), self.ledger.endings(run))
            return known.meter

    def stop_clock(self, run: str) -> None:
        """Forget the run's meter, so that time spent waiting for a person is not counted.

        No call of the run may be running. The next meter starts with the totals in the ledger.
        """
        self._run(run).meter = None

    def forget(self, run: str) -> None:
        """Forget a run that has ended: a server answers many."""
        with self._lock:
            self._runs.pop(run, None)

    def stop(self, run: str) -> None:
        """Stop the running calls of a run, of this event loop. A person does not want them."""
        self._twins.stop([*self._run(run).under_way])

    def spoken(self, run: str) -> Spoken | None:
        """The run's last message on the messages stream, if any."""
        return self._run(run).spoken

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
            values: Fill the prompt's template.
            final: Whether this is the closing call, for which the budget keeps a place. Its answer
                is streamed (`models.calls.stream`).
            stream: Whether the answer of another call is streamed too.
            retries: How often the model is asked again; `RETRIES` by default.

        Returns:
            The output. `Output.cut` tells whether the end of its text is missing.

        Raises:
            BudgetExceededError: The run's budget is used up.
            ModelUnreachableError: The model does not answer.
            ModelOutputError: The output did not fit the schema after repair and retries.
        """
        read = (final or stream) and ANSWER_FIELD in prompt.output.model_fields
        answer = answer_stream(markers=prompt.output.markers) if read else None
        call = _Call(Attempt(prompt, values, context), run, final, step, answer)
        try:
            output = await self._streamed(call, self.retries if retries is None else retries)
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

    async def _streamed(self, call: _Call[OutputT], retries: int) -> OutputT:
        """The output, whose answer is streamed if it is wanted."""
        if call.stream is None:
            return await self._tried(call, retries)
        complete = False
        try:
            output = await self._tried(call, retries)
            call.stream.settle(getattr(output, ANSWER_FIELD))
            complete = True
        finally:
            if spoken := await call.stream.end(complete=complete):
                self._run(call.run).spoken = spoken
        return output

    async def _tried(self, call: _Call[OutputT], retries: int) -> OutputT:
        problem, prompt = "", call.prompt
        for number in range(retries + 1):
            entry = await self._answer(replace(call, attempt=replace(call.attempt, number=number)))
            try:
                return self._parse(entry.output, prompt)[0]
            except UnfitOutputError as error:
                problem = str(error)
                logger.info("%s, attempt %d: %s", prompt.name, number + 1, problem)
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
        await self._twins.drain()

    async def _answer(self, call: _Call[OutputT]) -> Entry:
        """The finished call: from an identical running call, the ledger or the model."""
        key = call.attempt.key(self.provider.identity)
        entry, cached = await self._twins.share(key, lambda: self._known_or_paid(key, call))
        log_call(entry, cached=cached)
        return entry

    async def _known_or_paid(self, key: str, call: _Call[OutputT]) -> tuple[Entry, bool]:
        # The meter comes first: it starts with the ledger's totals, without this call.
        meter = await asyncio.to_thread(self.meter, call.run)
        known = await self._find(key, call)
        if known is None:
            under_way = self._run(call.run).under_way
            under_way.add(key)
            try:
                async with self.ledger.turns.asking(key):
                    # Another process may have finished the call meanwhile.
                    known = await self._find(key, call)
                    entry = known or await self._paid(key, call)
            finally:
                under_way.discard(key)
        else:
            entry = known
        if known is not None:
            meter.count_cached()
        if self.recorder is not None:
            recorded = RecordedCall.model_validate(entry, from_attributes=True)
            await asyncio.to_thread(self.recorder.record, call.attempt.recorded_key, recorded)
        return entry, known is not None

    async def _find(self, key: str, call: _Call[OutputT]) -> Entry | None:
        return await asyncio.to_thread(self.ledger.find, key, call.run, step=call.step)

    async def _paid(self, key: str, call: _Call[OutputT]) -> Entry:
        meter, prompt, context = self.meter(call.run), call.prompt, call.attempt.context
        # All runs with this limit share its places, and a limit that was set holds for all
        # processes that share the ledger.
        async with (
            self._places(context.concurrency or self.provider.concurrency),
            self.ledger.turns.place(self.provider.identity, context.concurrency),
        ):
            budget, name = context.budget, self.provider.identity
            await asyncio.to_thread(meter.check_day, budget, self.ledger.spent_today)
            meter.start_call(budget, final=call.final)
            spent: Spent | None = None
            try:
                tokens = prompt_tokens(call.attempt.messages)
                async with self.ledger.turns.in_turn(name, budget, tokens) as tell:
                    started = monotonic()
                    sent = await self._ask(call)
                    spent = spent_on(sent.reply, sent.messages)
                    tell(spent.input_tokens + spent.output_tokens)
            finally:
                meter.end_call(**asdict(spent or Spent()), finished=spent is not None)
            # Keep the place until the ledger has the answer, so that a kill loses no more answers
            # than there are places.
            text = without_thoughts(sent.reply.text)
            entry = Entry(
                prompt=prompt.name,
                version=prompt.version,
                model=self.provider.identity,
                attempt=call.attempt.number,
                output=text,
                outcome=self._outcome(text, prompt),
                seconds=sent.reply.seconds or monotonic() - started,
                note=sent.note,
                **asdict(spent),
            )
            await asyncio.to_thread(
                self.ledger.record,
                key,
                entry,
                run=call.run,
                run_seconds=meter.usage["seconds"],
                step=call.step,
                asked=sent.messages,
                person=budget.person,
            )
        return entry

    async def _ask(self, call: _Call[OutputT]) -> Sent:
        """The answer of the model, or of the recording in its place, and the messages sent."""
        provider, attempt = self.provider, call.attempt
        if provider.recording is not None:
            found = provider.recording.find(
                attempt.recorded_key, prompt=attempt.prompt.name, step=call.step
            )
            reply = Reply(found.output, Ending.FINISHED, found.input_tokens, found.output_tokens)
            return Sent(reply, attempt.messages, "")
        if provider.prepare:
            await asyncio.to_thread(provider.prepare)
        sent = await request_that_fits(provider, attempt, call.stream)
        if sent.note:
            point_out(sent.note)
        return sent

    def _parse(self, text: str, prompt: Prompt[OutputT]) -> tuple[OutputT, bool]:
        return parse(text, prompt.output, self.provider.correct)

    def _outcome(self, text: str, prompt: Prompt[OutputT]) -> str:
        try:
            return "repaired" if self._parse(text, prompt)[1] else "parsed"
        except UnfitOutputError:
            return "failed"
