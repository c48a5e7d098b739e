"""What choosing a strategy for each question is worth at best.

python -m lab.route --help
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopyard.cli.app import run
from hopyard.cli.console import err
from hopyard.cli.options import JsonOption

app = typer.Typer(no_args_is_help=True)

RecordsArgument = Annotated[
    list[Path], typer.Argument(help="Folders written by `hopyard eval --out`.")
]
StrategiesOption = Annotated[
    str,
    typer.Option("--strategies", "-s", help="Comma-separated (default: all recorded strategies)."),
]
OutFileOption = Annotated[Path | None, typer.Option("--out", help="File for the numbers (.json).")]


@app.callback()
def main() -> None:
    """Measure routes."""


@app.command("headroom")
def headroom_command(
    records: RecordsArgument,
    strategies: StrategiesOption = "",
    out_: OutFileOption = None,
    json_: JsonOption = False,
) -> None:
    """Compute how much a perfect route could save."""
    from lab.route.headroom import measure_headroom
    from lab.route.records import read_route_records
    from lab.route.report import print_headroom, save_result

    read = read_route_records(records, _names(strategies))
    _warn_left_out(read.left_out)
    found = measure_headroom(read)
    if out_:
        save_result(found, out_)
    print_headroom(found, as_json=json_)


def _warn_left_out(names: tuple[str, ...]) -> None:
    if names:
        err.print(
            f"[yellow]Warning:[/] not every question set has records of {', '.join(names)}; left "
            "out.",
            soft_wrap=True,
        )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


if __name__ == "__main__":
    run(app)
