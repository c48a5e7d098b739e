"""The output of `hopyard index …`: the report of a build, the status of an index, an estimate."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import err, out, print_json, printable, say, tell
from hopyard.indexes.kind import KINDS, Estimate
from hopyard.indexes.status import IndexStatus, UnfinishedBuild
from hopyard.models.names import NO_EMBEDDING, embedding_name
from hopyard.state.errors import CorpusError
from hopyard.state.text.counting import counted, held
from hopyard.state.usage import Usage, about

if TYPE_CHECKING:  # seconds, which `index status` must not cost
    from hopyard.indexes.building.build import BuildReport
    from hopyard.indexes.building.estimate import Changes
    from hopyard.indexes.corpus.manifest import Manifest
    from hopyard.indexes.corpus.records import BadItem
    from hopyard.indexes.documents.files import SkippedFile
    from hopyard.indexes.documents.loaders import LoadReport

CONTINUE: Final = "Interrupted: run the same command to continue; finished embeddings are kept."
"""At Ctrl-C. A build that is killed loses nothing that it has stored."""
LEFT_OUT_SHOWN: Final = 20


def finish(
    report: BuildReport, loaded: LoadReport, status: IndexStatus, *, skip_bad: bool, as_json: bool
) -> None:
    """Print the report of a build; items that could not be read end the command with an error."""
    bad = [*loaded.bad, *report.bad]
    if as_json:
        print_json(_report_dict(report, status, bad, loaded))
    else:
        _print_report(report, status)
    if report.removed:
        tell(
            "The removed text stays in the files for programs that read the former generation; "
            f"`hopyard index vacuum {shlex.quote(str(status.directory))}` deletes it.",
            style="dim",
        )
    for warning in report.warnings:
        tell(warning, style="yellow")
    _print_read(loaded, bad, status.directory)
    if bad and not skip_bad:
        noun, verb = ("item", "was") if len(bad) == 1 else ("items", "were")
        raise CorpusError(
            f"{len(bad)} {noun} could not be read and {verb} left out, the rest is in the index; "
            "fix them, or give --skip-bad."
        )


def nothing_read(loaded: LoadReport) -> CorpusError:
    """Name what was left out, where that was all; the error that ends the command."""
    left_out: list[BadItem | SkippedFile] = [*loaded.skipped, *loaded.bad]
    if not left_out:
        return CorpusError(
            "These folders hold no file: name other folders, or add documents to them."
        )
    if len(left_out) == 1:
        return CorpusError(f"Nothing could be read: {left_out[0]}.")
    _print_left_out(left_out, "yellow")
    return CorpusError(
        f"Nothing could be read, and all {len(left_out)} items were skipped: name other files, "
        f"or fix the files above."
    )


def show_status(status: IndexStatus, *, as_json: bool) -> None:
    """Print what an index holds and how it was made."""
    manifest = status.manifest
    if as_json:
        shown = {"directory", "bytes", "manifest", "interrupted"}
        own = status.model_dump(mode="json", include=shown)
        print_json(own | _kinds_dict(status))
        return
    cut = (
        f"at most {counted(manifest.chunk_tokens, 'token')}"
        if manifest.chunk_tokens
        else "whole documents"
    )
    updated = f"{manifest.updated:%Y-%m-%d %H:%M:%S} UTC, generation {manifest.generation}"
    rows = [
        ("index", status.directory),
        ("holds", ", ".join(held(n, name) for name, n in manifest.counts.items())),
        ("kinds", ", ".join(manifest.kinds)),
        ("embedding", _embedding(manifest)),
        ("passages", cut),
        ("language", manifest.language),
        *(("rights", f"{rule}: {', '.join(groups)}") for rule, groups in manifest.rights.items()),
        *((name, line) for name, values in status.kinds.items() for line in _lines(values)),
        *(("unfinished", left) for left in status.unfinished),
        *((("state", status.interrupted),) if status.interrupted else ()),
        ("on disk", f"{status.bytes / 1e6:,.1f} MB"),
        ("updated", updated),
    ]
    _print_table(rows)


def _embedding(manifest: Manifest) -> str:
    if manifest.embedding == NO_EMBEDDING:
        return f"{NO_EMBEDDING}: no index kind needs it"
    return f"{embedding_name(manifest.embedding)}, {manifest.dimension} dimensions"


def show_unbuilt(directory: Path, build: UnfinishedBuild, *, as_json: bool) -> None:
    """Print how far the first build of an index is."""
    if as_json:
        print_json({"directory": str(directory), "manifest": None, "interrupted": str(build)})
    else:
        _print_table([("index", str(directory)), ("state", str(build))])


def show_changes(changes: Changes) -> None:
    """Print what a sync would change, a document a line."""
    for verb, names in asdict(changes).items():
        for name in names:
            say(f"{verb:<8} {printable(name)}")
    counts = ", ".join(f"{len(names):,} {verb}" for verb, names in asdict(changes).items() if names)
    out.print(f"documents: {counts or 'nothing would change'}", style="dim")


def show_estimates(
    passages: int,
    estimates: Mapping[str, Estimate],
    *,
    loaded: LoadReport,
    directory: Path,
    as_json: bool,
    changes: Changes | None = None,
) -> None:
    """Print what a build would spend, and on which kind.

    Args:
        passages: How many passages the index would hold.
        loaded: The report of reading, with what was left out or lost.
    """
    _print_read(loaded, loaded.bad, str(directory))
    if changes is not None and not as_json:
        show_changes(changes)
        if not estimates:
            return
    if as_json:
        numbers = ("spent_calls", "model_calls", "input_tokens", "output_tokens", "seconds")
        kinds = {name: asdict(estimate) for name, estimate in estimates.items()}
        totals = {name: sum(kind[name] for kind in kinds.values()) for name in numbers}
        listed = {} if changes is None else {"documents": asdict(changes)}
        print_json(
            {**listed, "passages": passages, **totals, "kinds": kinds}
            | _read_dict(loaded, loaded.bad)
        )
        return
    if not any(estimate.model for estimate in estimates.values()):
        reasons = " and ".join(estimate.basis for estimate in estimates.values())
        say(f"No model is asked{reasons and ': '}{reasons}.")
        return
    _print_table(
        [
            ("passages", f"{passages:,}"),
            *((name, line) for name, kind in estimates.items() for line in _estimate_lines(kind)),
        ]
    )
    say(
        "The ledger keeps the answers; the index is unchanged. The time does not include "
        "embedding.",
        style="dim",
    )


def _estimate_lines(estimate: Estimate) -> Iterator[str]:
    if not estimate.model:
        yield f"no calls: {estimate.basis}"
        return
    yield (
        f"{counted(estimate.model_calls, 'call')} of {estimate.model}, "
        f"{counted(estimate.input_tokens, 'token')} in, "
        f"{estimate.output_tokens:,} out, {timedelta(seconds=round(estimate.seconds))}"
    )
    yield f"{estimate.basis}, for {counted(estimate.spent_calls, 'model call')}"


def _print_report(report: BuildReport, status: IndexStatus) -> None:
    counts = _changes(report).items()
    changes = ", ".join(f"{count:,} {name}" for name, count in counts if count)
    asks = any(KINDS[name].asks_model for name in status.manifest.kinds if name in KINDS)
    out.print(
        f"[green]✓[/] {escape(status.directory)}: documents {changes or 'none'}; "
        f"{counted(report.passages, 'passage')}, {report.embedded:,} embedded; "
        f"{_cost(report.usage) if asks else ''}{report.seconds:.1f} s",
        soft_wrap=True,
    )
    for name, values in status.kinds.items():
        for line in _lines(values):
            out.print(f"  {escape(name)}: {escape(line)}", soft_wrap=True)
    for left in status.unfinished:
        err.print(
            f"[yellow]{escape(left)}:[/] it reached the budget; run the same command again to "
            f"continue.",
            soft_wrap=True,
        )


def _cost(usage: Usage) -> str:
    tokens = usage["input_tokens"] + usage["output_tokens"]
    paid = counted(usage["model_calls"], "model call")
    spent = f" of {about(usage)}{counted(tokens, 'token')}" if tokens else ""
    kept = f", {usage['cached_calls']:,} answered by the ledger" if usage["cached_calls"] else ""
    return f"{paid}{spent}{kept}; "


def _print_left_out(items: Sequence[BadItem | SkippedFile], style: str) -> None:
    for item in items[:LEFT_OUT_SHOWN]:
        err.print(f"[{style}]left out[/] {escape(printable(str(item)))}", soft_wrap=True)
    if len(items) > LEFT_OUT_SHOWN:
        err.print(f"… and {len(items) - LEFT_OUT_SHOWN} more; --json lists all")


def _print_read(loaded: LoadReport, bad: Sequence[BadItem], directory: str) -> None:
    """Name what was not read, the documents that lack words, and count intended omissions."""
    _print_left_out(loaded.skipped, "dim")
    _print_left_out(bad, "yellow")
    for item in loaded.incomplete[:LEFT_OUT_SHOWN]:
        err.print(f"[yellow]incomplete[/] {escape(printable(str(item)))}", soft_wrap=True)
    if len(loaded.incomplete) > LEFT_OUT_SHOWN:
        err.print(f"… and {len(loaded.incomplete) - LEFT_OUT_SHOWN} more; --json lists all")
    if loaded.left_out:
        tell(
            f"left out on purpose: {left_out_words(loaded.left_out)}; "
            f"`hopyard index show {shlex.quote(directory)} DOCUMENT --texts` shows those of one",
            style="dim",
        )


def left_out_words(counts: Mapping[str, int]) -> str:
    """As in "2 menus, 1 footer"."""
    return ", ".join(counted(count, kind) for kind, count in counts.items())


def _report_dict(
    report: BuildReport,
    status: IndexStatus,
    bad: Sequence[BadItem],
    loaded: LoadReport,
) -> dict[str, Any]:
    return {
        "directory": status.directory,
        "documents": _changes(report),
        "passages": report.passages,
        "embedded": report.embedded,
        "usage": report.usage,
        "seconds": round(report.seconds, 3),
        **_read_dict(loaded, bad),
        "warnings": report.warnings,
        **_kinds_dict(status),
    }


def _read_dict(loaded: LoadReport, bad: Sequence[BadItem]) -> dict[str, Any]:
    return {
        "bad": [{"place": item.place, "reason": item.reason} for item in bad],
        "skipped": [{"place": item.path, "reason": item.reason} for item in loaded.skipped],
        "incomplete": [{"place": item.place, **item.kept.numbers} for item in loaded.incomplete],
        "left_out": dict(loaded.left_out),
    }


def _changes(report: BuildReport) -> dict[str, int]:
    return {name: getattr(report, name) for name in ("added", "updated", "removed", "unchanged")}


def _kinds_dict(status: IndexStatus) -> dict[str, Any]:
    """The values of each kind under its name, as in `passage_graph`."""
    return {name.replace("-", "_"): dict(values) for name, values in status.kinds.items()}


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    """A kind's values: plain values on a line, then a line for each row of a list."""
    if plain := _scalars(values):
        yield plain
    for name, value in values.items():
        rows = value if isinstance(value, (list, tuple)) else [value]
        yield from (f"{_words(name)}: {_scalars(row)}" for row in rows if isinstance(row, Mapping))


def _scalars(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{_words(name)} {_number(value)}"
        for name, value in values.items()
        if isinstance(value, (str, int, float)) and value != ""
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def _number(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _print_table(rows: list[tuple[str, str]]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    last = ""
    for name, value in rows:
        table.add_row("" if name == last else escape(name), escape(printable(value)))
        last = name
    out.print(table)
