"""Print what the route's commands found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from rich.table import Table

from hopyard.cli.console import err, out, print_json
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.counting import counted
from lab.route.headroom import ALL, Headroom, PolicyResult, verdict

__all__ = ("print_headroom", "save_result")


def print_headroom(found: Headroom, *, as_json: bool) -> None:
    """Print a table for each question set, and the sentence for all of them."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    for name, group in found.sets.items():
        _print_policies(f"{name}: {counted(group.questions, 'question')}", group.policies)
    last = found.sets.get(ALL) or next(iter(found.sets.values()))
    out.print(verdict(last), soft_wrap=True)


def _print_policies(title: str, policies: Mapping[str, PolicyResult]) -> None:
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
