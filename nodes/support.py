"""Which sentence of a passage supports a claim, and whether it does: by the words they share."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.records import Passage

__all__ = ("LEAST_SHARE", "Units", "best_quote", "sentence_spans", "supports", "units")

LEAST_SHARE: Final = 0.5
"""Share of a claim's content words, and of its names, that its quotes and their titles hold at
least."""

STEM: Final = 5
"""Letters of a word that are compared: "discovered" and "discoverer" are the same word."""

_SENTENCE: Final = re.compile(
    r"\S.*?(?:[.!?][\"'”’)\]]*(?=\s|$)|[。！？][」』”’）]*|(?=\n\s*(?:\n|[-*•|#]))|$)",
    re.DOTALL,
)
_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_COUNTED: Final = re.compile(_NUMBER.pattern + r"[a-z]{0,2}")
"""A number with its ending, as in 20th and 1940s."""
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"  # Thai, Lao, Burmese, Khmer
    "|[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"  # Han
    "|[\u30a0-\u30ff\u31f0-\u31ff]+"  # katakana
    "|[\u3040-\u309f]+"  # hiragana
    "|[\u1100-\u11ff\uac00-\ud7af]+"  # Korean has spaces, but particles are part of its words
)
_HIRAGANA: Final = re.compile("[\u3040-\u309f]+")
_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_FUNCTION_WORDS: Final = frozenset(
    word
    for line in (
        "a an and are as at be been being both but by did do does for from had has have he her his",
        "how in into is it its of on or she that the their them they this those to was were what",
        "when where which who whom whose why will with would you your also not than then there",
    )
    for word in line.split()
)


@dataclass(frozen=True)
class Units:
    """What is compared of a text.

    Attributes:
        words: Content words cut to their first letters; pairs of characters in scripts that
            write no spaces.
        numbers: Its numbers, without separators of thousands.
    """

    words: frozenset[str]
    numbers: frozenset[str]

    def __or__(self, other: Units) -> Units:
        """What two texts hold together."""
        return Units(self.words | other.words, self.numbers | other.numbers)


def units(text: str) -> Units:
    """What is compared of a text: its content words and its numbers."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    numbers = {_number(found) for found in _NUMBER.findall(plain)}
    rest = _COUNTED.sub(" ", plain)
    words = {unit for word in _WORD.findall(rest) for unit in _cut(word)}
    return Units(frozenset(words), frozenset(numbers))


def best_quote(claim: str, passage: Passage) -> str:
    """The sentence, or the two adjacent ones, that share most with the claim.

    Two sentences are quoted only where they share more than either does alone; of quotes that
    share as much, the shortest is. A passage without text has none.
    """
    wanted = units(claim)
    spans = sentence_spans(passage.text)
    pairs = [(first[0], second[1]) for first, second in itertools.pairwise(spans)]
    quotes = [passage.text[start:end] for start, end in (*spans, *pairs)]
    if not quotes:
        return ""
    # The title says what "it" and "he" in a sentence stand for.
    title = units(passage.title)
    return max(quotes, key=lambda quote: (_shared(wanted, title | units(quote)), -len(quote)))


def supports(claim: str, quotes: Sequence[tuple[str, str]]) -> bool:
    """Whether quotes, read together with the titles of their passages, support a claim.

    They do where they hold every number of the claim and at least `LEAST_SHARE` of its content
    words and of its names (words with a capital, other than the first). This finds a citation
    that is about something else. Whether the claim follows from the quote is for the reader to
    judge.

    Args:
        claim: What is to be supported.
        quotes: Title and quote of each passage that it is cited for.
    """
    wanted = units(claim)
    held = Units(frozenset(), frozenset())
    for title, quote in quotes:
        text = units(f"{title} {quote}")
        counted = {_NUMBER_WORDS[word] for word in _words(quote) if word in _NUMBER_WORDS}
        held = held | text | Units(frozenset(), frozenset(counted))
    if not wanted.numbers <= held.numbers:
        return False
    if not wanted.words:
        return bool(wanted.numbers)
    return all(
        len(part & held.words) >= LEAST_SHARE * len(part) for part in (wanted.words, _names(claim))
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence begins and ends; a row of a list or table is one too."""
    return [
        (found.start(), found.start() + len(found.group().rstrip()))
        for found in _SENTENCE.finditer(text)
    ]


def _shared(wanted: Units, held: Units) -> int:
    return len(wanted.words & held.words) + len(wanted.numbers & held.numbers)


def _names(claim: str) -> frozenset[str]:
    """Words with a capital as they are compared; the first word of a sentence has one anyway."""
    words = _WORD.findall(unicodedata.normalize("NFKC", claim))[1:]
    return units(" ".join(word for word in words if word[0].isupper())).words


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _cut(word: str) -> Iterator[str]:
    """A word's first letters; its pairs of characters where its script writes no spaces.

    Hiragana beside other characters is grammar.
    """
    for run in _SPACELESS.findall(word):
        if run == word or not _HIRAGANA.match(run):
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))
    for rest in _SPACELESS.split(word):
        if rest and rest not in _FUNCTION_WORDS:
            yield rest[:STEM]


def _number(text: str) -> str:
    whole = _THOUSANDS.sub("", text).replace(",", ".")
    return whole.lstrip("0") or "0"
