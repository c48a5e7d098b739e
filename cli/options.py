"""Flags that several commands share, and how they become the run's context."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hopyard.graphs.strategies import BASELINES
from hopyard.indexes.search import SEARCHES
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.given import Given, nest, read_given
from hopyard.state.storage.thread_names import checked_thread_name
from hopyard.state.strategy import STRATEGIES
from hopyard.state.where import parse_condition


def thread_name(value: str | None) -> str | None:
    """A thread's name from the command line, where bytes that are not UTF-8 are surrogates."""
    return checked_thread_name(value) if value else value


IndexOption = Annotated[
    str | None,
    typer.Option("--index", "-i", help="The index directory or address (default: HOPYARD_INDEX)."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(help="Chat model: builtin, recorded:FOLDER, or PROVIDER:NAME."),
]
EmbeddingOption = Annotated[
    str | None,
    typer.Option(help="Embedding model: builtin or PROVIDER:NAME (default: the index's own)."),
]
_names = [name for name in STRATEGIES if name not in BASELINES]
StrategyOption = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        "-s",
        help=f"auto, or a strategy: {', '.join(_names)}.",
    ),
]
SearchOption = Annotated[
    str | None, typer.Option("--search", help=f"The search method: {', '.join(SEARCHES)}.")
]
StyleOption = Annotated[
    str | None,
    typer.Option(help="Answers: auto, short, sentence, or full."),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="FIELD=VALUE",
        help="Search only passages with this metadata: source=Wired,BBC, 'date>=2024-01'.",
    ),
]
ThreadOption = Annotated[
    str | None,
    typer.Option(
        "--thread", "-t", help="Name of a new or an existing thread.", callback=thread_name
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="Set a setting, as in tree.theta=0.5."),
]
SourcesOption = Annotated[
    bool, typer.Option("--sources", help="Show all sources of the answer, not only the first five.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option(help="Folder of recorded model calls, to replay."),
]
SplitOption = Annotated[str, typer.Option(help="Only questions of this split.")]
LimitOption = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, show_default=False, help="Only the first N of these questions."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def given_settings(given: Mapping[str, Any], sets: list[str] | None = None) -> Given:
    """A command's flags, and all settings that result from them.

    Args:
        given: Flags by setting name, with dots for nested settings. None is left out.
        sets: `NAME=VALUE` pairs.
    """
    pairs = [pair for pair in given.items() if pair[1] is not None]
    pairs += [_pair(pair) for pair in sets or []]
    return read_given(pairs)


def context_from(given: Mapping[str, Any], sets: list[str] | None = None) -> Context:
    """The run's context from flags, the environment, the file and the defaults."""
    return given_settings(given, sets).context


def checked_conditions(where: list[str] | None) -> tuple[str, ...]:
    """The conditions of `--where`.

    Raises:
        UsageError: One of them is no condition.
    """
    try:
        for condition in where or ():
            parse_condition(condition)
    except ValueError as error:
        raise UsageError(f"--where {error}.") from error
    return tuple(where or ())


def changes_from(sets: list[str] | None) -> dict[str, Any]:
    """The changed settings of a resumed thread, nested, from `NAME=VALUE` pairs."""
    return nest(_pair(pair) for pair in sets or [])


def _pair(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise UsageError(f"--set {text!r} is not NAME=VALUE, as in --set tree.theta=0.5.")
    if value.startswith("{"):  # a whole group, as in --set 'tree={"theta": 0.5}'
        try:
            return name, json.loads(value)
        except ValueError as error:
            raise UsageError(f"--set {text!r} is not valid JSON: {error}.") from error
    return name, value  # text: the setting itself knows whether it is a number
