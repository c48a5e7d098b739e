"""Print what the route's commands found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.table import Table

from hopyard.classifiers.route import RouteManifest
from hopyard.cli.console import err, out, print_json
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.counting import counted
from lab.route.comparison import RouteComparison, comparison_verdict
from lab.route.headroom import ALL, Headroom, PolicyResult, verdict
from lab.route.prompted import PROMPTED

__all__ = (
    "print_calls",
    "print_comparison",
    "print_headroom",
    "print_policies",
    "print_training",
    "save_result",
)


def print_headroom(found: Headroom, *, as_json: bool) -> None:
    """Print a table for each question set, and the sentence for all of them."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    for name, group in found.sets.items():
        print_policies(f"{name}: {counted(group.questions, 'question')}", group.policies)
    last = found.sets.get(ALL) or next(iter(found.sets.values()))
    out.print(verdict(last), soft_wrap=True)


def print_policies(title: str, policies: Mapping[str, PolicyResult]) -> None:
    """Print one table; the difference is to the best strategy alone."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("policy")
    for column in ("F1", "contains gold", "tokens", "calls", "F1 against the best"):
        table.add_column(column, justify="right")
    table.add_column("chosen")
    for name, result in policies.items():
        table.add_row(
            name,
            f"{100 * result.f1.mean:.1f}",
            f"{100 * result.accuracy:.1f}",
            f"{result.tokens.mean:,.0f}",
            f"{result.calls:.1f}",
            _difference(result),
            ", ".join(f"{strategy} {count}" for strategy, count in result.chosen.items())
            if len(result.chosen) > 1
            else "",
        )
    out.print(table)
    out.print()


def _difference(result: PolicyResult) -> str:
    mean, low, high = (100 * bound for bound in result.f1_difference)
    return f"{mean:+.1f} [{low:+.0f}, {high:+.0f}]"


def print_calls(questions: int, *, as_json: bool) -> None:
    """Print how many calls the prompts would take."""
    calls = len(PROMPTED) * questions
    if as_json:
        print_json({"questions": questions, "prompts": list(PROMPTED), "calls": calls})
        return
    out.print(
        f"{counted(len(PROMPTED), 'prompt')} and {counted(questions, 'question')}: "
        f"{counted(calls, 'call')}."
    )


def print_comparison(found: RouteComparison, *, as_json: bool) -> None:
    """Print a table for each question set, and the sentence for all of them."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    for name, policies in found.sets.items():
        print_policies(f"{name}: {counted(found.questions[name], 'question')}", policies)
    if found.failed:
        out.print(f"{counted(found.failed, 'call')} had no usable output.", style="yellow")
    out.print(comparison_verdict(found), soft_wrap=True)


def print_training(manifest: RouteManifest, folder: Path, *, as_json: bool) -> None:
    """Print what a route learned, and whether it saves anything."""
    if as_json:
        print_json({"route": str(folder), **manifest.model_dump(mode="json")})
        return
    found = manifest.validation
    best, route = found["always_best"], found["route"]
    labels = ", ".join(f"{name or 'none right'} {count}" for name, count in manifest.labels.items())
    out.print(
        f"{counted(sum(manifest.questions.values()), 'question')}; cheapest right answer: {labels}."
    )
    out.print(
        f"Cross-validated: the route has F1 {100 * route['f1']:.1f} at {route['tokens']:,.0f} "
        f"tokens, always {found['best']} {100 * best['f1']:.1f} at {best['tokens']:,.0f}.",
        soft_wrap=True,
    )
    log_loss, constant = manifest.training["log_loss"], manifest.training["log_loss_constant"]
    if log_loss >= constant:
        out.print(
            "[yellow]The questions do not predict which strategy answers rightly:[/] the route "
            "only learned how often each does.",
            soft_wrap=True,
        )
    if route["tokens"] >= best["tokens"]:
        out.print(
            f"[yellow]The route saves nothing;[/] use --strategy {found['best']}.", soft_wrap=True
        )
    out.print(f"The route is in {folder}; use it with --set route={folder}.", soft_wrap=True)


def save_result(found: BaseModel, path: Path) -> None:
    """Write the numbers, with the command that made them."""
    command = "python -m lab.route " + " ".join(_without_folders(text) for text in sys.argv[1:])
    content: dict[str, Any] = {"command": command, **found.model_dump(mode="json")}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, _as_json(content))
    err.print(f"The numbers are in {path}.")


def _as_json(content: Mapping[str, Any]) -> bytes:
    import json

    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def _without_folders(argument: str) -> str:
    """An argument without the folders of this machine."""
    path = Path(argument)
    return "/".join(path.parts[-2:]) if path.is_absolute() else argument
