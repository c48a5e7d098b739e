"""Asking in the terminal about what a run waits for, and answers given on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rich.markup import escape

from hopyard.cli.console import err, printable, tell
from hopyard.nodes.approve import APPROVE, EDIT, REJECT
from hopyard.state.errors import UsageError
from hopyard.state.storage.thread_names import resume_command

_YES: Final = frozenset({"", "y", "yes", APPROVE})


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
            answers[asked["id"]] = _ASK[_action(asked)["name"]](asked)
        except EOFError as error:
            raise KeyboardInterrupt from error
    return answers


def tell_waiting(waiting: Sequence[Mapping[str, Any]], thread_id: str) -> None:
    """Say what a run waits for and how to continue it, where nobody can be asked."""
    for asked in waiting:
        err.print(_describe(asked))
        err.print(f"  id {asked['id']}", markup=False, style="dim")
    tell(
        "The thread waits for an answer. To approve, run: "
        f"{resume_command(thread_id, f'--answer {APPROVE}')}"
    )
    others = [_written(waiting[0], kind) for kind in _allowed(waiting[0]) if kind != APPROVE]
    tell(f"Other answers: {' or '.join(others)}", style="dim")


def _written(asked: Mapping[str, Any], decision: str) -> str:
    """A decision as it is given with --answer."""
    if decision != EDIT:
        return decision
    name, proposed = _proposal(asked)
    example = ["…"] * len(proposed) if isinstance(proposed, list) else "…"
    return f"'{json.dumps({name: example}, ensure_ascii=False)}'"


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
                f"--answer {text!r} is not valid JSON ({error}); write {APPROVE}, or as in "
                '--answer \'{"strategy": "tree"}\'.'
            ) from error
        return text.strip()


def _action(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    action: Mapping[str, Any] = asked["action_requests"][0]
    return action


def _allowed(asked: Mapping[str, Any]) -> Sequence[str]:
    allowed: Sequence[str] = asked["review_configs"][0]["allowed_decisions"]
    return allowed


def _proposal(asked: Mapping[str, Any]) -> tuple[str, Any]:
    """The argument that can be edited: its name, and what is proposed."""
    [(name, proposed)] = ((n, v) for n, v in _action(asked)["args"].items() if n != "question")
    return name, proposed


def _describe(asked: Mapping[str, Any]) -> str:
    action = printable(_action(asked))
    name, proposed = _proposal(asked)
    proposed = printable(proposed)
    lines = [f"[bold cyan]{action['name']}[/]  {escape(action['args']['question'])}"]
    if isinstance(proposed, str):
        lines.append(f"  {name}: {escape(proposed)}")
    else:
        lines += [f"  {number}  {escape(proposal)}" for number, proposal in enumerate(proposed, 1)]
    lines += [f"     [dim]{escape(line)}[/]" for line in action["description"].splitlines()]
    return "\n".join(lines)


def _ask_strategy(asked: Mapping[str, Any]) -> Any:
    del asked
    typed = _read("y approves it; or the name of another strategy")
    return APPROVE if typed in _YES else {"strategy": typed}


def _ask_split(asked: Mapping[str, Any]) -> Any:
    typed = _read("y approves them, e edits them, w leaves the question whole")
    if typed in _YES:
        return APPROVE
    if typed in {"w", REJECT}:
        return REJECT
    proposed = _proposal(asked)[1]
    return {"sub_questions": [_read("sub-question", old) or old for old in proposed]}


def _ask_passages(asked: Mapping[str, Any]) -> Any:
    del asked
    typed = _read("y continues from them, s stops here; or those to keep, with commas between")
    if typed in _YES:
        return APPROVE
    if typed in {"s", REJECT}:
        return REJECT
    return {"passages": [passage.strip() for passage in typed.split(",")]}


def _ask_reading(asked: Mapping[str, Any]) -> Any:
    del asked
    typed = _read("y reads them, s reads nothing; or a smaller number of calls")
    if typed in _YES:
        return APPROVE
    return REJECT if typed in {"s", REJECT} else {"calls": typed}


_ASK: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "route": _ask_strategy,
    "decomposition": _ask_split,
    "hops": _ask_passages,
    "reading": _ask_reading,
}


def _read(question: str, otherwise: str = "") -> str:
    asked = f"{question} [dim]({escape(otherwise)})[/]" if otherwise else question
    return err.input(f"  {asked}: ").strip()
