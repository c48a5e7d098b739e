"""A text's words, as BM25 counts them: stems without stop words, by the corpus's language.

Chinese, Japanese and Korean are cut into pairs of letters. These find a word anywhere in a run of
letters, with any particle behind it, and need no dictionary. McNamee and Mayfield, "Character
N-Gram Tokenization for European Language Text Retrieval", 2004, and the CJK analyser of Lucene do
the same.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import Stemmer

from hopyard.indexes.text.language import LANGUAGES

with warnings.catch_warnings():  # its progress bar warns in notebooks
    warnings.filterwarnings("ignore", message="IProgress not found")
    import bm25s
    from bm25s import stopwords

__all__ = ("Words", "bm25s")

_STOP_WORDS: Final = {
    "da": stopwords.STOPWORDS_DANISH,
    "de": stopwords.STOPWORDS_GERMAN,
    "en": stopwords.STOPWORDS_EN,
    "es": stopwords.STOPWORDS_SPANISH,
    "fr": stopwords.STOPWORDS_FRENCH,
    "it": stopwords.STOPWORDS_ITALIAN,
    "ja": stopwords.STOPWORDS_EN,
    "ko": (*stopwords.STOPWORDS_EN, *stopwords.STOPWORDS_KOREAN),
    "nl": stopwords.STOPWORDS_DUTCH,
    "no": stopwords.STOPWORDS_NORWEGIAN,
    "pt": stopwords.STOPWORDS_PORTUGUESE,
    "ru": stopwords.STOPWORDS_RUSSIAN,
    "sv": stopwords.STOPWORDS_SWEDISH,
    "tr": stopwords.STOPWORDS_TURKISH,
    "zh": (*stopwords.STOPWORDS_EN, *stopwords.STOPWORDS_CHINESE),
}
_WORD: Final = r"(?u)\b(?:\w\w+|\d)\b"
_EAST_ASIAN: Final = re.compile(r"[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+")


@dataclass(frozen=True)
class Words:
    """How texts become words.

    Attributes:
        language: Of the corpus, a key of `LANGUAGES`.
        pairs: Whether Chinese, Japanese and Korean are cut into pairs of letters.
    """

    language: str = "en"
    pairs: bool = True

    def of(self, texts: Sequence[str]) -> list[list[str]]:
        """The stemmed words of each text, lower case, without stop words and single letters.

        A single digit is a word: "Chapter 2" is not "Chapter 3".
        """
        name = LANGUAGES.get(self.language, "")
        # A stemmer of its own for each call: they are not safe to share between threads.
        stemmer = Stemmer.Stemmer(name) if name in Stemmer.algorithms() else None
        stop = frozenset(_STOP_WORDS.get(self.language, ()))
        given = [self._in_pairs(text, stop) for text in texts] if self.pairs else list(texts)
        tokens: list[list[str]] = bm25s.tokenize(
            given,
            token_pattern=_WORD,
            stopwords=list(stop),
            stemmer=stemmer,
            return_ids=False,
            show_progress=False,
        )
        return tokens

    def _in_pairs(self, text: str, stop: frozenset[str]) -> str:
        def cut(match: re.Match[str]) -> str:
            run = match.group()
            if run in stop:
                return " "
            pairs = (run[place : place + 2] for place in range(len(run) - 1))
            return f" {' '.join(pairs)} "

        return _EAST_ASIAN.sub(cut, unicodedata.normalize("NFKC", text))
