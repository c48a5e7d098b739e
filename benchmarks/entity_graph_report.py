"""The tables of the entity-graph benchmark, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ("tables",)


def tables(result: Mapping[str, Any], split: str = "dev") -> Iterator[str]:
    """One table of rows for each data set, then one of differences."""
    for name in dict.fromkeys(row["data_set"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["data_set"] == name]
        counts = rows[0][split]
        yield (
            f"\n### {name}, {split}: {counts['with_supporting_documents']} questions with "
            f"supporting documents, {counts['with_answers']} with answers "
            f"({counts['with_hidden_answers']} hidden)\n"
        )
        yield (
            "| search | recall@2 | @5 | @10 | answer in top 5 | hidden | ms "
            "| processor ms | fell back |"
        )
        yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        yield from (_line(row, row[split]) for row in rows)
    yield f"\n### Difference of recall@5, {split}, 95 % interval\n"
    yield "| data set | method | n | − dense | − hybrid |"
    yield "|---|---|--:|--:|--:|"
    differences = iter(result["recall_at_5_differences"])
    for dense, hybrid in zip(differences, differences, strict=True):
        yield (
            f"| {dense['data_set']} | {dense['method']} | {dense[split]['n']} "
            f"| {_interval(dense[split])} | {_interval(hybrid[split])} |"
        )


def _line(row: Mapping[str, Any], values: Mapping[str, float]) -> str:
    shares = (
        "recall_at_2",
        "recall_at_5",
        "recall_at_10",
        "answer_in_top_5",
        "hidden_answer_in_top_5",
    )
    cells = [row["method"]]
    cells += [f"{100 * values[name]:.1f}" if name in values else "" for name in shares]
    instead = f"{values['fell_back']:.0%}"
    return (
        "| "
        + " | ".join([*cells, f"{row['ms']:.1f}", f"{row['processor_ms']:.1f}", instead])
        + " |"
    )


def _interval(found: Mapping[str, float]) -> str:
    if "mean" not in found:
        return ""
    mean, low, high = (100 * found[name] for name in ("mean", "low", "high"))
    return f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"
