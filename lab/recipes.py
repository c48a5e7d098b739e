"""How the examples of each prompt are drawn from the materials; `mixture` says how many."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from hopyard.prompts.answer import UNKNOWN
from lab.asking import gold_questions, passage_questions
from lab.closing import closing_comparison, closing_steps, closing_written
from lab.examples import ROUTE, ROUTE_WITH_HOP, TrainingExample
from lab.materials import ENCYCLOPEDIA, Materials
from lab.reading import encyclopedic_reading, news_reading, reading
from lab.routing import chat, choose_route
from lab.splitting import Answered, decomposition, from_template, whole
from lab.templates import bridge, comparison
from lab.written import Written, next_questions, reading_together

__all__ = (
    "about_passages",
    "aggregates",
    "answers",
    "chains",
    "decompositions",
    "other",
    "other_splits",
    "routes",
    "splits",
)  # fmt: skip

_SPLIT: Final = ("bridge", "compare", "yesno")
"""The kinds of written questions with sub-questions."""


def answers(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Gold questions and news, facts, and all written questions, context by context."""
    gold = [
        example
        for name in ("hotpotqa", "musique", "squad2")
        for example in reading(made.sources[name], made.shelves[name], made.guard, rng)
    ]
    news = list(
        news_reading(made.sources["multihoprag"], made.shelves["multihoprag"], made.guard, rng)
    )
    facts = encyclopedic_reading(made.films, made.persons, made.shelves[ENCYCLOPEDIA], rng)
    known = [example for example in (*gold, *news) if not _is_unknown(example)]
    unknown = [example for example in (*gold, *news) if _is_unknown(example)]
    rng.shuffle(unknown)
    yield from (*known, *unknown[: len(known) // 12], *islice(facts, 150))
    for context in rng.sample(made.contexts, len(made.contexts)):
        yield from reading_together(context, made.shelves[context.source], rng)


def _is_unknown(example: TrainingExample) -> bool:
    return f'"{UNKNOWN}"' in example.output


def aggregates(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Closing questions: over gold steps, over written halves, and over dates that are known."""
    halves = list(made.halves)
    rng.shuffle(halves)
    for half in halves[:20]:
        yield from closing_steps(half, made.shelves["musique"], rng)
    for context in rng.sample(made.contexts, min(60, len(made.contexts))):
        for question in context.questions:
            yield from closing_written(question, made.shelves[context.source], rng)
    yield from _compare(made, rng)


def _compare(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Closing questions over two persons or films whose dates are known."""
    while True:
        yield from closing_comparison(made.films, made.persons, made.shelves[ENCYCLOPEDIA], rng)


def decompositions(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Written splits, some from templates, and single facts that stay whole."""
    facts = iter(made.facts)
    single, split = _draw_again(made.written("single"), rng), _written_splits(made, rng)
    while True:
        draw = rng.random()
        if draw < 0.18:
            yield whole(next(single).question, "written")
        elif draw < 0.34:
            yield whole(*next(facts))
        else:
            drawn = next(split) if rng.random() < 0.8 else from_template(rng)
            yield decomposition(drawn, made.splits, rng)


def routes(made: Materials, rng: random.Random, *, with_hop: bool) -> Iterator[TrainingExample]:
    """A quarter needs no document, a third asks for one fact, the rest compares or joins."""
    prompt = ROUTE_WITH_HOP if with_hop else ROUTE
    joined = "hop" if with_hop else "tree"
    facts = iter(rng.sample(made.facts, len(made.facts)))
    single = _draw_again(made.written("single"), rng)
    compared = _draw_again(made.written("compare", "yesno"), rng)
    bridged = _draw_again(made.written("bridge"), rng)
    gold = [split for split in made.splits if split.question[-1:] == "?"]
    while True:
        draw = rng.random()
        if draw < 0.26:
            yield choose_route(prompt, chat(rng)[0], "direct", "written")
        elif draw < 0.46:
            question, origin = next(facts)
            yield choose_route(prompt, question, "single", origin)
        elif draw < 0.58:
            yield choose_route(prompt, next(single).question, "single", "written")
        elif draw < 0.78:
            asked = next(compared).question if rng.random() < 0.5 else comparison(rng).question
            yield choose_route(prompt, asked, "tree", "written")
        elif draw < 0.84:
            chosen = rng.choice(gold)
            yield choose_route(prompt, chosen.question, joined, chosen.origin)
        else:
            asked = next(bridged).question if rng.random() < 0.6 else bridge(rng).question
            yield choose_route(prompt, asked, joined, "written")


def chains(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """What a chain asks next, mostly of questions that ask for more than one fact."""
    split, single = (
        _draw_again(made.written(*_SPLIT), rng),
        _draw_again(made.written("single"), rng),
    )
    while True:
        yield from next_questions(next(single if rng.random() < 0.15 else split), rng)


def about_passages(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Passages with gold questions first, then any of the encyclopedia's."""
    halves = [written.halves for written in made.written(*_SPLIT) if written.halves]
    incoming, outcoming = gold_questions(made.sources, [*made.halves, *halves], made.guard)
    for written in made.written("single"):
        incoming[written.needs[0].id].append(written.question)
    for name in ("squad2", "musique", "hotpotqa", ENCYCLOPEDIA):
        shelf = made.shelves[name]
        gold = [
            passage
            for passage in shelf.passages
            if passage.id in incoming or passage.id in outcoming
        ]
        rest = rng.sample(shelf.passages, 60)
        yield from islice(passage_questions(gold or rest, incoming, outcoming, rng), 60)
        yield from islice(passage_questions(rest, incoming, outcoming, rng), 30)


def splits(made: Materials, rng: random.Random) -> Iterator[Answered]:
    """Gold splits, each once, among written ones and some from templates."""
    gold = rng.sample(made.splits, len(made.splits))
    split = _written_splits(made, rng)
    while True:
        draw = rng.random()
        if gold and draw < 0.2:
            yield gold.pop()
        else:
            yield next(split) if draw < 0.75 else from_template(rng)


def _written_splits(made: Materials, rng: random.Random) -> Iterator[Answered]:
    return (
        Answered.of(written.halves)
        for written in _draw_again(made.written(*_SPLIT), rng)
        if written.halves
    )


def other_splits(made: Materials, rng: random.Random) -> list[Answered]:
    """Splits of other questions."""
    split = _written_splits(made, rng)
    return [next(split) for _ in range(5)] + [from_template(rng) for _ in range(5)]


def other(made: Materials, rng: random.Random) -> Answered:
    """Another question's split."""
    return rng.choice(made.splits)


def _draw_again(questions: Sequence[Written], rng: random.Random) -> Iterator[Written]:
    """All questions in random order, repeatedly."""
    while True:
        yield from rng.sample(questions, len(questions))
