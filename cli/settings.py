"""`hopyard settings`: every setting, its value now, and what it does."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import out, print_json
from hopyard.cli.options import JsonOption, context_from
from hopyard.state.settings.fields import every_setting
from hopyard.state.settings.given import nest


def settings_command(json_: JsonOption = False) -> None:
    """List every setting with its value and meaning. Set a setting with --set NAME=VALUE."""
    settings = list(every_setting(context_from({})))
    if json_:
        print_json(nest((name, value) for name, value, _ in settings))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("setting", "value", "meaning"):
        table.add_column(heading)
    for name, value, meaning in settings:
        table.add_row(name, escape(str(value)), escape(meaning))
    out.print(table)
    out.print(
        "Flags override the environment (HOPYARD_TREE__THETA=0.5), which overrides hopyard.toml.",
        style="dim",
    )
