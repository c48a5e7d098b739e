"""The text of the passages that a trace speaks of, and where in it the quotes stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopyard.indexes.manifest import read_manifest
from hopyard.indexes.records import Passage
from hopyard.indexes.snapshot import Snapshot
from hopyard.state.errors import IndexMissingError
from hopyard.tracing.model import PassageText, Quote

__all__ = ("Texts", "quotes_in", "texts_of")


@dataclass(frozen=True)
class Texts:
    """Passages by id, and what has to be said about those without a text."""

    passages: Mapping[str, PassageText]
    note: str


def texts_of(
    passage_ids: Iterable[str],
    index: str,
    citations: Sequence[Mapping[str, Any]],
    scores: Mapping[str, float],
) -> Texts:
    """Fetch passages from the corpus store; those that are gone keep their id.

    Args:
        passage_ids: Which ones.
        index: The index directory; "" where the run had none.
        citations: The quotes of the answer.
        scores: The score of each passage that the answer was read from.
    """
    wanted = list(dict.fromkeys(passage_ids))
    known, note = _fetched(wanted, index) if wanted else ({}, "")
    titles = {one["passage_id"]: one["title"] for one in citations}
    passages = {}
    for passage_id in wanted:
        passage = known.get(passage_id)
        quoted = [one["quote"] for one in citations if one["passage_id"] == passage_id]
        passages[passage_id] = PassageText(
            passage_id,
            title=passage.title if passage else titles.get(passage_id, ""),
            text=passage.text if passage else None,
            quotes=quotes_in(passage.text, quoted) if passage else (),
            score=scores.get(passage_id),
        )
    return Texts(passages, note)


def quotes_in(text: str, quotes: Iterable[str]) -> tuple[Quote, ...]:
    """Where quotes stand in a text, white space aside; those that overlap become one."""
    spans: list[Quote] = []
    for quote in quotes:
        pattern = r"\s+".join(re.escape(word) for word in quote.split())
        if pattern and (found := re.search(pattern, text)):
            spans.append(Quote(*found.span()))
    merged: list[Quote] = []
    for span in sorted(spans, key=lambda one: (one.begin, one.end)):
        if merged and span.begin <= merged[-1].end:
            merged[-1] = Quote(merged[-1].begin, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return tuple(merged)


def _fetched(wanted: list[str], index: str) -> tuple[dict[str, Passage], str]:
    directory = Path(index)
    if not index:
        return {}, "This run had no index: passages are shown by their ids."
    try:
        generation = read_manifest(directory).generation
        with Snapshot(directory, generation) as corpus:
            known = {one: passage for one in wanted if (passage := _passage(corpus, one))}
    except IndexMissingError:
        return {}, f"The index {index!r} cannot be read: passages are shown by ids, without text."
    gone = len(wanted) - len(known)
    note = f"{gone} of the passages have left the index {index!r} since." if gone else ""
    return known, note


def _passage(corpus: Snapshot, passage_id: str) -> Passage | None:
    try:
        return corpus.get([passage_id])[0]
    except IndexMissingError:
        return None
