"""What the training examples are made from, with everything held out put aside."""

from __future__ import annotations

import random
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopyard.nodes.tree.decompose import plain
from lab.encyclopedia import Film, Person, films_of, persons_of
from lab.retrieval import Shelf
from lab.sources import Guard, Source, read_source
from lab.splitting import Answered
from lab.steps import Halves, halves_of
from lab.templates import simple_question
from lab.written import Context, Written, read_contexts

__all__ = ("ENCYCLOPEDIA", "Materials", "materials")

ENCYCLOPEDIA: Final = "2wikimultihopqa"
"""The set of passages without questions."""
_SETS: Final = ("hotpotqa", "musique", "multihoprag", "squad2", "nq_open")


@dataclass(frozen=True)
class Materials:
    """What the examples are made from, with nothing held out in it."""

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
        return [one for each in self.contexts for one in each.questions if one.kind in kinds]


def materials(data: Path, rng: random.Random, written: Container[str] | None = None) -> Materials:
    """Read the sets and put aside what training must not see.

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
    # A pair from within a longer chain has no whole question of its own: nothing to split there.
    splits = [Answered.of(one) for one in halves if plain(one.question) != plain(one.second)]
    encyclopedia = shelves[ENCYCLOPEDIA].passages
    facts = [
        (_asked(question.question), f"{name}:{question.id}")
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
            if written is None or any(one.question in written for one in context.questions)
        ],
        facts,
    )


def _asked(question: str) -> str:
    """Natural Questions come without capital and question mark, as people type them.

    Two of three are dressed as questions, so that both forms are seen.
    """
    if question.endswith("?") or _number_of(question) % 3 == 0:
        return question
    return question[:1].upper() + question[1:] + "?"


def _number_of(text: str) -> int:
    """A number that depends on the text alone."""
    return sum(text.encode())
