"""The output of the commands of `hopyard chat`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from langchain_core.messages import AIMessage, AnyMessage
from rich.console import Group, RenderableType
from rich.text import Text

from hopyard.cli.console import printable
from hopyard.tracing.model import Trace
from hopyard.tracing.terminal import draw_evidence, draw_step

__all__ = ("HELP", "TURNS_SHOWN", "explain", "last_turns")

HELP: Final = """\
/strategy NAME   strategy of the next questions: auto, direct, single, tree, …
/why             model, gate, route, and the passages of the last answer
/trace           all steps of the last answer
/help            this list
/quit            end; you can continue the conversation later"""

TURNS_SHOWN: Final = 6
"""Messages of an old conversation that are shown when it is taken up again."""


_DECISIONS: Final = frozenset({"gate", "route"})


def last_turns(messages: Sequence[AnyMessage]) -> Iterable[Text]:
    """The end of a conversation: questions as they were typed, answers below them."""
    for message in messages[-TURNS_SHOWN:]:
        text = printable(str(message.text))
        answer = isinstance(message, AIMessage)
        yield Text(text if answer else f"> {text}", style="dim bold" if answer else "dim")


def explain(trace: Trace) -> RenderableType:
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
