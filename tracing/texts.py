"""The text of the passages that a trace names, and where in it the quotes are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hopyard.agent.texts import read_passages
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.text.sentences import readable, sentence_spans
from hopyard.state.errors import IndexMissingError
from hopyard.state.references import name_sources
from hopyard.state.schemas import Citation, Evidence, Source, quotes_of
from hopyard.tracing.describe import Names
from hopyard.tracing.model import Span, TracedPassage


def trace_passages(
    passage_ids: Iterable[str],
    index: str,
    citations: Sequence[Citation] = (),
    evidence: Sequence[Evidence] = (),
    groups: Sequence[str] | None = None,
) -> tuple[Mapping[str, TracedPassage], str]:
    """The passages by id, and a note about those without a text.

    Args:
        passage_ids: The ids; the passages of the evidence come before them.
        index: The index directory; "" where the run had none.
        groups: The caller's groups; None for all documents.
    """
    units = {name: unit for unit in reversed(evidence) for name in reversed(unit["passages"])}
    wanted = list(dict.fromkeys([*reversed(units), *passage_ids]))
    found, note = _fetch(wanted, index, groups) if wanted else ({}, "")
    told = _told_sources(citations, evidence)
    traced = {}
    for name in wanted:
        passage = found.get(name)
        quotes = [
            quote
            for cited in citations
            if cited["passage_id"] == name
            for quote in quotes_of(cited)
        ]
        traced[name] = TracedPassage(
            name,
            title=passage.title if passage else _title(told.get(name)),
            text=passage.text if passage else None,
            quotes=find_quotes(passage.text, quotes) if passage else (),
            unit=units.get(name),
            source=passage.as_source() if passage else told.get(name),
        )
    return traced, note


def find_names(
    passage_ids: Iterable[str], index: str, groups: Sequence[str] | None = None
) -> Names:
    """Names of passages, without passages that are no longer in the index."""
    wanted = list(dict.fromkeys(passage_ids))
    found = _fetch(wanted, index, groups)[0] if wanted else {}
    return name_sources(passage.as_source() for passage in found.values())


def _told_sources(
    citations: Sequence[Citation], evidence: Sequence[Evidence]
) -> Mapping[str, Source]:
    """The sources of passages as the answer gives them."""
    told = {source["passage_id"]: source for unit in evidence for source in unit.get("sources", [])}
    return told | {citation["passage_id"]: citation for citation in citations}


def _title(source: Source | None) -> str:
    return source.get("title", "") if source else ""


def find_quotes(text: str, quotes: Iterable[str]) -> tuple[Span, ...]:
    """Where quotes are in a text, white space aside; those that overlap are merged.

    A row that is quoted with its header is found too.
    """
    spans: list[Span] = []
    rows = {readable(text, span): Span(*span) for span in sentence_spans(text)}
    for quote in quotes:
        if quote in rows:
            spans.append(rows[quote])
            continue
        pattern = r"\s+".join(re.escape(word) for word in quote.split())
        if pattern and (found := re.search(pattern, text)):
            spans.append(Span(*found.span()))
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.begin, span.end)):
        if merged and span.begin <= merged[-1].end:
            merged[-1] = Span(merged[-1].begin, max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return tuple(merged)


def _fetch(
    wanted: Sequence[str], index: str, groups: Sequence[str] | None
) -> tuple[dict[str, Passage], str]:
    if not index:
        return {}, "This run had no index, so passages are shown by their ids."
    try:
        found = read_passages(wanted, index, groups)
    except IndexMissingError:
        return {}, f"The index {index!r} cannot be read: passages are shown by ids, without text."
    gone = len(wanted) - len(found)
    note = f"{gone} of the passages are no longer in the index {index!r} since." if gone else ""
    return found, note
