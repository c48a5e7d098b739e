"""What `hopyard index …` prints: the report of a build, the status of an index, an estimate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from hopyard.cli.console import err, out, print_json
from hopyard.indexes.build_run import BuildReport
from hopyard.indexes.kinds.passage_graph.estimate import Estimate
from hopyard.indexes.kinds.passage_graph.stats import GraphStats
from hopyard.indexes.loaders import LoadReport
from hopyard.indexes.status import IndexStatus
from hopyard.state.errors import CorpusError

__all__ = ("finish", "show_estimate", "show_status")

BAD_ITEMS_SHOWN: Final = 20


def finish(
    directory: Path,
    report: BuildReport,
    loaded: LoadReport | None,
    graph: GraphStats | None,
    *,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Print the report of a build; items that could not be read end the command with an error."""
    bad = [*(loaded.bad if loaded else ()), *report.bad]
    skipped = list(loaded.skipped) if loaded else []
    if as_json:
        print_json(_report_dict(directory, report, graph, bad, skipped))
    else:
        _print_report(directory, report, graph, skipped)
    for item in bad[:BAD_ITEMS_SHOWN]:
        err.print(f"[yellow]left out[/] {escape(str(item))}", soft_wrap=True)
    if len(bad) > BAD_ITEMS_SHOWN:
        err.print(f"… and {len(bad) - BAD_ITEMS_SHOWN} more")
    if bad and not skip_bad:
        noun = "item" if len(bad) == 1 else "items"
        raise CorpusError(
            f"{len(bad)} {noun} could not be read and {'was' if len(bad) == 1 else 'were'} left "
            "out, the rest is in the index; mend them, or say --skip-bad."
        )


def show_status(found: IndexStatus, graph: GraphStats | None, *, as_json: bool) -> None:
    """Print what an index holds and how it was made."""
    if as_json:
        print_json(found.model_dump(mode="json") | _graph_dict(graph))
        return
    manifest = found.manifest
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("index", escape(found.directory))
    table.add_row("holds", ", ".join(f"{n:,} {name}" for name, n in manifest.counts.items()))
    table.add_row("kinds", ", ".join(manifest.kinds))
    table.add_row("embedding", f"{manifest.embedding}, {manifest.dimension} dimensions")
    table.add_row(
        "passages",
        f"at most {manifest.chunk_tokens} tokens" if manifest.chunk_tokens else "whole documents",
    )
    for name, value in _graph_rows(graph) if graph else ():
        table.add_row(name, escape(value))
    table.add_row("on disk", f"{found.bytes / 1e6:,.1f} MB")
    table.add_row(
        "updated", f"{manifest.updated:%Y-%m-%d %H:%M:%S} UTC, generation {manifest.generation}"
    )
    out.print(table)


def show_estimate(estimate: Estimate, *, as_json: bool) -> None:
    """Print what a build would spend."""
    if as_json:
        print_json(estimate.model_dump(mode="json"))
        return
    tokens = f"{estimate.input_tokens:,} tokens in, {estimate.output_tokens:,} out"
    rows = (
        ("passages", f"{estimate.passages:,}, {estimate.unwritten:,} of them without questions"),
        ("model", estimate.model),
        ("calls", f"{estimate.model_calls:,}"),
        ("tokens", tokens),
        ("time", str(timedelta(seconds=round(estimate.seconds)))),
    )
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows:
        table.add_row(name, escape(value))
    out.print(table)
    out.print(
        f"Estimated from {estimate.sampled} passages, {estimate.failed} of which gave nothing "
        f"usable, for {estimate.spent_calls} model calls; the ledger keeps their answers. The "
        "index was not touched, and embedding is not in the time.",
        style="dim",
        soft_wrap=True,
    )


def _print_report(
    directory: Path, report: BuildReport, graph: GraphStats | None, skipped: list[Any]
) -> None:
    changes = ", ".join(
        f"{count:,} {name}"
        for name, count in (
            ("added", report.added),
            ("updated", report.updated),
            ("removed", report.removed),
            ("unchanged", report.unchanged),
        )
        if count
    )
    out.print(
        f"[green]✓[/] {escape(str(directory))}: documents {changes or 'none'}; "
        f"{report.passages:,} passages, {report.embedded:,} embedded; {report.seconds:.1f} s"
    )
    if graph is not None:
        out.print(
            f"  passage graph: {graph.edges:,} edges, {graph.mean_out_degree:.2f} a passage; "
            f"{graph.too_few_questions:,} passages with too few questions"
        )
        if graph.without_questions:
            err.print(
                f"[yellow]{graph.without_questions:,} passages have no questions yet:[/] the "
                "budget ended it; run the same command again to go on.",
                soft_wrap=True,
            )
    if skipped:
        err.print(f"{len(skipped)} files of other kinds were passed over")


def _report_dict(
    directory: Path,
    report: BuildReport,
    graph: GraphStats | None,
    bad: list[Any],
    skipped: list[Any],
) -> dict[str, Any]:
    return {
        "directory": str(directory),
        "documents": {
            "added": report.added,
            "updated": report.updated,
            "removed": report.removed,
            "unchanged": report.unchanged,
        },
        "passages": report.passages,
        "embedded": report.embedded,
        "seconds": round(report.seconds, 3),
        "bad": [{"place": item.place, "reason": item.reason} for item in bad],
        "skipped": len(skipped),
        **_graph_dict(graph),
    }


def _graph_rows(graph: GraphStats) -> Iterator[tuple[str, str]]:
    """The passage graph's lines of the status."""
    yield (
        "graph",
        f"{graph.vertices:,} vertices, {graph.edges:,} edges, mean out-degree "
        f"{graph.mean_out_degree:.2f}, at most {graph.edge_factor:g}·n·log2 n edges",
    )
    yield (
        "questions",
        f"{graph.incoming_questions:,} in-coming, {graph.outcoming_questions:,} out-coming; "
        f"{graph.too_few_questions:,} passages have too few (the model failed for "
        f"{graph.failed:,}), {graph.without_questions:,} were not asked for yet",
    )
    for share in graph.authors:
        yield "written by", f"{share.model}, {share.passages:,} passages, prompt {share.version}"
    for calls in graph.calls:
        yield (
            "parse rate",
            f"{calls.prompt}/{calls.version} at {calls.model}: {calls.rate:.1%} of "
            f"{calls.calls:,} calls ({calls.repaired:,} repaired, {calls.failed:,} failed)",
        )
    if graph.agreement is not None:
        yield (
            "matching",
            f"{graph.approximate:,} matches through HNSW; {graph.agreement.share:.1%} of "
            f"{graph.agreement.sampled:,} sampled ones are the exact ones",
        )


def _graph_dict(graph: GraphStats | None) -> dict[str, Any]:
    if graph is None:
        return {}
    values = graph.model_dump(mode="json", exclude={"runs", "matching"})
    values["mean_out_degree"] = round(graph.mean_out_degree, 4)
    for one, calls in zip(values["calls"], graph.calls, strict=True):
        one["parse_rate"] = round(calls.rate, 4)
    return {"passage_graph": values}
