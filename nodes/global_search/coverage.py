"""Which share of the documents a global answer has read."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.nodes.global_search.reading import readable_reports
from hopyard.nodes.global_search.reports import communities_of, elements_of
from hopyard.nodes.run import Run
from hopyard.state.global_search import GlobalState, WrittenReport, map_id
from hopyard.state.schemas import Step
from hopyard.state.verdicts import GAVE_NOTHING

Sentence = tuple[str, int]
"""The id of a passage, and a place among its sentences."""


async def read_by_global(run: Run, state: GlobalState) -> float | None:
    """The share in the sources of the reports and excerpts, and in the passages found.

    A part whose map call failed was not read.
    """
    read = [*answered(state["chunks"], state["notes"])]
    found = answered([*([] for _ in state["chunks"]), state["found"]], state["notes"])
    return await _share(run, read, state["written"], found)


def answered(parts: Sequence[Sequence[str]], notes: Iterable[Step]) -> list[str]:
    """The content of the parts whose map calls did not fail, in their order."""
    failed = {step["id"] for step in notes if step.get("verdict") in GAVE_NOTHING}
    read = [part for number, part in enumerate(parts, 1) if map_id(number) not in failed]
    return [name for part in read for name in part]


async def _share(
    run: Run,
    communities: Sequence[str],
    written: Mapping[str, WrittenReport],
    passages: Collection[str],
) -> float | None:
    """The share of the sentences behind some communities and in some passages.

    Where the run has a filter, the passages that match it are all that count.

    Returns:
        From 0 to 1; None if an earlier version wrote one of the reports, which does not say from
        what.
    """
    reports = await readable_reports(run, communities, written)
    if not all(report.read for report in reports):
        return None
    index, elements, allowed = await run.index(), await elements_of(run), await run.allowed()
    kept = (await communities_of(run)).kept

    def share() -> float:
        counts = kept.get("sentences of passages", lambda: sentences_of(index))
        names = {name for report in reports for name in report.read}
        return share_of_sentences(_places(names, elements), passages, within(counts, allowed))

    return await asyncio.to_thread(share)


def share_of_sentences(
    single: Iterable[Sentence], whole: Collection[str], counts: Mapping[str, int]
) -> float:
    """The share of sentences that were read, singly or with their whole passage.

    Args:
        single: Sentences that were read. Those of passages that do not count are left out.
        whole: Ids of passages that were read whole, each once.
        counts: How many sentences each passage has that counts.

    Returns:
        From 0 to 1; 1 if there is no sentence.
    """
    read = {place for place in single if place[0] in counts and place[0] not in whole}
    total = sum(counts.values())
    return (len(read) + sum(counts.get(name, 0) for name in whole)) / total if total else 1.0


def _places(names: Iterable[str], elements: Elements) -> Iterator[Sentence]:
    """The sentences of some elements. The line of an entity has no sentence of its own."""
    for name in names:
        if not name.startswith("E"):
            for source in elements.sources(name):
                if source.sentence >= 0:
                    yield source.passage, source.sentence


def sentences_of(index: Index) -> dict[str, int]:
    """How many sentences each passage has."""
    return {each.id: len(sentence_spans(each.text)) for each in index.corpus.passages()}


def within(counts: Mapping[str, int], allowed: Collection[str] | None) -> Mapping[str, int]:
    """The counts of the passages that the run may find."""
    return counts if allowed is None else {name: counts[name] for name in allowed}
