"""Building the entity graph of a generation.

Extractions are kept by the content of their passage (`extractions`), and so are the vectors of
names and facts. A build pays for new passages only, and a killed build continues. The rows of the
graph are assembled again each time, so nothing is left of removed passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.find import extractions
from hopyard.indexes.kinds.entity_graph.find.extractions import Extractions
from hopyard.indexes.kinds.entity_graph.find.model import writer_of
from hopyard.indexes.kinds.entity_graph.graph.assemble import Found, PassageRow, collect
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.graph.graph_files import graph_files
from hopyard.indexes.kinds.entity_graph.resolve.entities import resolve_entities
from hopyard.indexes.kinds.entity_graph.resolve.senses import Passages
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import Synonyms, find_synonyms
from hopyard.indexes.kinds.entity_graph.stats import EntityStats, MadeWith
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.models.embedder import Vectors
from hopyard.state.errors import IndexMissingError, UsageError


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether `build` would write the same files for the same corpus."""
    last = EntityStats.find(directory)
    if last is None:
        return False
    made_with = _made_with(options, last)
    return last.made_with == made_with and extractions.is_current(
        last.written, made_with.builder, options, descriptions=made_with.descriptions
    )


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """With entity_graph.builder=model, ask about a few passages; the others cost as much."""
    last = EntityStats.of_index(index_directory, "entity-graph") if options.keep else None
    own = last.made_with if last else EntityGraphSettings.of(options.settings)
    if own.builder != "model":
        return Estimate("", basis=f"entity_graph.builder={own.builder} asks no model")
    writer = writer_of(options.settings, descriptions=own.descriptions)
    return await estimate_writing(writer, passages, index_directory, options)


async def build(context: BuildContext) -> Mapping[str, int]:
    """Write the graph of the new generation."""
    last = await in_thread(EntityStats.find, context.previous)
    made_with = await in_thread(_made_with, context.options, last)
    rows = await in_thread(_rows, context.corpus)
    found_in = await extractions.extractions(
        context,
        {row.id: row.content_hash for row in rows},
        builder=made_with.builder,
        last=last.written if last else None,
        descriptions=made_with.descriptions,
    )
    found = await in_thread(collect, rows, found_in.by_content)
    vectors = {
        name: await context.embed(texts, namespace=f"entity-graph/{name}")
        if texts
        else np.empty((0, made_with.dimension), np.float32)
        for name, texts in (("names", found.names), ("facts", found.fact_texts))
    }
    return await in_thread(_write, context, made_with, last, rows, found_in, found, vectors)


def _made_with(options: BuildOptions, last: EntityStats | None) -> MadeWith:
    """The settings of the graph. An update keeps to the settings of the last build."""
    if options.keep and last is not None:
        builder, descriptions = last.made_with.builder, last.made_with.descriptions
    else:
        own = EntityGraphSettings.of(options.settings)
        builder, descriptions = own.builder, own.descriptions
    if descriptions and builder != "model":
        raise UsageError(
            "Only a model describes: entity_graph.descriptions needs entity_graph.builder=model."
        )
    return MadeWith(
        builder=builder,
        embedding=options.embedding,
        dimension=options.dimension,
        descriptions=descriptions,
    )


def _rows(corpus: Snapshot) -> list[PassageRow]:
    return [
        PassageRow(passage.id, passage.content_hash, passage.document_id, passage.title)
        for passage in corpus.passages()
    ]


def _write(
    context: BuildContext,
    made_with: MadeWith,
    last: EntityStats | None,
    rows: Sequence[PassageRow],
    found_in: Extractions,
    found: Found,
    vectors: Mapping[str, Vectors],
) -> Mapping[str, int]:
    """Make entities of the names, and write all files."""
    near = _near_names(context, made_with, last, found.names, vectors["names"])
    passages = Passages(
        documents=[row.document_id for row in rows],
        titles=[row.title for row in rows],
        vectors=context.corpus.vectors(made_with.embedding)[1],
    )
    mentions = np.stack([found.mentions[each] for each in ("name", "passage")], axis=1)
    entities = resolve_entities(found.names, mentions.astype(np.int64), passages)
    files = graph_files(rows, found, found_in.by_content, entities, near, vectors)
    files.save(context.directory)
    np.save(context.directory / "near_names.npy", near.pairs, allow_pickle=False)
    np.save(context.directory / "near_cosines.npy", near.similarity, allow_pickle=False)
    unread = found_in.counts.missing if made_with.builder == "model" else 0
    stats = EntityStats(
        model=EntityStats.model_of(context.options, last) if made_with.builder == "model" else "",
        made_with=made_with,
        names=len(found.names),
        entities=len(entities),
        mentions=len(files.mentions),
        facts=len(files.facts),
        synonym_pairs=len(files.synonyms),
        unread=unread,
        written=found_in.counts,
        splits=entities.splits,
    )
    stats.save(context.directory)
    return {"entities": stats.entities, "mentions": stats.mentions, "facts": stats.facts}


def _near_names(
    context: BuildContext,
    made_with: MadeWith,
    last: EntityStats | None,
    names: Sequence[str],
    vectors: Vectors,
) -> Synonyms:
    """Pairs of near names. Those of the last generation are kept, and new names are added."""
    embedded = {"version", "embedding", "dimension"}
    previous = None
    if last is not None and context.previous is not None:
        now, before = (made.model_dump(include=embedded) for made in (made_with, last.made_with))
        previous = _previous_names(context.previous) if now == before else None
    context.progress("near names", 0, len(names))
    near = find_synonyms(names, vectors, previous=previous)
    context.progress("near names", len(names), len(names))
    return near


def _previous_names(directory: Path) -> tuple[list[str], Synonyms] | None:
    try:
        names = EntityGraph.load(directory).files.names
        pairs = np.load(directory / "near_names.npy", allow_pickle=False)
        cosines = np.load(directory / "near_cosines.npy", allow_pickle=False)
    except (IndexMissingError, OSError, ValueError):
        return None
    return [names.text(row) for row in range(len(names))], Synonyms(pairs, cosines)
