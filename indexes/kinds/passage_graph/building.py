"""Building the passage graph: HopRAG's graph of passages, questions as edges.

The model writes the questions of every passage that has none (`writing`), and they are embedded
(`questions`). Each out-coming question is matched with the best in-coming question of another
passage, and the matches become at most c·n·log2 n edges (`edges`). The first two are expensive, so
their results are kept at once, even if the build fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.records import Passage, embedded_text
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.passage_graph.edges import (
    Edges,
    best_matches,
    build_edges,
    edge_keywords,
)
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles
from hopyard.indexes.kinds.passage_graph.questions import Sides, both_sides
from hopyard.indexes.kinds.passage_graph.stats import MATCHING_VERSION, GraphStats, QuestionCounts
from hopyard.indexes.kinds.passage_graph.writing import ENOUGH, QuestionStore, QuestionWriter
from hopyard.indexes.text.keywords import extract_keywords
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.indexes.written.writer import count_texts, open_texts, write_missing

EDGE_FACTOR: Final = 1.0
"""Factor c: a graph of n passages keeps at most c·n·log2 n edges (paper: O(n·log n))."""


class Vocabulary:
    """Codes for keywords: given as they are met, and in the end in the order of the words."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def encode(self, words: Iterable[str]) -> list[int]:
        """The codes of some keywords, for `finish`."""
        return [self._codes.setdefault(word, len(self._codes)) for word in words]

    def finish(self, *tables: Sequence[Sequence[int]]) -> tuple[Ragged, ...]:
        """The keywords sorted by their UTF-8, then each table with its rows in final codes."""
        words = sorted(self._codes, key=str.encode)
        final = np.empty(len(words), dtype=np.int32)
        final[self.encode(words)] = np.arange(len(words))
        # A set has no order of its own that lasts from one process to the next.
        coded = (Ragged.of((np.sort(final[row]) for row in table), np.int32) for table in tables)
        return (Ragged.of_texts(words), *coded)


@dataclass(frozen=True, eq=False)
class Contents:
    """All passages of a generation, in the order of their ids, which is that of their rows."""

    hashes: dict[str, str]
    """Content hash by passage id."""
    keywords: list[list[int]]
    """Codes of each passage's keywords."""


def read_contents(corpus: Snapshot, vocabulary: Vocabulary) -> Contents:
    """Go through the corpus once, and keep of each passage what the graph needs of it."""
    contents = Contents({}, [])
    for passage in corpus.passages():
        contents.hashes[passage.id] = passage.content_hash
        words = extract_keywords(embedded_text(passage.full_title, passage.text))
        contents.keywords.append(vocabulary.encode(words))
    return contents


def graph_files(
    contents: Contents,
    sides: Sides,
    edges: Edges,
    vocabulary: Vocabulary,
) -> GraphFiles:
    """The files for readers, with the in-coming questions that edges carry."""
    carried, question = np.unique(edges.incoming, return_inverse=True)
    rows: NDArray[np.void] = np.empty(len(edges), dtype=EDGE_ROW)
    rows["tail"], rows["head"] = edges.tail, edges.head
    rows["question"], rows["similarity"] = question, edges.similarity
    codes = [vocabulary.encode(words) for words in edge_keywords(edges, *sides)]
    words, of_edges, of_passages = vocabulary.finish(codes, contents.keywords)
    return GraphFiles(
        passages=list(contents.hashes),
        edges=rows,
        questions=Ragged.of_texts(sides.incoming.texts[row] for row in carried.tolist()),
        vectors=sides.incoming.vectors[carried],
        vocabulary=words,
        edge_keywords=of_edges,
        passage_keywords=of_passages,
    )


def is_current(directory: Path, options: BuildOptions) -> bool:
    """Whether every passage was asked for, with the settings that are asked for now."""
    last = GraphStats.find(directory)
    return (
        last is not None
        and last.matching == MATCHING_VERSION
        and QuestionWriter(options.settings).has_finished(last.written, options)
    )


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """Ask about a few passages, and take the others to cost as much."""
    writer = QuestionWriter(options.settings)
    return await estimate_writing(writer, passages, index_directory, options)


async def build(context: BuildContext) -> Mapping[str, int]:
    """Write the graph of the new generation."""
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
    return await in_thread(lambda: _write_graph(context, contents, vocabulary, sides, last, counts))


def _write_graph(
    context: BuildContext,
    contents: Contents,
    vocabulary: Vocabulary,
    sides: Sides,
    last: GraphStats | None,
    counts: QuestionCounts,
) -> Mapping[str, int]:
    """Match the questions, build the edges, and write all files."""
    options = context.options
    vertices = len(contents.hashes) - counts.missing
    asked = len(sides.outcoming)
    context.progress("match", 0, asked)
    edges = build_edges(*sides, best_matches(*sides), vertices=vertices, factor=EDGE_FACTOR)
    context.progress("match", asked, asked)
    graph_files(contents, sides, edges, vocabulary).save(context.directory)
    stats = GraphStats(
        model=GraphStats.model_of(options, last),
        embedding=options.embedding,
        dimension=options.dimension,
        vertices=vertices,
        edges=len(edges),
        incoming_questions=len(sides.incoming),
        outcoming_questions=asked,
        written=counts,
    )
    stats.save(context.directory)
    return {
        "questions": stats.incoming_questions + stats.outcoming_questions,
        "edges": stats.edges,
    }
