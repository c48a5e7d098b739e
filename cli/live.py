"""A run as it happens: the answer's text on standard output, its steps dimmed on the other."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from rich.status import Status

from hopyard.agent.events import Event, Token
from hopyard.cli.console import err, out, printable
from hopyard.prompts.passages import one_line
from hopyard.state.schemas import Step
from hopyard.tracing.describe import gate_step, line_of, route_step


class _Progress:
    """The steps of a run so far. An update may repeat steps of earlier updates."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[str, str]] = {}

    def line(self, event: Event) -> str:
        """A finished step of the graph on one line, with what is new in the reasoning."""
        name = f"{event.graph} · {event.node}" if event.graph else event.node
        if steps := self._news(event):
            told = " | ".join(line_of(step, {}) for step in steps)
            return one_line(f"{event.graph} · {told}" if event.graph else told)
        answer = event.update.get("answer")
        return one_line(f"{name}: {answer}" if answer else name)

    def _news(self, event: Event) -> list[Step]:
        update, steps = event.update, list(event.steps)
        if event.node == "gate" and "gate" in update:
            steps.append(gate_step(update["gate"]))
        if event.node == "route" and "route" in update:
            steps.append(route_step(update["route"]))
        news = []
        for step in steps:
            came_of = (step.get("answer", ""), step.get("verdict", ""))
            if self._told.get(step["id"]) != came_of:
                self._told[step["id"]] = came_of
                news.append(step)
        return news


class _Answer:
    """The answer on standard output: it grows at a terminal, elsewhere it is printed at the end."""

    def __init__(self) -> None:
        self._grows = out.is_terminal
        self._text = ""

    def tell(self, token: Token) -> None:
        """Print a piece; an answer that starts again starts on a new line."""
        if token.restart:
            self.end_line()
            self._text = ""
        text = printable(token.text)
        self._text += text
        if text and self._grows:
            out.print(text, end="", markup=False, style="bold", soft_wrap=True)
            out.file.flush()

    def end_line(self) -> None:
        """End the line of a growing answer, if there is one."""
        if self._grows and self._text:
            out.print()
            self._text = ""

    def end(self) -> None:
        """Nothing follows."""
        if self._text:
            out.print(*([] if self._grows else [self._text]), markup=False, soft_wrap=True)


async def follow(events: AsyncGenerator[Event, None], *, steps: bool, tokens: bool) -> None:
    """Show a run until it ends.

    Args:
        events: The session's events. The stream is closed at the end, even after an error.
        steps: Print each step on a line of its own as it ends, instead of the last one alone.
    """
    answer, progress = _Answer(), _Progress()
    with Status("thinking …", console=err) as status:
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Token):
                        if tokens:
                            status.stop()
                            answer.tell(event)
                        continue
                    answer.end_line()
                    line = printable(progress.line(event))
                    if steps:
                        err.print(line, markup=False, style="dim")
                    status.update(line.replace("[", "\\[")[: max(20, err.width - 8)])
        finally:
            answer.end()
