"""The extractions that a build takes from its store: by rules, or by the chat model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.entity_graph.find.common_words import CommonWords
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    EXTRACTED,
    Extraction,
    ExtractionStore,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.model import writer_of
from hopyard.indexes.kinds.entity_graph.find.rules import extract, extract_with_phrases, rules_for
from hopyard.indexes.text.finders import FINDERS, NameFinder
from hopyard.indexes.written.stats import AuthorShare, WrittenCounts
from hopyard.indexes.written.store import Author, Written
from hopyard.indexes.written.writer import count_texts, open_texts, write_missing
from hopyard.state.errors import UsageError

_AT_ONCE: Final = 500
"""Passages that the rules read between two writes to the store."""


class ExtractionCounts(WrittenCounts):
    """Where the stored extractions of a generation are from, and what they cost."""

    dropped_names: int = 0
    """Names that were dropped, because they are not written in their passage."""
    dropped_facts: int = 0
    """Facts that were dropped, because they lack a part or do not belong to their passage."""


@dataclass(frozen=True)
class Extractions:
    """The extractions of a generation."""

    by_content: Mapping[str, Extraction]
    """By content hash. Those of the rules lack the common words of the corpus."""
    counts: ExtractionCounts


def finder_author(builder: str, language: str) -> Author:
    """The author of the rows that a builder without a model gives for a language."""
    return Author(_finder(builder).version, f"{builder} for {language}")


def _finder(builder: str) -> NameFinder:
    """The name finder of a builder.

    Raises:
        UsageError: There is no such builder.
    """
    if builder not in {"terms", *FINDERS}:
        raise UsageError(
            f"There is no builder {builder!r} of the entity graph; choose one of "
            f"{', '.join(['model', 'terms', *FINDERS])}, or install the package that offers it."
        )
    return FINDERS["rules" if builder == "terms" else builder]


def is_current(
    last: ExtractionCounts, builder: str, options: BuildOptions, *, descriptions: bool = False
) -> bool:
    """Whether `extractions` would give what the last generation has, for the same corpus.

    Args:
        last: The counts of the last generation.
        descriptions: Whether the model also describes.
    """
    if builder != "model":
        return all(_by_rules(share, builder) for share in last.authors)
    return writer_of(options.settings, descriptions=descriptions).has_finished(last, options)


def _by_rules(share: AuthorShare, builder: str) -> bool:
    return share.author == finder_author(builder, share.model.rpartition(" ")[2])


async def extractions(
    context: BuildContext,
    contents: Mapping[str, str],
    *,
    builder: str,
    last: ExtractionCounts | None,
    descriptions: bool = False,
) -> Extractions:
    """Read the passages by rules, or ask the model if it is the builder.

    Args:
        contents: Content hash of each passage, by its id.
        builder: All but `model` ask no model. An update passes the builder of the last
            generation.
        last: The counts of the last generation, if there is one.
        descriptions: Whether the model also describes.
    """
    options, corpus = context.options, context.corpus
    last = last or ExtractionCounts()
    async with open_texts(context, ExtractionStore, last) as store:
        if builder == "model" and options.open_caller is not None:
            writer = writer_of(options.settings, descriptions=descriptions)
            await write_missing(
                context, store, writer, contents, lambda name: corpus.get([name])[0]
            )
        if builder != "model":
            await in_thread(_extract_by_rules, context, builder, store, contents)
        written = await in_thread(store.written, contents.values())
        if builder != "model":
            author = finder_author(builder, options.language)
            written = {name: row for name, row in written.items() if row.author == author}
        rows = [written[content] for content in contents.values() if content in written]
        counts = await count_texts(
            context,
            store,
            last,
            contents.values(),
            written,
            dropped_names=sum(row.content.dropped_names for row in rows),
            dropped_facts=sum(row.content.dropped_facts for row in rows),
        )
    by_content: dict[str, Extraction] = {name: row.content for name, row in written.items()}
    if builder in {"rules", "terms"}:  # a recogniser knows common words itself
        common = await in_thread(CommonWords, corpus.passages(), options.language)
        by_content = {name: common.without(row.content) for name, row in written.items()}
    return Extractions(by_content, counts)


def _extract_by_rules(
    context: BuildContext,
    builder: str,
    store: ExtractionStore,
    contents: Mapping[str, str],
) -> None:
    """Extract the contents that have no row of the rules, and keep them for later builds."""
    corpus, language, authors = context.corpus, context.options.language, store.authors()
    author = finder_author(builder, language)
    holders = {
        content: name for name, content in contents.items() if authors.get(content) != author
    }
    missing = sorted(holders.values())
    for start in range(0, len(missing), _AT_ONCE):
        context.progress("names", start, len(missing))
        rows = [
            (
                passage.content_hash,
                Written(author, EXTRACTED, _read(passage, builder, language)),
            )
            for passage in corpus.get(missing[start : start + _AT_ONCE])
        ]
        store.put(rows, corpus.generation)
    context.progress("names", len(missing), len(missing))


def _read(passage: Passage, builder: str, language: str) -> StoredExtraction:
    read_as = rules_for(passage, language)
    if builder == "terms":
        found = extract_with_phrases(passage, read_as)
    else:
        found = extract(passage, read_as, _finder(builder).names_in)
    return StoredExtraction(mentions=found.mentions, phrases=found.phrases)
