"""The material of the training examples, without everything that is held out."""

from __future__ import annotations

import random
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopyard.nodes.sub_questions import plain
from lab.encyclopedia import Film, Person, films_of, persons_of
from lab.retrieval import Shelf
from lab.sources import Guard, Source, read_source
from lab.splitting import Answered
from lab.steps import Halves, halves_of
from lab.templates import simple_question
from lab.written import Context, Written, read_contexts

__all__ = ("ENCYCLOPEDIA", "Materials", "materials")

ENCYCLOPEDIA: Final = "2wikimultihopqa"
"""The set whose passages are read by rule; its questions are not trained on."""
_SETS: Final = ("hotpotqa", "musique", "multihoprag", "squad2", "nq_open")


@dataclass(frozen=True)
class Materials:
    """The material of the examples, without everything that is held out."""

    sources: dict[str, Source]
    guard: Guard
    shelves: dict[str, Shelf]
    halves: list[Halves]
    splits: list[Answered]
    films: list[Film]
    persons: list[Person]
    contexts: list[Context]
    facts: list[tuple[str, str]]
    """Questions that ask for one fact, and where they come from."""

    def written(self, *kinds: str) -> list[Written]:
        """The written questions of some kinds."""
        return [
            question
            for each in self.contexts
            for question in each.questions
            if question.kind in kinds
        ]


def materials(data: Path, rng: random.Random, written: Container[str] | None = None) -> Materials:
    """Read the sets and remove what training must not see.

    Args:
        data: The folder of the question sets.
        rng: Draws the single facts.
        written: Keep the contexts in which one of these questions is written; None: all.
    """
    sources = {name: read_source(data / name) for name in (*_SETS, ENCYCLOPEDIA)}
    guard = Guard(sources.values())
    with_text = [source for source in sources.values() if source.passages]
    shelves = {source.name: Shelf(source, guard) for source in with_text}
    musique = sources["musique"]
    halves = [
        half
        for question in musique.of("train")
        if guard.allows_question(question.question)
        for half in halves_of(question, shelves["musique"].by_id, guard)
    ]
    # A pair from within a longer chain has no whole question of its own, so it cannot be split.
    splits = [Answered.of(half) for half in halves if plain(half.question) != plain(half.second)]
    encyclopedia = shelves[ENCYCLOPEDIA].passages
    facts = [
        (_as_typed(question.question), f"{name}:{question.id}")
        for name in ("nq_open", "squad2")
        for question in sources[name].of("train")
        if guard.allows_question(question.question) and len(question.question.split()) > 3
    ]
    rng.shuffle(facts)
    facts = facts[:600] + [(simple_question(rng), "written") for _ in range(500)]
    return Materials(
        sources,
        guard,
        shelves,
        halves,
        splits,
        films_of(encyclopedia),
        persons_of(encyclopedia),
        [
            context
            for context in read_contexts(shelves, guard)
            if written is None
            or any(question.question in written for question in context.questions)
        ],
        facts,
    )


def _as_typed(question: str) -> str:
    """Natural Questions have no capital and no question mark, as people type them.

    Two of three get both, so that the model sees both forms.
    """
    if question.endswith("?") or _number_of(question) % 3 == 0:
        return question
    return question[:1].upper() + question[1:] + "?"


def _number_of(text: str) -> int:
    """A number that depends on the text alone."""
    return sum(text.encode())
