"""The training mixture: how many examples of each prompt, from which sets.

`python -m hopyard.training.mixture DATA --out examples.jsonl` writes one example a line.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from hopyard.nodes.decompose import plain
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.route import ROUTE, ROUTE_WITH_HOP
from hopyard.training.asking import gold_questions, passage_questions
from hopyard.training.closing import closing
from hopyard.training.encyclopedia import Film, Person, films_of, persons_of
from hopyard.training.examples import TrainingExample, write_examples
from hopyard.training.hopping import judged_edges
from hopyard.training.reading import aggregation, encyclopedic_reading, news_reading, reading
from hopyard.training.retrieval import Shelf
from hopyard.training.routing import chat, direct, rewritten, routed
from hopyard.training.sources import Guard, Source, read_source
from hopyard.training.splitting import (
    Answered,
    decomposition,
    judged_branch,
    judged_split,
    replaced,
    whole,
    templated,
)
from hopyard.training.steps import Halves, halves_of
from hopyard.training.templates import bridge, comparison, simple_question
from hopyard.training.written import (
    Context,
    Written,
    next_questions,
    read_contexts,
    reading_together,
)
from hopyard.training.written import closing as written_closing

__all__ = ("COUNTS", "Materials", "build", "materials")

COUNTS: Final[dict[str, int]] = {
    "answer": 9000,
    "aggregate": 100,
    "decompose": 500,
    "replace-sub-question": 50,
    "judge-decomposition": 200,
    "judge-branch": 150,
    "route": 300,
    "route-with-hop": 300,
    "next-question": 200,
    "rewrite": 24,
    "direct": 50,
    "judge-edges": 80,
    "questions": 110,
}
"""Examples of each prompt at most."""
_SETS: Final = ("hotpotqa", "musique", "multihoprag", "squad2", "nq_open")
_ENCYCLOPEDIA: Final = "2wikimultihopqa"
_SPLIT: Final = ("bridge", "compare", "yesno")


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


def materials(data: Path, rng: random.Random) -> Materials:
    """Read the sets and put aside what training must not see."""
    sources = {name: read_source(data / name) for name in (*_SETS, _ENCYCLOPEDIA)}
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
    encyclopedia = shelves[_ENCYCLOPEDIA].passages
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
        read_contexts(shelves, guard),
        facts,
    )


def build(data: Path, seed: int, counts: Mapping[str, int] | None = None) -> list[TrainingExample]:
    """All examples, shuffled; the same for the same seed and data.

    Args:
        data: The folder of the question sets.
        seed: Draws everything that is drawn.
        counts: Examples of some prompts at most, where it is not to be the default.
    """
    wanted = {**COUNTS, **(counts or {})}
    rng = random.Random(seed)  # noqa: S311
    made = materials(data, rng)
    makers: dict[str, Callable[[Materials, random.Random], Iterator[TrainingExample]]] = {
        "answer": _answers,
        "aggregate": _aggregates,
        "decompose": _decompositions,
        "replace-sub-question": lambda m, r: (replaced(s, _other(m, r), r) for s in _splits(m, r)),
        "judge-decomposition": lambda m, r: _flat(
            judged_split(s, m.splits, r) for s in _splits(m, r)
        ),
        "judge-branch": lambda m, r: _flat(judged_branch(s, m.splits, r) for s in _splits(m, r)),
        "route": lambda m, r: _routes(m, r, with_hop=False),
        "route-with-hop": lambda m, r: _routes(m, r, with_hop=True),
        "next-question": lambda m, r: _flat(
            next_questions(one, r) for one in _drawn(m.written(*_SPLIT, "single"), r)
        ),
        "rewrite": lambda m, r: _flat(rewritten([f for f, _ in m.facts], r) for _ in range(10**6)),
        "direct": lambda _, r: (direct(*chat(r)) for _ in range(10**6)),
        "judge-edges": lambda m, r: (judged_edges(s, _mixed(m, r), r) for s in _splits(m, r)),
        "questions": _passage_questions,
    }  # fmt: skip
    examples = [
        one for name, make in makers.items() for one in _distinct(make(made, rng), wanted[name])
    ]
    rng.shuffle(examples)
    return examples


def _answers(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Every written question, every gold one twice among other passages; news; facts."""
    written = [
        one
        for context in made.contexts
        for one in reading_together(context, made.shelves[context.source], rng)
    ]
    gold = [
        one
        for name in ("hotpotqa", "musique", "squad2")
        for _ in range(2)
        for one in reading(made.sources[name], made.shelves[name], made.guard, rng)
    ]
    news = list(
        news_reading(made.sources["multihoprag"], made.shelves["multihoprag"], made.guard, rng)
    )
    facts = encyclopedic_reading(made.films, made.persons, made.shelves[_ENCYCLOPEDIA], rng)
    known = [one for one in (*gold, *news) if not _is_unknown(one)]
    unknown = [one for one in (*gold, *news) if _is_unknown(one)]
    rng.shuffle(unknown)
    yield from (*written, *known, *unknown[: len(known) // 12], *islice(facts, 150))


def _is_unknown(one: TrainingExample) -> bool:
    return f'"{UNKNOWN}"' in one.output


def _aggregates(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    halves = list(made.halves)
    rng.shuffle(halves)
    for one in halves[:20]:
        yield from aggregation(one, made.shelves["musique"], rng)
    for context in rng.sample(made.contexts, min(60, len(made.contexts))):
        for question in context.questions:
            yield from written_closing(question, made.shelves[context.source], rng)
    yield from _compared(made, rng)


def _compared(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Closing questions over two persons or films whose dates are known."""
    while True:
        yield from closing(made.films, made.persons, made.shelves[_ENCYCLOPEDIA], rng)


def _decompositions(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Written splits, some from templates, and single facts that stay whole."""
    facts = iter(made.facts)
    single, split = _drawn(made.written("single"), rng), _written_splits(made, rng)
    while True:
        draw = rng.random()
        if draw < 0.18:
            yield whole(next(single).question, "written")
        elif draw < 0.34:
            yield whole(*next(facts))
        else:
            one = next(split) if rng.random() < 0.8 else templated(rng)
            yield decomposition(one, made.splits, rng)


def _routes(made: Materials, rng: random.Random, *, with_hop: bool) -> Iterator[TrainingExample]:
    prompt = ROUTE_WITH_HOP if with_hop else ROUTE
    joined = "hop" if with_hop else "tree"
    facts = iter(rng.sample(made.facts, len(made.facts)))
    single = _drawn(made.written("single"), rng)
    compared = _drawn(made.written("compare", "yesno"), rng)
    bridged = _drawn(made.written("bridge"), rng)
    gold = [one for one in made.splits if one.question[-1:] == "?"]
    while True:
        draw = rng.random()
        if draw < 0.26:
            yield routed(prompt, chat(rng)[0], "direct", "written")
        elif draw < 0.46:
            question, origin = next(facts)
            yield routed(prompt, question, "single", origin)
        elif draw < 0.58:
            yield routed(prompt, next(single).question, "single", "written")
        elif draw < 0.78:
            asked = next(compared).question if rng.random() < 0.5 else comparison(rng).question
            yield routed(prompt, asked, "tree", "written")
        elif draw < 0.84:
            one = rng.choice(gold)
            yield routed(prompt, one.question, joined, one.origin)
        else:
            asked = next(bridged).question if rng.random() < 0.6 else bridge(rng).question
            yield routed(prompt, asked, joined, "written")


def _passage_questions(made: Materials, rng: random.Random) -> Iterator[TrainingExample]:
    """Passages with gold questions first, then any of the encyclopedia's."""
    halves = [one.halves for one in made.written(*_SPLIT) if one.halves]
    incoming, outcoming = gold_questions(made.sources, [*made.halves, *halves], made.guard)
    for one in made.written("single"):
        incoming[one.needs[0].id].append(one.question)
    for name in ("squad2", "musique", "hotpotqa", _ENCYCLOPEDIA):
        shelf = made.shelves[name]
        gold = [one for one in shelf.passages if one.id in incoming or one.id in outcoming]
        rest = rng.sample(shelf.passages, 60)
        yield from islice(passage_questions(gold or rest, incoming, outcoming, rng), 60)
        yield from islice(passage_questions(rest, incoming, outcoming, rng), 30)


def _splits(made: Materials, rng: random.Random) -> Iterator[Answered]:
    """Gold splits, each once, among written ones and some from templates."""
    gold = rng.sample(made.splits, len(made.splits))
    split = _written_splits(made, rng)
    while True:
        draw = rng.random()
        if gold and draw < 0.2:
            yield gold.pop()
        else:
            yield next(split) if draw < 0.75 else templated(rng)


def _written_splits(made: Materials, rng: random.Random) -> Iterator[Answered]:
    return (
        Answered.of(one.halves) for one in _drawn(made.written(*_SPLIT), rng) if one.halves
    )


def _mixed(made: Materials, rng: random.Random) -> list[Answered]:
    split = _written_splits(made, rng)
    return [next(split) for _ in range(5)] + [templated(rng) for _ in range(5)]


def _other(made: Materials, rng: random.Random) -> Answered:
    return rng.choice(made.splits)


def _drawn(questions: Sequence[Written], rng: random.Random) -> Iterator[Written]:
    """All of them in a drawn order, again and again."""
    while True:
        yield from rng.sample(questions, len(questions))


def _flat(groups: Iterable[Iterable[TrainingExample]]) -> Iterator[TrainingExample]:
    return (one for group in groups for one in group)


def _distinct(examples: Iterator[TrainingExample], count: int) -> Iterator[TrainingExample]:
    if not count:
        return
    seen: set[str] = set()
    for one in islice(examples, 20 * count):
        key = repr(sorted(one.values.items()))
        if key not in seen:
            seen.add(key)
            yield one
        if len(seen) == count:
            return


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


def main() -> None:
    """Write the mixture and say what is in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the question sets")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--counts", nargs="*", default=[], metavar="PROMPT=N")
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.counts]
    counts = {name: int(number) for name, _, number in pairs}
    examples = build(options.data, options.seed, counts)
    write_examples(options.out, examples)
    for name, count in Counter(one.prompt for one in examples).most_common():
        print(f"{count:6d} {name}")


if __name__ == "__main__":
    main()
