"""Which sentence of a passage supports a claim, and whether it does: by the words they share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.indexes.sentences import context_of_row, is_heading, is_row, sentence_spans
from hopyard.nodes.language import in_two_languages, script_of

__all__ = (
    "LEAST_SHARE",
    "NOTHING",
    "Units",
    "best_quote",
    "context_of",
    "held_by",
    "shared",
    "supports",
    "units",
)

LEAST_SHARE: Final = 0.5
"""Share of a claim's content words, and of its names, that its quotes and their titles hold at
least."""

Span = tuple[int, int]

_MOST_SENTENCES: Final = 3
_MORE_WORDS: Final = 2
_MORE_SHARE: Final = 5
"""Another sentence is quoted for so many more words of a claim, or a fifth of a long one."""

STEM: Final = 5
"""Letters of a word that are compared: "discovered" and "discoverer" are the same word."""

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
    """The compared features of a text.

    Attributes:
        words: Content words cut to their first letters; pairs of characters in scripts that
            write no spaces.
        numbers: Its numbers, without separators of thousands.
    """

    words: frozenset[str]
    numbers: frozenset[str]

    def __or__(self, other: Units) -> Units:
        """The union of two texts' features."""
        return Units(self.words | other.words, self.numbers | other.numbers)


NOTHING: Final = Units(frozenset(), frozenset())


def units(text: str) -> Units:
    """Return the compared features of a text: its content words and its numbers."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    numbers = {_number(found) for found in _NUMBER.findall(plain)}
    rest = _COUNTED.sub(" ", plain)
    words = {unit for word in _WORD.findall(rest) for unit in _cut(word)}
    return Units(frozenset(words), frozenset(numbers))


def best_quote(
    claim: str, passage: Passage, *, first: Units = NOTHING, about: Units = NOTHING
) -> str:
    """The sentence, or the row of a table, that shares most with the claim.

    A number counts as two words: what does not hold a claim's numbers does not support it. Two
    or three adjacent sentences are quoted where fewer do not do: where they hold more of `first`,
    clearly more of the claim, or support it as fewer do not. Of quotes that share as much,
    the shortest is taken. A passage without text has none.

    Args:
        claim: What is to be supported.
        passage: Where the quote is taken from.
        first: The most important words of the quote, such as the answer to a question.
        about: A text that decides between equal quotes, such as the question.
    """
    wanted = units(claim)
    spans = sentence_spans(passage.text)
    if not spans:
        return ""

    def score(span: tuple[int, int]) -> tuple[int, int, int, bool, int]:
        held = _held_with_context(passage, passage.text[slice(*span)], span[0])
        plain = not is_heading(passage.text, span[0])
        more = shared(wanted, held) + len(wanted.numbers & held.numbers)
        return shared(first, held), more, shared(about, held), plain, span[0] - span[1]

    best = max(spans, key=score)
    for wider in (_windows(passage.text, spans, width) for width in range(2, _MOST_SENTENCES + 1)):
        if not wider:
            break
        window = max(wider, key=score)
        (new, more, *_), (has_new, has, *_) = score(window), score(best)
        least = max(_MORE_WORDS, (len(wanted.words) + len(wanted.numbers)) // _MORE_SHARE)
        if (new, more) > (has_new, has) and (
            new > has_new
            or more - has >= least
            or (
                _supports_alone(claim, passage, window)
                and not _supports_alone(claim, passage, best)
            )
        ):
            best = window
    return passage.text[slice(*best)]


def _windows(text: str, spans: Sequence[Span], width: int) -> list[Span]:
    """So many adjacent sentences each, none of them a row, and no heading but as the last."""
    return [
        (part[0][0], part[-1][1])
        for part in (spans[place : place + width] for place in range(len(spans) - width + 1))
        if not any(is_row(text, start) for start, _ in part)
        and not any(is_heading(text, start) for start, _ in part[:-1])
    ]


def context_of(passage: Passage, quote: str) -> str:
    """The context of the quote: title, section, metadata, and the header of a row."""
    start = max(0, passage.text.find(quote))
    return " ".join(filter(None, (passage.heading, context_of_row(passage.text, start))))


def _held_with_context(passage: Passage, quote: str, start: int) -> Units:
    # The title says what "it" and "he" in a sentence stand for, a table's header what a cell is.
    above = f"{passage.heading} {context_of_row(passage.text, start)}"
    return units(above) | units(quote)


def _supports_alone(claim: str, passage: Passage, span: tuple[int, int]) -> bool:
    quote = passage.text[slice(*span)]
    return supports(claim, [(context_of(passage, quote), quote)])


def supports(claim: str, quotes: Sequence[tuple[str, str]]) -> bool:
    """Whether quotes, read together with the titles of their passages, support a claim.

    They do where they hold every number of the claim and at least `LEAST_SHARE` of its content
    words and of its names (words with a capital, other than the first). Where claim and quotes
    are in two languages, only the numbers are compared and, in one script, a single word or
    number. This finds a citation that is about something else. Whether the claim follows from
    the quote is for the reader to judge.

    Args:
        claim: What is to be supported.
        quotes: Title and quote of each passage that it is cited for.
    """
    wanted, held = units(claim), held_by(quotes)
    if not wanted.numbers <= held.numbers:
        return False
    texts = " ".join(quote for _, quote in quotes)
    if script_of(claim) != script_of(texts):
        return bool(texts.strip() and (wanted.words or wanted.numbers))
    if in_two_languages(claim, texts):
        return shared(wanted, held) > 0
    if not wanted.words:
        return bool(wanted.numbers)
    return all(
        len(part & held.words) >= LEAST_SHARE * len(part) for part in (wanted.words, _names(claim))
    )


def held_by(quotes: Sequence[tuple[str, str]]) -> Units:
    """The features of quotes and of their passages' titles, including numbers in words."""
    text = units(" ".join(f"{title} {quote}" for title, quote in quotes))
    counted = [word for _, quote in quotes for word in _words(quote) if word in _NUMBER_WORDS]
    return text | Units(frozenset(), frozenset(_NUMBER_WORDS[word] for word in counted))


def shared(wanted: Units, held: Units) -> int:
    """How many words and numbers two texts share."""
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
