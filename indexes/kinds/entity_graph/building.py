"""Building the entity graph of a generation.

What is found in a passage is kept by its content (`extractions`), and so are the vectors of names,
facts and sentences. A build pays for what is new only, and a killed one continues. The rows of the
graph are put together again each time, so nothing is left of what was removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.find import extractions
from hopyard.indexes.kinds.entity_graph.find.asking import Asking
from hopyard.indexes.kinds.entity_graph.find.extractions import Extractions
from hopyard.indexes.kinds.entity_graph.graph.assemble import Found, PassageRow, collect
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.graph.graph_files import graph_files
from hopyard.indexes.kinds.entity_graph.resolve import apart
from hopyard.indexes.kinds.entity_graph.resolve.entities import Entities, resolve_entities
from hopyard.indexes.kinds.entity_graph.resolve.senses import Passages
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import NO_SYNONYMS, Synonyms, find_synonyms
from hopyard.indexes.kinds.entity_graph.stats import EntityStats, MadeWith
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.models.embedder import Vectors
from hopyard.state.errors import IndexMissingError

__all__ = ("build_graph", "is_current")


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether `build_graph` would write the same files for the same corpus."""
    last = EntityStats.find(directory)
    if last is None:
        return False
    # directory is INDEX/gen-N/entity-graph
    made_with = _made_with(options, last, directory.parent.parent)
    return last.made_with == made_with and extractions.is_current(
        last.written, made_with.builder, options, made_with.asking
    )


async def build_graph(context: BuildContext) -> Mapping[str, int]:
    """Write the graph of the new generation.

    Raises:
        UsageError: The file of extractions cannot be used.
        ModelUnreachableError: A model does not answer; what is written is kept.
        ModelOutputError: Too large a share of the passages failed; the others are kept.
    """
    last = await in_thread(EntityStats.find, context.previous)
    made_with = await in_thread(_made_with, context.options, last, context.index_directory)
    rows = await in_thread(_rows, context.corpus)
    found_in = await extractions.extractions(
        context,
        {row.id: row.content_hash for row in rows},
        builder=made_with.builder,
        last=last.written if last else None,
        asking=made_with.asking,
    )
    found = await in_thread(collect, rows, found_in.by_content)
    vectors = await _embed(context, made_with, found)
    return await in_thread(_write, context, made_with, last, rows, found_in, found, vectors)


def _made_with(options: BuildOptions, last: EntityStats | None, index: Path) -> MadeWith:
    """What decides about the graph. An update keeps to the settings of the last build."""
    own = EntityGraphSettings.of(options.settings)
    if options.keep and last is not None:
        asking = last.made_with.asking
        own = own.model_copy(
            update={
                name: getattr(last.made_with, name)
                for name in ("builder", "merge", "synonyms", "sentences")
            }
        )
    else:
        asking = Asking.of(own)
    return MadeWith(
        builder=own.builder,
        embedding=options.embedding,
        dimension=options.dimension,
        merge=own.merge,
        synonyms=own.synonyms,
        sentences=own.sentences,
        asking=asking,
        apart=apart.read(index),
    )


def _rows(corpus: Snapshot) -> list[PassageRow]:
    return [
        PassageRow(passage.id, passage.content_hash, passage.document_id, passage.title)
        for passage in corpus.passages()
    ]


async def _embed(context: BuildContext, made_with: MadeWith, found: Found) -> dict[str, Vectors]:
    """The vectors that the graph keeps; an empty array stands for those that it does without."""
    wanted: dict[str, Sequence[str]] = {
        "names": found.names if made_with.merge or made_with.synonyms else (),
        "facts": found.fact_texts,
        "sentences": (),
    }
    if made_with.sentences:
        wanted["sentences"] = await in_thread(_sentence_texts, context.corpus, found)
    empty = np.empty((0, made_with.dimension), np.float32)
    return {
        name: await context.embed(texts, namespace=f"entity-graph/{name}") if texts else empty
        for name, texts in wanted.items()
    }


def _sentence_texts(corpus: Snapshot, found: Found) -> list[str]:
    places: dict[int, list[int]] = {}
    for passage, place in found.sentences.tolist():
        places.setdefault(passage, []).append(place)
    texts = []
    for row, passage in enumerate(corpus.passages()):
        if row in places:
            spans = sentence_spans(passage.text)
            texts += [passage.text[slice(*spans[place])] for place in places[row]]
    return texts


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
    entities = _entities(context, made_with, rows, found, vectors["names"], near)
    extractions_ = found_in.by_content
    files = graph_files(rows, found, extractions_, entities, near, vectors, made_with.synonyms)
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
        merges=entities.merges,
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
    if not len(vectors):
        return NO_SYNONYMS
    threshold = _threshold(made_with)
    previous = None
    same = last is not None and (
        last.made_with.embedding,
        last.made_with.dimension,
        _threshold(last.made_with),
        last.made_with.version,
    ) == (made_with.embedding, made_with.dimension, threshold, made_with.version)
    if same and context.previous is not None:
        previous = _previous_names(context.previous)
    context.progress("near names", 0, len(names))
    near = find_synonyms(names, vectors, threshold=threshold, previous=previous)
    context.progress("near names", len(names), len(names))
    return near


def _threshold(made_with: MadeWith) -> float:
    """Least cosine of a pair that merging or synonyms ask for; 0 asks for none."""
    return min((value for value in (made_with.merge, made_with.synonyms) if value), default=0.0)


def _previous_names(directory: Path) -> tuple[list[str], Synonyms] | None:
    try:
        names = EntityGraph.load(directory).files.names
        pairs = np.load(directory / "near_names.npy", allow_pickle=False)
        cosines = np.load(directory / "near_cosines.npy", allow_pickle=False)
    except (IndexMissingError, OSError, ValueError):
        return None
    return [names.text(row) for row in range(len(names))], Synonyms(pairs, cosines)


def _entities(
    context: BuildContext,
    made_with: MadeWith,
    rows: Sequence[PassageRow],
    found: Found,
    vectors: Vectors,
    near: Synonyms,
) -> Entities:
    passages = Passages(
        documents=[row.document_id for row in rows],
        titles=[row.title for row in rows],
        vectors=context.corpus.vectors(made_with.embedding)[1],
    )
    merges = bool(made_with.merge) and len(vectors) > 0
    return resolve_entities(
        found.names,
        np.stack([found.name, found.passage], axis=1).astype(np.int64),
        passages,
        vectors=vectors if merges else None,
        neighbours=near if merges else None,
        threshold=made_with.merge,
        apart=[frozenset(pair) for pair in made_with.apart],
    )
