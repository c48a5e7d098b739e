"""Questions for the passage-graph benchmark: fixed templates over real passages, no model.

The benchmark measures edge building, so its questions must cost nothing and be the same in every
run. They keep what matters to edge building: the names of the passages with their real
frequencies (a few stand in hundreds of passages, most in one), and sentences near enough to
English for the embedding model to place them.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ("Passage", "read_corpus", "write_questions")

_OUT_COMING: Final = 4

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_PREDICATE: Final = re.compile(r"\b(is|was|are|were)\s+(?:an?\s+|the\s+)?(.+)")
_NAME: Final = re.compile(
    r"[A-Z][\w’'-]*(?:\s+(?:of\s+the\s+|of\s+|de\s+|van\s+|von\s+|the\s+)?[A-Z][\w’'-]*)*"
)
_NO_NAME: Final = re.compile(
    "A|After|An|And|As|At|Before|But|By|For|From|He|Her|His|However|I|If|In|It|Its|On|Over|She|"
    "Since|That|The|Their|There|These|They|This|To|What|When|Where|Which|While|Who|With|"
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_PREDICATE_WORDS: Final = 12

_ABOUT_THE_TITLE: Final = (
    "Who or what is {title}?",
    "What is {title} known for?",
    "When was {title} born, made or founded?",
    "Where does {title} come from?",
)
_ABOUT_A_NAME: Final = (
    "Who is {name}?",
    "When was {name} born or founded?",
    "What is {name} best known for?",
    "Where is {name} found?",
    "How is {name} connected with {title}?",
    "Which other works or people belong to {name}?",
)


@dataclass(frozen=True)
class Passage:
    """One line of a corpus file."""

    passage_id: str
    title: str
    text: str


def read_corpus(path: Path, limit: int | None = None) -> list[Passage]:
    """The first `limit` passages of a `corpus.jsonl` (id, title, text), all by default."""
    passages: list[Passage] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if limit is not None and len(passages) == limit:
                break
            record = json.loads(line)
            passages.append(Passage(record["id"], record["title"], record["text"]))
    return passages


def write_questions(passage: Passage) -> tuple[list[str], list[str]]:
    """The passage's two in-coming and four out-coming questions, in that order."""
    title = re.sub(r"\s*\(.*?\)", "", passage.title)
    first = _SENTENCE.split(passage.text, maxsplit=1)[0]
    in_coming = [
        _pick(_ABOUT_THE_TITLE, passage, 0).format(title=title),
        _about_the_first_sentence(first, title),
    ]
    names = list(_names(passage.text, title)) or [title]
    out_coming = [
        # A passage with few names asks of them again, in other words.
        _pick(_ABOUT_A_NAME, passage, turn).format(name=names[turn % len(names)], title=title)
        for turn in range(_OUT_COMING)
    ]
    return in_coming, out_coming


def _about_the_first_sentence(sentence: str, title: str) -> str:
    """The first sentence turned into the question that it answers."""
    match = _PREDICATE.search(sentence)
    if match is None:
        return f"What happened to {title}?"
    words = match.group(2).rstrip(". ").split()[:_PREDICATE_WORDS]
    return f"Which one {match.group(1)} the {' '.join(words)}?"


def _names(text: str, title: str) -> Iterator[str]:
    """Capitalised phrases of the text, each once, in order, the title left out."""
    seen = {title}
    for match in _NAME.finditer(text):
        name = match.group().removesuffix("'s").removesuffix("’s")
        if name not in seen and not _NO_NAME.fullmatch(name):
            seen.add(name)
            yield name


def _pick(templates: tuple[str, ...], passage: Passage, turn: int) -> str:
    """A template chosen by the passage's id: varied, and the same in every run."""
    return templates[(zlib.crc32(passage.passage_id.encode()) + turn) % len(templates)]
