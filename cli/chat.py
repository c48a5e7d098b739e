"""A conversation on one thread, which is kept from one start to the next."""

from __future__ import annotations

import shlex
import sys
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage
from rich.console import Group, RenderableType
from rich.text import Text

from hopyard.agent.session import Event, Session, new_thread_id, open_session
from hopyard.agent.thread_settings import Changes
from hopyard.cli.console import err, out, printable, tell
from hopyard.cli.interrupts import Runner
from hopyard.cli.live import follow
from hopyard.cli.render import answer_lines, usage_line, warning_lines
from hopyard.cli.thread_settings import flags_for, nested, told_settings
from hopyard.nodes.index_facts import check_index
from hopyard.nodes.lifecycle import check_question
from hopyard.nodes.run import Run
from hopyard.state.errors import HopyardError, StoppedByUserError, ThreadMissingError, UsageError
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import change_context, read_context, setting_changes
from hopyard.state.storage.thread_names import resume_command
from hopyard.state.text.counting import counted
from hopyard.tracing.model import Trace
from hopyard.tracing.read import read_trace
from hopyard.tracing.terminal import draw_evidence, draw_step, draw_trace

_HELP: Final = """\
/strategy NAME   strategy of the next questions: auto, direct, single, tree, …
/why             model, gate, route, and the passages of the last answer
/trace           all steps of the last answer
/help            this list
/quit            end; you can continue the conversation later"""

_TURNS_SHOWN: Final = 6
"""Messages of an old conversation that are shown when it is taken up again."""
_DECISIONS: Final = frozenset({"gate", "route"})


def talk(thread_id: str | None, given: Given) -> None:
    """Hold a conversation.

    Args:
        thread_id: The thread; None starts a new thread.

    Raises:
        StoppedByUserError: Ctrl-C.
        HopyardError: There is no index; or, in a script, whatever ends a question.
    """
    thread_id = thread_id or new_thread_id()
    with Runner() as runner:
        chat = _Chat(runner, thread_id, given)
        try:
            chat.open()
            chat.check_index()
            for line in _lines():
                if not chat.take(line):
                    break
            tell(chat.how_to_go_on(), style="dim")
        except KeyboardInterrupt as error:
            raise StoppedByUserError(f"Interrupted. {chat.how_to_go_on()}") from error
        finally:
            chat.close()


class _Chat:
    """The conversation: one session, one thread, the settings of the next question."""

    def __init__(self, runner: Runner, thread_id: str, given: Given) -> None:
        self._runner = runner
        self._thread_id = thread_id
        self._given = given
        self._context = given.context
        self._opened = AsyncExitStack()
        self._session: Session = runner.run(self._opened.enter_async_context(open_session()))

    def open(self) -> None:
        """Show what was said before, and finish what was left unfinished."""
        caller = self._given.context.groups
        self._runner.run(self._session.check_groups(self._thread_id, caller))
        try:
            before = self._result()
        except ThreadMissingError:
            self._tell_status()
            return
        settings = told_settings(self._session, self._thread_id, self._given)
        self._context = self._runner.run(settings).context
        self._tell_status()
        for text in _last_turns(before["messages"]):
            out.print(text)
        if len(before["messages"]) > _TURNS_SHOWN:
            err.print(f"{counted(len(before['messages']), 'message')}", style="dim")
        if not before["finished"]:
            self._tell_errors(self._finish)

    def check_index(self) -> None:
        """See that there is something to ask, before a question is typed."""
        self._runner.run(check_index(Run("", self._context, self._session.resources)))

    def close(self) -> None:
        """Close the thread store."""
        self._runner.run(self._opened.aclose())

    def take(self, line: str) -> bool:
        """One line: a question, or a command; False where it ends the conversation."""
        line = line.strip()
        if line == "/quit":
            return False
        if line:
            self._tell_errors(
                lambda: self._command(line) if line.startswith("/") else self._ask(line)
            )
        return True

    def how_to_go_on(self) -> str:
        """The command that continues the conversation, and finishes a cut-off answer.

        A thread keeps its settings: only what it does not have yet is named.
        """
        flags = " ".join(["", *flags_for(self._changes())])
        return f"Continue with: hopyard chat{flags} --thread {shlex.quote(self._thread_id)}"

    def _changes(self) -> Changes:
        """The settings that the thread does not have yet, or the flags for a new thread."""
        try:
            return self._runner.run(self._session.changes(self._thread_id, self._context))
        except ThreadMissingError:
            return setting_changes(read_context({}), self._context)

    def _tell_status(self) -> None:
        """Print the settings of the next question."""
        index = f" · index {self._context.index}" if self._context.index else " · no index"
        tell(
            f"thread {self._thread_id} · model {self._context.model} · strategy "
            f"{self._context.strategy}{index} · /help lists the commands",
            style="dim",
        )

    def _tell_errors(self, work: Callable[[], None]) -> None:
        """Print an error and continue at a terminal. In a script, the error ends the chat."""
        try:
            work()
        except HopyardError as error:
            if not sys.stdin.isatty():
                raise
            err.print("[red]Error:[/] ", end="")
            tell(str(error))

    def _ask(self, question: str) -> None:
        checked = check_question(question)
        if self._is_unfinished():
            self._finish()
        self._show(self._session.ask(checked, self._context, self._thread_id, tokens=True), checked)

    def _finish(self) -> None:
        """Continue a question that a kill, Ctrl-C or an error has interrupted."""
        question = self._result().get("question", "")
        err.print(f"continuing: {printable(question)}", markup=False, style="dim")
        changes = nested(self._changes())
        events = self._session.resume(self._thread_id, tokens=True, changes=changes)
        self._show(events, question)

    def _show(self, events: AsyncGenerator[Event, None], asked: str) -> None:
        """The answer as it comes; then its quotes and its cost."""
        self._runner.run(follow(_with_rewrite(events, asked), steps=False, tokens=True))
        result = self._result()
        if result["waiting"]:
            raise UsageError(
                "The question waits for an approval, which chat cannot give; run "
                f"`{resume_command(self._thread_id)}`, and do not set approve for chat."
            )
        result = printable(result)
        for line in answer_lines(result):
            out.print(line)
        for line in (*warning_lines(result), usage_line(result)):
            err.print(line)

    def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        if name == "/help":
            out.print(_HELP, markup=False)
        elif name == "/strategy":
            self._strategy(rest.strip())
        elif name == "/trace":
            out.print(draw_trace(self._runner.run(read_trace(self._session, self._thread_id))))
        elif name == "/why":
            out.print(_explain(self._runner.run(read_trace(self._session, self._thread_id))))
        else:
            raise UsageError(f"There is no command {name!r}; /help lists those there are.")

    def _strategy(self, name: str) -> None:
        if name:
            self._context = change_context(self._context, {"strategy": name})
        err.print(f"strategy {self._context.strategy}", style="dim")

    def _is_unfinished(self) -> bool:
        try:
            return not self._result()["finished"]
        except ThreadMissingError:
            return False

    def _result(self) -> dict[str, Any]:
        return self._runner.run(self._session.result(self._thread_id))


async def _with_rewrite(
    events: AsyncGenerator[Event, None], asked: str
) -> AsyncGenerator[Event, None]:
    """The same events; a follow-up is shown as it was understood."""
    async with aclosing(events):
        async for event in events:
            understood = event.update.get("question", asked) if event.node == "receive" else asked
            if understood != asked:
                err.print(f"understood as: {printable(understood)}", markup=False, style="dim")
            yield event


def _lines() -> Iterator[str]:
    """The lines that are typed or piped in; at a terminal with a prompt and line editing."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):  # input() edits lines with it, where it exists
        import readline  # noqa: F401
    with suppress(EOFError):
        while True:
            yield input("> ")
    err.print()


def _last_turns(messages: Sequence[AnyMessage]) -> Iterable[Text]:
    """The end of a conversation: questions as they were typed, answers below them."""
    for message in messages[-_TURNS_SHOWN:]:
        text = printable(str(message.text))
        answer = isinstance(message, AIMessage)
        yield Text(text if answer else f"> {text}", style="dim bold" if answer else "dim")


def _explain(trace: Trace) -> RenderableType:
    """Gate and route with their reasons, and the passages that the answer was read from."""
    lines: list[RenderableType] = []
    if trace.asked:
        lines.append(Text(printable(f"understood as: {trace.question}")))
    lines.append(Text(printable(f"model {trace.model}")))
    lines += [
        draw_step(step, trace.names) for step in trace.steps if step.record["kind"] in _DECISIONS
    ]
    lines += draw_evidence(trace) or [Text("No passage was read.", style="dim")]
    return Group(*lines)
