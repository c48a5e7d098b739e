"""Asking in the terminal about what a run waits for, and answers given on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rich.markup import escape

from hopyard.cli.console import err, printable
from hopyard.nodes.approve import ACCEPT, STOP, WHOLE
from hopyard.state.errors import UsageError

__all__ = ("answer_from", "ask_about", "can_ask", "tell_waiting")

_YES: Final = frozenset({"", "y", "yes", ACCEPT})


def can_ask() -> bool:
    """Whether somebody sits at a terminal, who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_about(waiting: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Ask about everything that a run waits for; gives the answers by the questions' ids.

    Raises:
        KeyboardInterrupt: Nobody answers: the input has ended, or Ctrl-C was pressed.
    """
    answers = {}
    for asked in waiting:
        err.print(_describe(asked))
        try:
            answers[asked["id"]] = _ASK[asked["approve"]](asked)
        except EOFError as error:
            raise KeyboardInterrupt from error
    return answers


def tell_waiting(waiting: Sequence[Mapping[str, Any]], thread_id: str) -> None:
    """Say what a run waits for, where nobody can be asked, and how it goes on."""
    for asked in waiting:
        err.print(_describe(asked))
        err.print(f"  id {asked['id']}", markup=False, style="dim")
    err.print(
        f"The thread waits for an answer. Go on with: hopyard resume {thread_id} --answer {ACCEPT}",
        markup=False,
        soft_wrap=True,
    )
    edits = [answer for answer in waiting[0]["answers"] if answer != ACCEPT]
    given = " or ".join(
        edit if isinstance(edit, str) else f"'{json.dumps(edit)}'" for edit in edits
    )
    err.print(f"or with another answer: {given}", markup=False, soft_wrap=True, style="dim")


def answer_from(text: str) -> Any:
    """An answer as it is given on the command line: JSON, or a plain word.

    Raises:
        UsageError: It is empty, or begins like JSON and is none.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        if not text.strip() or text.lstrip()[0] in '{["':
            raise UsageError(
                f"--answer {text!r} is not valid JSON ({error}); write {ACCEPT}, or as in "
                '--answer \'{"strategy": "tree"}\'.'
            ) from error
        return text.strip()


def _describe(asked: Mapping[str, Any]) -> str:
    asked = printable(asked)
    proposed = asked["proposed"]
    proposals = [proposed] if isinstance(proposed, str) else proposed
    lines = [f"[bold cyan]{asked['approve']}[/]  {escape(asked['question'])}"]
    lines += [f"  {number}  {escape(proposal)}" for number, proposal in enumerate(proposals, 1)]
    if asked.get("reason"):
        lines.append(f"     [dim]{escape(asked['reason'])}[/]")
    if asked.get("problem"):
        lines.append(f"  [red]{escape(asked['problem'])}[/]")
    return "\n".join(lines)


def _ask_strategy(asked: Mapping[str, Any]) -> Any:
    del asked
    typed = _read("y takes it; or the name of another strategy")
    return ACCEPT if typed in _YES else typed


def _ask_split(asked: Mapping[str, Any]) -> Any:
    typed = _read("y takes them, e edits them, w leaves the question whole")
    if typed in _YES:
        return ACCEPT
    if typed in {"w", WHOLE}:
        return WHOLE
    return {"sub_questions": [_read("sub-question", old) or old for old in asked["proposed"]]}


def _ask_passages(asked: Mapping[str, Any]) -> Any:
    del asked
    typed = _read("y goes on from them, s stops here; or those to keep, with commas between them")
    if typed in _YES:
        return ACCEPT
    if typed in {"s", STOP}:
        return STOP
    return {"passages": [passage.strip() for passage in typed.split(",")]}


_ASK: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "route": _ask_strategy,
    "decomposition": _ask_split,
    "hops": _ask_passages,
}


def _read(question: str, otherwise: str = "") -> str:
    asked = f"{question} [dim]({escape(otherwise)})[/]" if otherwise else question
    return err.input(f"  {asked}: ").strip()
