"""The command line's entry: its commands, and how an error ends it."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from hopyard.cli.console import err
from hopyard.state.errors import EXIT_FAILED, EXIT_INTERRUPTED, HopyardError
from hopyard.state.secrets import RedactingFormatter, redacted

__all__ = ("app", "main")

COMMANDS: Final = {
    "ask": "ask:ask_command",
    "resume": "ask:resume_command",
    "chat": "chat:chat_command",
    "trace": "trace:trace_command",
    "eval": "eval:eval_command",
    "mcp": "mcp:mcp_command",
    "settings": "settings:settings_command",
    "doctor": "doctor:doctor_command",
    "index": "index:app",
    "gate": "gate:app",
    "graph": "graph:app",
    "threads": "threads:app",
}
"""Where each command stands. Its module is imported when it is called, not to call another."""


class Imported(Mapping[str, Any]):
    """The commands by name, each imported when it is taken: all together take seconds."""

    def __getitem__(self, name: str) -> Any:
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(TyperGroup):
    """Hopyard's commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Imported()  # type: ignore[assignment]


@cache
def _command(name: str) -> Any:
    module, _, attribute = COMMANDS[name].partition(":")
    found = getattr(importlib.import_module(f"hopyard.cli.{module}"), attribute)
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
    help="Answer each question with the least retrieval that will do.",
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
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG


def main() -> None:
    """Run the command line; an error is one sentence, a traceback only under --debug."""
    debug = "--debug" in sys.argv
    try:
        app()
    except HopyardError as error:
        _end(str(error), error.exit_code, debug=debug)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:  # a full disk, a missing permission: nobody's fault
        _end(f"{error}.", EXIT_FAILED, debug=debug)
    except Exception as error:  # the boundary: whatever is left becomes one sentence
        fault = "this is a fault of Hopyard's, `hopyard --debug …` shows where."
        _end(f"{type(error).__name__}: {error}; {fault}", EXIT_FAILED, debug=debug)


def _end(sentence: str, code: int, *, debug: bool) -> NoReturn:
    """Say what went wrong, without any secret that the error may carry, and end."""
    if debug:
        sys.stderr.write(redacted(traceback.format_exc()))
    else:
        err.print(f"[red]Error:[/] {_plain(redacted(sentence))}", soft_wrap=True)
    sys.exit(code)


def _plain(text: str) -> str:
    return text.replace("[", "\\[")


if __name__ == "__main__":
    main()
