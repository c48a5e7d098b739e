"""`hopyard settings`: every setting, its value now, and what it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import out, print_json
from hopyard.cli.options import JsonOption, context_from

__all__ = ("settings_command",)


def settings_command(json_: JsonOption = False) -> None:
    """List every setting with its value and meaning; set one by --set NAME=VALUE."""
    context = context_from({})
    if json_:
        print_json(context.model_dump(mode="json"))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("setting", "value", "meaning"):
        table.add_column(heading)
    for name, value, meaning in _rows(context):
        table.add_row(name, escape(str(value)), escape(meaning))
    out.print(table)
    out.print(
        "Flags come first, then the environment (HOPYARD_TREE__THETA=0.5), then hopyard.toml.",
        style="dim",
    )


def _rows(settings: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if isinstance(value, BaseModel):
            yield from _rows(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value, field.description or ""
