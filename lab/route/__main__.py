"""What choosing a strategy is worth, and training a route.

python -m lab.route headroom|train|compare --help
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopyard.cli.app import run
from hopyard.cli.console import err, progress_bar
from hopyard.cli.options import EmbeddingOption, IndexOption, JsonOption, SetOption, context_from
from hopyard.state.extras import require

app = typer.Typer(no_args_is_help=True, help="Measure routes and train one of your own.")

RecordsArgument = Annotated[
    list[Path], typer.Argument(help="Folders written by `hopyard eval --out`.")
]
StrategiesOption = Annotated[
    str,
    typer.Option("--strategies", "-s", help="Comma-separated (default: all recorded strategies)."),
]
OutFileOption = Annotated[Path | None, typer.Option("--out", help="File for the numbers (.json).")]


@app.command("headroom")
def headroom_command(
    records: RecordsArgument,
    strategies: StrategiesOption = "",
    out_: OutFileOption = None,
    json_: JsonOption = False,
) -> None:
    """Compute how much a perfect route could save, before you train a route."""
    from lab.route.headroom import measure_headroom
    from lab.route.records import read_route_records
    from lab.route.report import print_headroom, save_result

    read = read_route_records(records, _names(strategies))
    _warn_left_out(read.left_out)
    found = measure_headroom(read)
    if out_:
        save_result(found, out_)
    print_headroom(found, as_json=json_)


@app.command("train")
def train_command(
    records: RecordsArgument,
    out_: Annotated[Path, typer.Option("--out", help="The route's folder.")],
    strategies: Annotated[
        str,
        typer.Option(
            "--strategies",
            "-s",
            help="Comma-separated (default: all recorded strategies that read documents).",
        ),
    ] = "",
    loss: Annotated[
        float,
        typer.Option(min=0, max=100, help="Points of F1 that the route may lose to save tokens."),
    ] = 1.0,
    index: IndexOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Train a route on recorded answers. This needs their indexes, but no model."""
    require("`python -m lab.route train`", "gate")
    from lab.route.agent import train_route
    from lab.route.records import read_route_records
    from lab.route.report import print_training

    names = _names(strategies)
    read = read_route_records(records, names)
    _warn_left_out(read.left_out)
    context = context_from({"index": index or "", "embedding": embedding}, set_)
    with progress_bar() as progress:
        trained, _ = train_route(read, names, context, loss / 100, progress)
    trained.route.save(out_)
    print_training(trained.route.manifest, out_, as_json=json_)


@app.command("compare")
def compare_command(
    records: RecordsArgument,
    train_: Annotated[
        list[Path],
        typer.Option(
            "--train", help="Records of other questions, to train on. Repeat for several folders."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(help="Also compare this chat model's own route and two routes from papers."),
    ] = "",
    record: Annotated[
        Path | None,
        typer.Option(help="Record its calls here; --model recorded:FOLDER replays them."),
    ] = None,
    parallel: Annotated[int, typer.Option(min=1, help="Model calls to run in parallel.")] = 16,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count the model calls.")] = False,
    single_hop: Annotated[
        str,
        typer.Option(
            help="Comma-separated sets of single-hop questions, for Adaptive-RAG's labels."
        ),
    ] = "",
    out_: OutFileOption = None,
    index: IndexOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    json_: JsonOption = False,
) -> None:
    """Compare a trained route with single strategies, other routes, and the oracle."""
    require("`python -m lab.route compare`", "gate")
    from lab.route.agent import Compared, compare
    from lab.route.records import read_route_records
    from lab.route.report import print_calls, print_comparison, save_result

    read, trained_on = read_route_records(records), read_route_records(train_)
    if dry_run:
        print_calls(len(read.answered), as_json=json_)
        return
    context = context_from(
        {"index": index or "", "embedding": embedding, "model": model or None}, set_
    )
    compared = Compared(read, trained_on, _names(single_hop), bool(model), record, parallel)
    with progress_bar() as progress:
        found = compare(compared, context, progress)
    if out_:
        save_result(found, out_)
    print_comparison(found, as_json=json_)


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
