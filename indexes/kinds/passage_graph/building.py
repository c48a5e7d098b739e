"""Building the passage graph: HopRAG's graph of passages, questions as edges.

A generation is made in four steps: the model writes the questions of every passage that has none
(`writing`), the questions are embedded (`sides`), each out-coming question is matched with the
best in-coming question of another passage (`growth`), and the matches become edges, at most
c·n·log2 n of them (`edges`). The first two are expensive, so their results are kept at once,
whatever becomes of the build; the third starts from the generation before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.passage_graph import PassageGraphSettings
from hopyard.indexes.kinds.passage_graph.assemble import (
    Contents,
    Vocabulary,
    graph_files,
    read_contents,
)
from hopyard.indexes.kinds.passage_graph.edges import build_edges
from hopyard.indexes.kinds.passage_graph.growth import Generation, match_generation
from hopyard.indexes.kinds.passage_graph.matching import EXACT_PAIRS, measure_agreement
from hopyard.indexes.kinds.passage_graph.question_store import ENOUGH, QuestionStore
from hopyard.indexes.kinds.passage_graph.sides import Sides, both_sides
from hopyard.indexes.kinds.passage_graph.stats import (
    MATCHING_VERSION,
    GraphStats,
    MatchAgreement,
    QuestionCounts,
)
from hopyard.indexes.kinds.passage_graph.writing import QuestionWriter
from hopyard.indexes.written.writer import count_texts, open_texts, write_missing
from hopyard.state.errors import IndexMissingError

__all__ = ("build_graph", "is_current")


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether every passage was asked for, with the settings that are asked for now."""
    last = GraphStats.find(directory)
    return (
        last is not None
        and last.matching == MATCHING_VERSION
        and last.edge_factor == _edge_factor(options, last)
        and QuestionWriter(options.settings).has_finished(last.written, options)
    )


async def build_graph(context: BuildContext, exact_pairs: int | None) -> Mapping[str, int]:
    """Write the graph of the new generation.

    Args:
        context: The build.
        exact_pairs: See `matching.best_matches`; None takes its default.

    Raises:
        ModelUnreachableError: A model does not answer; the questions written are kept.
        ModelOutputError: Too large a share of the passages failed; the others are kept.
    """
    options, corpus = context.options, context.corpus
    last = await in_thread(GraphStats.find, context.previous)
    before = last.written if last else QuestionCounts()
    vocabulary = Vocabulary()
    contents = await in_thread(read_contents, corpus, vocabulary)
    hashes = contents.hashes
    async with open_texts(context, QuestionStore, before) as store:
        if options.open_caller is not None:
            writer = QuestionWriter(options.settings)
            await write_missing(context, store, writer, hashes, lambda name: corpus.get([name])[0])
        written = await in_thread(store.written, hashes.values())
        sides = await both_sides(hashes, written, context)
        few = sum(row.outcome != ENOUGH for row in map(written.get, hashes.values()) if row)
        counts = await count_texts(
            context, store, before, [*hashes.values()], written, too_few_questions=few
        )
    return await in_thread(
        lambda: _write_graph(
            context, contents, vocabulary, sides, last, counts, exact_pairs or EXACT_PAIRS
        )
    )


def _write_graph(
    context: BuildContext,
    contents: Contents,
    vocabulary: Vocabulary,
    sides: Sides,
    last: GraphStats | None,
    counts: QuestionCounts,
    exact_pairs: int,
) -> Mapping[str, int]:
    """Match what has changed, build the edges, and write all files."""
    options = context.options
    vertices = len(contents.hashes) - counts.missing
    factor = _edge_factor(options, last)
    outcoming, incoming = (side.questions for side in sides)
    context.progress("match", 0, len(outcoming))
    generation = match_generation(
        outcoming, incoming, _generation(last, context), exact_pairs=exact_pairs
    )
    edges = build_edges(outcoming, incoming, generation.matches, vertices=vertices, factor=factor)
    context.progress("match", len(outcoming), len(outcoming))
    generation.save(context.directory)
    graph_files(contents, sides, edges, vocabulary).save(context.directory)
    stats = GraphStats(
        model=GraphStats.model_of(options, last),
        embedding=options.embedding,
        dimension=options.dimension,
        edge_factor=factor,
        vertices=vertices,
        edges=len(edges),
        incoming_questions=len(sides.incoming.texts),
        outcoming_questions=len(sides.outcoming.texts),
        written=counts,
        approximate=generation.matches.approximate,
        agreement=_agreement(sides, generation),
    )
    stats.save(context.directory)
    return {
        "questions": stats.incoming_questions + stats.outcoming_questions,
        "edges": stats.edges,
    }


def _edge_factor(options: BuildOptions, last: GraphStats | None) -> float:
    if last is not None and (options.keep or options.open_caller is None):
        return last.edge_factor
    return PassageGraphSettings.of(options.settings).edge_factor


def _generation(last: GraphStats | None, context: BuildContext) -> Generation | None:
    """The last generation's matches, if they were made with the same vectors and keywords."""
    made_with = (context.options.embedding, context.options.dimension, MATCHING_VERSION)
    if last is None or context.previous is None:
        return None
    if (last.embedding, last.dimension, last.matching) != made_with:
        return None
    try:
        return Generation.load(context.previous, last.approximate)
    except IndexMissingError:
        return None


def _agreement(sides: Sides, generation: Generation) -> MatchAgreement | None:
    if not generation.matches.approximate:
        return None
    outcoming, incoming = (side.questions for side in sides)
    return MatchAgreement.of(measure_agreement(outcoming, incoming, generation.matches))
