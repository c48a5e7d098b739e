"""A passage's questions, from the names and words in it.

In-coming questions are about the passage's own subject, out-coming questions about the other names
in it. The passage graph matches edges by names and meaning.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Final

from lab.sources import Passage

__all__ = (
    "about",
    "asked_of",
    "names_in",
)

_NAME: Final = re.compile(
    r"(?P<before>[a-z]+|[.,;(\"“]|^)? ?"
    r"(?P<name>[A-Z][\w'’-]+(?: (?:(?:of|the|de|van|von) )*[A-Z][\w'’-]+)*)"
)
"""A run of capitalised words and the lower-case word or mark before it."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_NAMES: Final = _words(
    "The This That These Those After Before During While When Where There Then They "
    "Their His Her January February March April May June July August September "
    "October November December Monday Tuesday Wednesday Thursday Friday Saturday "
    "Sunday With From However Although Since Both Other Another First Second Also "
    "Most Many Some In On At It He She As A An By For"
)
_INSTITUTION: Final = re.compile(
    r"\b(?:of|the|University|College|School|Awards?|Academy|League|Company|Corp|Records|Entertainment|Production|Productions|Limited|House|Party|Museum|Club"
    r"|Festival|Association|Theatre|Church|War|Army|Group|Institute|Channel|Pictures|Studios)\b"
)
_PERSON: Final = _words(
    "by starring actor actress singer writer director author composer king queen "
    "president son daughter wife husband brother sister father mother"
)
_PLACE: Final = frozenset({"in", "at", "near", "to"})
_SINGLE: Final = frozenset({"in", "near", "from", "of", "by"})
"""Words after which one capitalised word alone is a name and not an adjective."""

_ABOUT: Final[dict[str, tuple[str, ...]]] = {
    "place": (
        "In which country is {x}?",
        "How many people live in {x}?",
        "When was {x} founded?",
        "What is {x} known for?",
        "What shares a border with {x}?",
        "Who was born in {x}?",
    ),
    "person": (
        "Where was {x} born?",
        "When was {x} born?",
        "Who was {x} married to?",
        "What is {x} known for?",
        "Where was {x} educated?",
        "Which award did {x} receive?",
        "When did {x} die?",
    ),
    "thing": (
        "Who or what is {x}?",
        "What is {x} known for?",
        "When did {x} begin?",
        "What is the history of {x}?",
        "Where can {x} be found?",
        "Who is connected with {x}?",
    ),
}
_OWN: Final[tuple[tuple[str, str], ...]] = (
    (r"\b(?:is|was) an? [^.]*\b(?:film|movie|documentary)\b", "Who directed {x}?"),
    (r"\b(?:is|was) an? [^.]*\b(?:album|song|single)\b", "Who recorded {x}?"),
    (r"\b(?:is|was) an? [^.]*\b(?:novel|book|play)\b", "Who wrote {x}?"),
    (r"\b(?:is|was) an? [^.]*\b(?:band|group)\b", "Who is in the band {x}?"),
    (r"\b(?:is|was) an? [^.]*\b(?:city|town|village|county|river|district|island)\b",
     "Where is {x} located?"),
    (r"\b(?:is|was) an? [^.]*\b(?:company|corporation|station|channel|university|school)\b",
     "Where is {x} located?"),
    (r"^[^.]*\bborn\b", "When was {x} born?"),
    (r"^[^.]*\bborn\b[^.]* in [A-Z]", "Where was {x} born?"),
    (r"\bmarried\b", "Who was {x} married to?"),
    (r"\bdied\b", "When did {x} die?"),
    (r"^[^.]*\b(?:founded|established)\b", "When was {x} founded?"),
    (r"\bfilm\b[^.]* starring\b", "Who stars in {x}?"),
    (r"^[^.]*\breleased\b", "When was {x} released?"),
    (r"\b(?:is|was) an? [^.]*\b(?:actor|actress|singer|player|politician|writer|director)\b",
     "What was the profession of {x}?"),
)  # fmt: skip
"""Questions about a subject, by words in its passage that answer them."""


def names_in(passage: Passage) -> list[tuple[str, str]]:
    """The names in a passage other than its subject, each with its likely kind.

    Args:
        passage: The passage.

    Returns:
        (name, "place" | "person" | "thing") in the order of appearance, each once.
    """
    found: dict[str, str] = {}
    own = passage.title.lower()
    for match in _NAME.finditer(passage.text):
        before, words = match["before"] or "", match["name"].split()
        while words and words[0] in _NO_NAMES:
            words, before = words[1:], ""
        name = re.sub(r"['’]s$", "", " ".join(words))
        if len(name) < 4 or len(name) > 50 or name.lower() in own or own in name.lower():
            continue
        if len(words) == 1 and before not in _SINGLE:
            continue
        kind = "place" if before in _PLACE else "thing"
        if before in _PERSON and 1 < len(words) < 4 and not _INSTITUTION.search(name):
            kind = "person"
        found.setdefault(name, kind)
    return list(found.items())


def asked_of(passage: Passage) -> list[str]:
    """Questions about the passage's subject that its own words answer."""
    subject = re.sub(r" \([^)]*\)$", "", passage.title)
    questions = [
        form.format(x=subject) for pattern, form in _OWN if re.search(pattern, passage.text)
    ]
    return [*dict.fromkeys(questions), f"What is {subject} known for?"]


def about(names: Sequence[tuple[str, str]], rng: random.Random) -> Iterator[str]:
    """Different questions about names, the names in turn.

    Args:
        names: As `names_in` gives them.
        rng: Chooses the forms.
    """
    asked: set[str] = set()
    for _ in range(3):
        for name, kind in rng.sample(list(names), len(names)):
            question = rng.choice(_ABOUT[kind]).format(x=name)
            if question not in asked:
                asked.add(question)
                yield question
