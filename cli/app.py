"""The command line: its commands, and how an error ends them."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from hopyard.cli.console import err
from hopyard.cli.interrupts import INTERRUPTED, raise_in_command
from hopyard.state import registry
from hopyard.state.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    HopyardError,
    StoppedByUserError,
)
from hopyard.state.secrets import RedactingFormatter, redact

__all__ = ("COMMANDS", "EXIT_INTERRUPTED", "app", "load_command", "run")


class _Place(NamedTuple):
    """Where a command is defined, and what the list of commands says of it."""

    module: str
    attribute: str
    about: str


COMMANDS: Final[Mapping[str, _Place]] = {
    "ask": _Place("ask", "ask_command", "Answer a question; retrieve only as much as it needs."),
    "resume": _Place("ask", "resume_command", "Go on with a thread at its last finished step."),
    "search": _Place("search", "search_command", "Show the evidence that a search finds."),
    "chat": _Place("chat_flags", "chat_command", "Talk about your documents."),
    "trace": _Place("trace", "trace_command", "Draw how a thread came to its last answer."),
    "eval": _Place("eval", "eval_command", "Compare strategies on questions with gold answers."),
    "mcp": _Place(
        "mcp", "mcp_command", "Serve larger agents over MCP, on standard input and output."
    ),
    "settings": _Place(
        "settings", "settings_command", "List every setting with its value and meaning."
    ),
    "doctor": _Place("doctor", "doctor_command", "Say what is installed and which models answer."),
    "index": _Place("index", "app", "Build an index of documents, and keep it up to date."),
    "gate": _Place("gate", "app", "Train and use the gate that decides on retrieval."),
    "route": _Place("route", "app", "Say what choosing a strategy is worth, and train a route."),
    "graph": _Place("graph", "app", "Take the passage graph of an index elsewhere."),
    "threads": _Place("threads", "app", "Look at conversations, copy and delete them."),
}
"""A command is imported when it is called, not to list it: all together take seconds."""


class Commands(TyperGroup):
    """Hopyard's commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name, help=place.about) for name, place in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that is called, imported."""
        name, command, rest = super().resolve_command(ctx, args)
        loaded = command and load_command(command.name or "")
        raise_in_command()
        return name, loaded, rest


@cache
def load_command(name: str) -> Any:
    """A command with its options."""
    place = COMMANDS[name]
    found = getattr(importlib.import_module(f"hopyard.cli.{place.module}"), place.attribute)
    if not isinstance(found, typer.Typer):
        group = typer.Typer()
        group.command(name)(found)
        found = group
    command = typer.main.get_command(found)
    command.name = name
    return command


app = typer.Typer(
    name="hopyard",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answer questions from your documents; retrieve only as much as each needs.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"hopyard {importlib.metadata.version('hopyard')}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and log it all.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Set up logging before any command runs."""
    del version
    level = logging.DEBUG if debug else logging.INFO if verbose else logging.ERROR
    lines = logging.StreamHandler()
    lines.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[lines])
    logging.getLogger("hopyard").setLevel(level)
    # A package that is broken is told of without --verbose: its methods are missing everywhere.
    logging.getLogger(registry.__name__).setLevel(min(level, logging.WARNING))
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG


def run() -> None:
    """Run the command line; an error is one sentence, a traceback only under --debug."""
    debug = "--debug" in sys.argv
    try:
        app()
    except SystemExit as ended:
        if ended.code == EXIT_INTERRUPTED:  # typer's, of Ctrl-C that no command has taken
            _say(INTERRUPTED)
        raise
    except StoppedByUserError as stopped:
        _say(str(stopped))
        sys.exit(EXIT_INTERRUPTED)
    except HopyardError as error:
        _end(str(error), error.exit_code, debug=debug)
    except KeyboardInterrupt:
        _say(INTERRUPTED)
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:  # a full disk, a missing permission: nobody's fault
        _end(f"{error}.", EXIT_FAILED, debug=debug)
    except Exception as error:  # the boundary: whatever is left becomes one sentence
        fault = "this is a fault of Hopyard's, `hopyard --debug …` shows where."
        _end(f"{type(error).__name__}: {error}; {fault}", EXIT_FAILED, debug=debug)


def _say(sentence: str) -> None:
    """Tell of an interruption, on a line of its own where the terminal shows ^C."""
    before = "\n" if sys.stderr.isatty() else ""
    err.print(f"{before}{sentence}", markup=False, soft_wrap=True)


def _end(sentence: str, code: int, *, debug: bool) -> NoReturn:
    """Say what went wrong, without any secret that the error may carry, and end."""
    if debug:
        sys.stderr.write(redact(traceback.format_exc()))
    else:
        err.print(f"[red]Error:[/] {_plain(redact(sentence))}", soft_wrap=True)
    sys.exit(code)


def _plain(text: str) -> str:
    return text.replace("[", "\\[")
