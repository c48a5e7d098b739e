"""The kind `passage-graph`, for the build: HopRAG's graph of passages, questions as edges.

A generation is made in four steps: the model writes the questions of every passage that has none
(`writing`), the questions are embedded (`sides`), each out-coming question is matched with the
best in-coming question of another passage (`growth`), and the matches become edges, at most
c·n·log2 n of them (`edges`). What the first two give is dear and kept at once, whatever becomes of
the build; the third goes on from the generation before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from hopyard.indexes.derived import UpdateContext
from hopyard.indexes.kinds.passage_graph.assemble import (
    Contents,
    Vocabulary,
    graph_files,
    read_contents,
)
from hopyard.indexes.kinds.passage_graph.edges import Edges, build_edges
from hopyard.indexes.kinds.passage_graph.growth import Generation, grown
from hopyard.indexes.kinds.passage_graph.matching import EXACT_PAIRS, measure_agreement
from hopyard.indexes.kinds.passage_graph.question_store import QuestionStore, Written
from hopyard.indexes.kinds.passage_graph.sides import Sides, both_sides, embed_questions
from hopyard.indexes.kinds.passage_graph.stats import (
    MATCHING_VERSION,
    AuthorShare,
    GraphStats,
    MatchAgreement,
    PromptCalls,
    add_calls,
)
from hopyard.indexes.kinds.passage_graph.writing import Missing, Writing, asking_context, author_of
from hopyard.models.call import model_caller
from hopyard.models.embedder import Embedder
from hopyard.prompts.passage_graph import QUESTIONS
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings import Context, GraphSettings

__all__ = ("PassageGraph",)


class PassageGraph:
    """The kind `passage-graph`.

    Args:
        embedder: The embedding model of the index, which embeds the questions too.
        context: Model, budget and graph settings of the run; None asks no model, as when
            documents are removed.
        keep: Whether the graph stays as its last build made it: questions that another model or
            an earlier prompt wrote are not written anew, and the edge factor is the recorded one.
        exact_pairs: See `matching.best_matches`.
    """

    name: Final = "passage-graph"
    needs_vectors: Final = True  # a walk's end compares passages with the question
    prompts: Final[Mapping[str, str]] = {QUESTIONS.name: str(QUESTIONS.version)}

    def __init__(
        self,
        embedder: Embedder,
        context: Context | None,
        *,
        keep: bool = False,
        exact_pairs: int = EXACT_PAIRS,
    ) -> None:
        self.stopped = False
        """Whether a budget ended the last update before every passage was asked for."""
        self._embedder = embedder
        self._context = asking_context(context) if context else None
        self._keep = keep or context is None
        self._exact_pairs = exact_pairs

    def is_current(self, directory: Path) -> bool:
        """Whether every passage was asked for, with the settings that are asked for now."""
        stats = _stats(directory)
        if stats is None or stats.matching != MATCHING_VERSION:
            return False
        if self._context is None:
            return True
        if stats.without_questions:
            return False
        author, factor = author_of(self._context), self._context.graph.edge_factor
        alone = all((one.version, one.model) == author for one in stats.authors)
        return self._keep or (alone and stats.edge_factor == factor)

    def update(self, context: UpdateContext) -> Mapping[str, int]:
        """Write the graph of the new generation.

        Raises:
            ModelUnreachableError: A model does not answer; the questions written are kept.
            ModelOutputError: Too large a share of the passages failed; the others are kept.
        """
        last = _stats(context.previous)
        vocabulary = Vocabulary()
        contents = read_contents(context.corpus, vocabulary)
        with QuestionStore(context.index_directory) as store:
            same = last is not None and last.embedding == context.embedding
            store.begin(
                context.corpus.generation,
                counted_runs=last.runs if last else (),
                embedding=context.embedding if same else None,
            )
            self._write_questions(contents, context, store)
            written = store.written(contents.hashes.values())
            embed_questions(written.values(), store, self._embedder, context.progress)
            sides = both_sides(contents.hashes, written, store, self._embedder)
            store.use(contents.hashes.values(), context.corpus.generation)
            runs = tuple(store.runs()) if self._context else ()
        vertices = [written[one] for one in contents.hashes.values() if one in written]
        factor = self._edge_factor(last)
        generation, edges = self._match(sides, len(vertices), factor, last, context)
        generation.save(context.directory)
        graph_files(contents, sides, edges, vocabulary).save(context.directory)
        stats = GraphStats(
            model=self._context.model if self._context else last.model if last else "",
            embedding=context.embedding,
            dimension=context.dimension,
            edge_factor=factor,
            edges=len(edges),
            incoming_questions=len(sides.incoming.texts),
            outcoming_questions=len(sides.outcoming.texts),
            without_questions=len(contents.hashes) - len(vertices),
            calls=self._calls(last, runs),
            runs=runs,
            approximate=generation.matches.approximate,
            agreement=_agreement(sides, generation),
            **_counts(vertices),
        )
        stats.save(context.directory)
        return {
            "questions": stats.incoming_questions + stats.outcoming_questions,
            "edges": stats.edges,
        }

    def _write_questions(
        self, contents: Contents, context: UpdateContext, store: QuestionStore
    ) -> None:
        """Have the questions written that are missing."""
        if self._context is None:
            return
        mine = author_of(self._context)
        there = {one for one, author in store.authors().items() if self._keep or author == mine}
        holders: dict[str, str] = {}
        for passage_id, content_hash in contents.hashes.items():
            holders.setdefault(content_hash, passage_id)
        writing = Writing(
            corpus=context.corpus,
            store=store,
            context=self._context,
            name=f"passage-graph/{uuid4().hex}",
            contents=len(holders),
            progress=context.progress,
        )
        missing = [Missing(*holder) for holder in holders.items() if holder[0] not in there]
        if missing:
            store.add_run(writing.name)
        writing.run(missing)
        store.put(writing.failed.items(), context.corpus.generation)
        self.stopped = writing.stopped

    def _match(
        self,
        sides: Sides,
        vertices: int,
        factor: float,
        last: GraphStats | None,
        context: UpdateContext,
    ) -> tuple[Generation, Edges]:
        """Match what has changed, and build the edges."""
        outcoming, incoming = (side.questions for side in sides)
        context.progress("match", 0, len(outcoming))
        generation = grown(
            outcoming, incoming, _generation(last, context), exact_pairs=self._exact_pairs
        )
        edges = build_edges(
            outcoming, incoming, generation.matches, vertices=vertices, factor=factor
        )
        context.progress("match", len(outcoming), len(outcoming))
        return generation, edges

    def _edge_factor(self, last: GraphStats | None) -> float:
        if self._keep and last is not None:
            return last.edge_factor
        return (self._context.graph if self._context else GraphSettings()).edge_factor

    def _calls(self, last: GraphStats | None, runs: tuple[str, ...]) -> tuple[PromptCalls, ...]:
        """What this index paid for, over all its builds and those that were killed."""
        before = last.calls if last else ()
        if self._context is None:
            return before
        ledger = model_caller(self._context.model).ledger
        return add_calls(before, (rate for run in runs for rate in ledger.parse_rates(run)))


def _stats(directory: Path | None) -> GraphStats | None:
    """The stats of a generation; None where they are damaged, and all is to be made anew."""
    try:
        return GraphStats.load(directory) if directory else None
    except IndexMissingError:
        return None


def _generation(last: GraphStats | None, context: UpdateContext) -> Generation | None:
    """The last generation's matches, if they were made with the same vectors and keywords."""
    made_with = (context.embedding, context.dimension, MATCHING_VERSION)
    if last is None or context.previous is None:
        return None
    if (last.embedding, last.dimension, last.matching) != made_with:
        return None
    try:
        return Generation.load(context.previous, last.approximate)
    except IndexMissingError:
        return None


def _counts(vertices: Sequence[Written]) -> dict[str, Any]:
    """What the stats say of the passages that have questions."""
    authors = Counter(one.author for one in vertices)
    return {
        "vertices": len(vertices),
        "too_few_questions": sum(one.outcome != "enough" for one in vertices),
        "failed": sum(one.outcome == "failed" for one in vertices),
        "authors": tuple(
            AuthorShare(version=author.version, model=author.model, passages=count)
            for author, count in sorted(authors.items())
        ),
    }


def _agreement(sides: Sides, generation: Generation) -> MatchAgreement | None:
    if not generation.matches.approximate:
        return None
    outcoming, incoming = (side.questions for side in sides)
    return MatchAgreement.of(measure_agreement(outcoming, incoming, generation.matches))
