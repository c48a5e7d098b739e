"""The command line's entry: its commands, and how an error ends it."""

from __future__ import annotations

import importlib.metadata
import logging
import sys
import traceback
from typing import Annotated, NoReturn

import typer

from hopyard.cli import gate, graph, index, threads
from hopyard.cli.ask import ask_command, resume_command
from hopyard.cli.chat import chat_command
from hopyard.cli.console import err
from hopyard.cli.doctor import doctor_command
from hopyard.cli.eval import eval_command
from hopyard.cli.mcp import mcp_command
from hopyard.cli.settings import settings_command
from hopyard.cli.trace import trace_command
from hopyard.state.errors import EXIT_FAILED, EXIT_INTERRUPTED, HopyardError
from hopyard.state.secrets import RedactingFormatter, redacted

__all__ = ("app", "main")

app = typer.Typer(
    name="hopyard",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answer each question with the least retrieval that will do.",
)
app.add_typer(index.app, name="index")
app.add_typer(gate.app, name="gate")
app.add_typer(graph.app, name="graph")
app.command("ask")(ask_command)
app.command("resume")(resume_command)
app.command("chat")(chat_command)
app.command("trace")(trace_command)
app.add_typer(threads.app, name="threads")
app.command("eval")(eval_command)
app.command("mcp")(mcp_command)
app.command("settings")(settings_command)
app.command("doctor")(doctor_command)


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
