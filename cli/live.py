"""A run as it happens: the answer's text on standard output, its steps dimmed on the other."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from rich.status import Status

from hopyard.agent.session import Event, Token
from hopyard.cli.console import err, out, printable
from hopyard.cli.render import event_line

__all__ = ("follow",)


class _Answer:
    """The line of standard output on which the answer grows."""

    def __init__(self) -> None:
        self._open = False

    def tell(self, token: Token) -> None:
        """Print a piece; an answer that is begun anew begins on a line of its own."""
        if token.restart:
            self.end()
        if text := printable(token.text):
            out.print(text, end="", markup=False, style="bold", soft_wrap=True)
            out.file.flush()
            self._open = True

    def end(self) -> None:
        """Go to the next line, where one is begun."""
        if self._open:
            out.print()
        self._open = False


async def follow(events: AsyncGenerator[Event, None], *, steps: bool, tokens: bool) -> None:
    """Show a run until it ends.

    Args:
        events: What the session gives; closed at the end, also if showing it fails.
        steps: Print each step on a line of its own as it ends, instead of the last one alone.
        tokens: Print the answer's tokens.
    """
    answer = _Answer()
    with Status("thinking …", console=err) as status:
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Token):
                        if tokens:
                            status.stop()
                            answer.tell(event)
                        continue
                    answer.end()
                    line = printable(event_line(event.graph, event.node, event.update))
                    if steps:
                        err.print(line, markup=False, style="dim")
                    status.update(line.replace("[", "\\[")[: max(20, err.width - 8)])
        finally:
            answer.end()
