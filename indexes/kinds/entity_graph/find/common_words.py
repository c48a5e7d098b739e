"""Capitalised words that the corpus shows to be common words: they are no names.

One passage says little about `Methane` at the start of a sentence, in a heading or in an item of a
list. The whole corpus says more: it writes a common word mostly in small letters. The counts depend
on the set of passages alone, so what is added and removed leaves no trace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction
from hopyard.indexes.kinds.entity_graph.find.rules import own_names
from hopyard.indexes.text.capitals import QUOTES
from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.language import stop_words

_PLAIN: Final = r"[^\W\d_]{2,}(?:-[^\W\d_]+)*"
_WORD: Final = re.compile(rf"(?<![\w'&-]){_PLAIN}(?![\w&-])")
_BEFORE: Final = re.compile(r"(?:(?P<word>[\w'-]+),? |\")\Z")
_AFTER: Final = re.compile(r" (?:[^\W\d_a-z]|\d)")
_LOOK_BACK: Final = 30
_LONE: Final = re.compile(rf"(?:\d+\s+)*({_PLAIN})(?:\s+\1)*")
"""A single word, alone, after a number or repeated: `7 Diagnosis`, `Surgery Surgery`."""


class CommonWords:
    """How often a corpus writes each word in small letters, and with a capital in a sentence.

    A capital counts after a word in small letters, a function word or a comma, if no capitalised
    word follows: the words of `Bank of America` say nothing about a bank.
    """

    def __init__(self, passages: Iterable[Passage], language: str) -> None:
        """Count the words of all passages, and note their titles.

        Args:
            passages: All passages of the corpus, in any order.
            language: A key of `LANGUAGES`.
        """
        self._small: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        self._titles: set[str] = set()
        self._stop = stop_words(language)
        for passage in passages:
            self._titles.update(map(normalise_keyword, own_names(passage, language)))
            self._count(passage.text.translate(QUOTES))

    def _count(self, text: str) -> None:
        for found in _WORD.finditer(text):
            word = found.group()
            if word.islower():
                self._small[word] += 1
            elif _has_one_capital(word) and _is_inside(text, *found.span()):
                self._capital[word.lower()] += 1

    def holds(self, name: str) -> bool:
        """Whether a name is a common word: one that the corpus writes more often in small letters.

        So is a stop word that no sentence writes with a capital. Names of several words, words with
        inner capitals and titles of documents are not.
        """
        found = _LONE.fullmatch(name)
        if (
            found is None
            or not _has_one_capital(found[1])
            or normalise_keyword(name) in self._titles
        ):
            return False
        word = found[1].lower()
        capital = self._capital[word]
        # A word that no sentence shows with a capital may occur in its other number alone.
        forms = [word] if capital else [word, f"{word}s", word.removesuffix("s")]
        return any(self._small[form] > capital for form in forms) or (
            not capital and word in self._stop
        )

    def without(self, extraction: Extraction) -> Extraction:
        """An extraction without the mentions of common words."""
        kept = tuple(mention for mention in extraction.mentions if not self.holds(mention.name))
        return extraction.model_copy(update={"mentions": kept})


def _has_one_capital(word: str) -> bool:
    return word[0].isupper() and word[1:].islower()


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether a capital tells a name: the sentence has begun, and the word is no part of a run.

    Quotation marks around the word tell it too.
    """
    before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    if before is None or _AFTER.match(text, end):
        return False
    if before["word"] is None:
        return text.startswith('"', end)
    begun = before["word"].islower() or before["word"].lower() in FUNCTION_WORDS
    return begun or before.group().endswith(", ")
