"""Questions that need no document: greetings, arithmetic, rewriting, general knowledge.

The lists beside this module are written by hand. Rules make arithmetic and the sentences around
words. The same seed gives the same questions in the same splits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib.resources import files
from typing import Final, Literal, NamedTuple

__all__ = ("KINDS", "SEED", "Written", "written_questions")

Kind = Literal["greeting", "arithmetic", "rewriting", "general"]
KINDS: Final[tuple[Kind, ...]] = ("greeting", "arithmetic", "rewriting", "general")
SEED: Final = 11
ARITHMETIC: Final = 150
"""Sums to make, about as many as there are general questions."""
DEV_SHARE: Final = 0.25
"""Share of each kind that is held out for evaluation."""
_FORMS: Final = 2
_ASKED: Final = {
    "plural": ("Give the plural of {x}.", "What is the plural form of {x}?"),
    "past": ("Give the past tense of {x}.", "What is the simple past of {x}?"),
    "opposite": ("Give the opposite of {x}.", "Which word means the opposite of {x}?"),
    "upper": ("Write {x} in upper case.", "Put {x} in capital letters."),
    "synonym": ("Give a synonym of {x}.", "Which other word means {x}?"),
    "german": ("Translate {x} into German.", "How do you say {x} in German?"),
    "spanish": ("Translate {x} into Spanish.", "How do you say {x} in Spanish?"),
    "french": ("Translate {x} into French.", "How do you say {x} in French?"),
    "sentence": ("Correct this sentence: {x}.", "Rewrite without mistakes: {x}."),
}


class Written(NamedTuple):
    """A question that needs no document."""

    id: str
    question: str
    answers: tuple[str, ...]
    kind: Kind
    split: Literal["train", "dev"]


def written_questions(seed: int = SEED) -> list[Written]:
    """All of them, each once.

    Args:
        seed: Of the numbers in arithmetic and of the splits. Another seed gives other sums.
    """
    pairs: dict[Kind, list[tuple[str, tuple[str, ...]]]] = {
        "greeting": list(_list("greeting.txt")),
        "arithmetic": list(_arithmetic(seed)),
        "rewriting": list(_rewriting()),
        "general": list(_list("general.txt")),
    }
    found = []
    for kind in KINDS:
        together = _FORMS if kind == "rewriting" else 1  # a word's forms stay in one split
        groups = list(range(len(pairs[kind]) // together))
        random.Random(f"{seed} {kind}").shuffle(groups)
        held_out = set(groups[: round(DEV_SHARE * len(groups))])
        for place, (question, answers) in enumerate(pairs[kind]):
            split: Literal["train", "dev"] = "dev" if place // together in held_out else "train"
            found.append(Written(f"written-{kind}-{place}", question, answers, kind, split))
    return found


def _lines(name: str) -> Iterator[list[str]]:
    for line in (files(__package__) / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [part.strip() for part in line.split("|")]


def _answers(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";"))


def _list(name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for question, answers in _lines(name):
        yield question, _answers(answers)


def _rewriting() -> Iterator[tuple[str, tuple[str, ...]]]:
    for kind, word, changed in _lines("words.txt"):
        for form in _ASKED[kind]:
            yield form.format(x=word), _answers(changed)


def _arithmetic(seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    rng = random.Random(seed)
    made: dict[str, str] = {}
    while len(made) < ARITHMETIC:
        question, answer = _sum(rng)
        made.setdefault(question, answer)
    for question, answer in made.items():
        yield question, (answer,)


def _sum(rng: random.Random) -> tuple[str, str]:
    a, b, small, times = (rng.randint(2, most) for most in (50, 40, 12, 10))
    return rng.choice(
        [
            (f"Add {a} and {b}.", str(a + b)),
            (f"What do you get if you add {a} to {b}?", str(a + b)),
            (f"How much is {a} + {b}?", str(a + b)),
            (f"{a} + {b} = ?", str(a + b)),
            (f"Subtract {b} from {a + b}.", str(a)),
            (f"How much is {a + b} - {b}?", str(a)),
            (f"Multiply {small} by {times}.", str(small * times)),
            (f"{small} x {times} = ?", str(small * times)),
            (f"Divide {small * times} by {times}.", str(small)),
            (f"I have {a} apples and buy {b} more; how many do I have now?", str(a + b)),
            (f"How many days are there in {small} weeks?", str(7 * small)),
            (f"Which number is larger, {a} or {a + b}?", str(a + b)),
        ]
    )
