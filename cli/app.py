"""The command line: its commands, and how an error ends them."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from hopyard.cli.console import err, tell
from hopyard.cli.interrupts import INTERRUPTED, raise_in_command
from hopyard.state import registry
from hopyard.state.errors import EXIT_FAILED, EXIT_INTERRUPTED, HopyardError, StoppedByUserError
from hopyard.state.text.secrets import RedactingFormatter, redact

__all__ = ("COMMANDS", "EXIT_INTERRUPTED", "app", "load_command", "run")


class _Place(NamedTuple):
    """Where a command is defined, and its line in the list of commands."""

    module: str
    attribute: str
    about: str


COMMANDS: Final[Mapping[str, _Place]] = {
    "ask": _Place("ask", "ask_command", "Answer a question from your documents."),
    "resume": _Place("ask", "resume_command", "Continue an interrupted thread."),
    "search": _Place("search", "search_command", "Show the evidence that a search finds."),
    "chat": _Place("ask", "chat_command", "Talk about your documents."),
    "compare": _Place(
        "compare", "compare_command", "Answer a question by several strategies, side by side."
    ),
    "trace": _Place("trace", "trace_command", "Show the steps that led to an answer."),
    "eval": _Place(
        "eval.commands", "eval_command", "Compare strategies on questions with gold answers."
    ),
    "mcp": _Place(
        "mcp.commands",
        "mcp_command",
        "Serve MCP clients over standard input and output, or over HTTP.",
    ),
    "serve": _Place(
        "serve", "serve_command", "Serve a page in the browser, and an endpoint for OpenAI clients."
    ),
    "settings": _Place(
        "settings", "settings_command", "List every setting with its value and meaning."
    ),
    "doctor": _Place("doctor.commands", "doctor_command", "Check the installation and the models."),
    "index": _Place("index.commands", "app", "Build an index of documents and keep it up to date."),
    "worker": _Place(
        "worker", "worker_command", "Work for builds of an index in Postgres, on this machine."
    ),
    "gate": _Place("gate.commands", "app", "Train and use the retrieval gate."),
    "graph": _Place("graph.commands", "app", "Export the graphs of an index."),
    "threads": _Place("threads", "app", "List, show, copy and delete conversations."),
}
"""A command is imported only when it is called, because importing all of them takes seconds."""


class Commands(TyperGroup):
    """Hopyard's commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {
            name: TyperCommand(name, help=place.about) for name, place in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that is called."""
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
    found.rich_markup_mode = None  # plain help is half as long as boxes
    found._add_completion = False  # the program has these options, not each command
    command = typer.main.get_command(found)
    command.name = name
    return command


app = typer.Typer(
    name="hopyard",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Answer questions from your documents, with as much retrieval as each question needs.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"hopyard {importlib.metadata.version('hopyard')}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks and log everything.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each step.")] = False,
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
    # Warn about a broken package even without --verbose, because its methods are missing.
    logging.getLogger(registry.__name__).setLevel(min(level, logging.WARNING))
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG


def run(commands: Callable[[], Any] = app) -> None:
    """Run the command line. An error is one sentence; --debug adds a traceback."""
    debug = "--debug" in sys.argv
    try:
        commands()
    except SystemExit as ended:
        if ended.code == EXIT_INTERRUPTED:  # Typer's exit after Ctrl-C outside a command
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
    except OSError as error:  # a full disk or a missing permission
        _end(f"{error}.", EXIT_FAILED, debug=debug)
    except Exception as error:  # the boundary: every other error becomes one sentence
        fault = "this is a bug in Hopyard; `hopyard --debug …` shows where."
        _end(f"{type(error).__name__}: {error}; {fault}", EXIT_FAILED, debug=debug)


def _say(sentence: str) -> None:
    """Report an interruption, on its own line if the terminal shows ^C."""
    before = "\n" if sys.stderr.isatty() else ""
    tell(f"{before}{sentence}")


def _end(sentence: str, code: int, *, debug: bool) -> NoReturn:
    """Print the error without secrets, and exit."""
    if debug:
        sys.stderr.write(redact(traceback.format_exc()))
    else:
        plain = redact(sentence).replace("[", "\\[")
        err.print(f"[red]Error:[/] {plain}", soft_wrap=True)
    sys.exit(code)
