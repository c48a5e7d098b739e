"""The language of texts, by the classifier of `py3langid`, and each language's stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hopyard.indexes.text.english import word_set

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

OTHER: Final = "other"
"""A language without stems of its own here."""

LANGUAGES: Final[Mapping[str, str]] = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "ja": "english",
    "ko": "english",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "zh": "english",
    OTHER: "",
}
"""Each language's Snowball stemmer. Chinese, Japanese and Korean words have no stems; Latin
words among them are mostly English."""

READ_BY: Final[Mapping[str, frozenset[str]]] = {
    "embedded": frozenset({"en"}),
    "builtin:e5": word_set(
        """
        af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he
        hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om
        or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh
        """
    )
    | {OTHER},
}
"""The languages that the built-in embedding models were trained with, by the models' names in
indexes. A text that the classifier is not sure of counts as one of E5's (Conneau et al. 2020)."""
_NAMES: Final = {"ja": "Japanese", "ko": "Korean", "zh": "Chinese", OTHER: "in other languages"}
_SAME: Final = {"nb": "no", "nn": "no"}
_SURE: Final = 0.5
"""Least probability of the classifier's answer. It is less sure of lists of names, and of English
with many foreign names."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_EAST_ASIAN: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{4}")
_LEAST_WORDS: Final = 6
"""Words of a passage whose language counts; fewer say too little."""
_LEAST_SHARE: Final = 0.1
_SAMPLE: Final = 200
"""Passages of a corpus that are looked at."""


def detect_language(texts: Iterable[str]) -> str:
    """The language that most of some texts is in, as a key of `LANGUAGES`.

    Where the classifier is not sure, as for lists of names, Latin letters count as English.
    """
    text = "\n".join(texts)
    if (language := _sure_language(text)) in LANGUAGES:
        return language
    letters = "".join(_WORD.findall(text))
    latin = sum(map(len, _LATIN.findall(letters)))
    return "en" if 2 * latin >= len(letters) else OTHER


def _sure_language(text: str) -> str:
    """The classifier's answer (ISO 639-1) if it is sure, else ""."""
    found, probability = _classifier().classify(text)
    return _SAME.get(found, found) if probability >= _SURE else ""


@cache
def stop_words(language: str) -> frozenset[str]:
    """A language's words that say little, in small letters; none for a language without a list.

    The English list has names too, such as `microsoft`, so a word of the list is a name where a
    text writes it with a capital inside a sentence. Its words of two letters are left out: most are
    codes of countries. `english.FUNCTION_WORDS` has the others, and no names.
    """
    from stopwordsiso import stopwords

    return frozenset(word for word in stopwords(language) if language != "en" or len(word) > 2)


def corpus_language(corpus: Snapshot) -> str:
    """The language of most text of a corpus, by a sample of its passages."""
    texts = _sample(corpus)
    lengths: Counter[str] = Counter()
    for text in texts:
        lengths[detect_language([text])] += len(text)
    return max(lengths, key=lengths.__getitem__, default=detect_language(texts))


def foreign_languages(corpus: Snapshot, read: Container[str]) -> dict[str, float]:
    """The languages of a corpus that a model does not read, by a sample of its passages.

    Args:
        read: The languages that it reads (ISO 639-1).

    Returns:
        The share of the passages by the language's name, the largest first; shares below a tenth
        are left out.
    """
    texts = _sample(corpus)
    told = Counter(
        _sure_language(text) or detect_language([text])
        for text in texts
        if len(_WORD.findall(text)) >= _LEAST_WORDS or _EAST_ASIAN.search(text)
    )
    return {
        _named(name): share
        for name, count in told.most_common()
        if name not in read and (share := count / len(texts)) >= _LEAST_SHARE
    }


def _named(language: str) -> str:
    """A language, so that "20 % are …" can be said of passages."""
    stems = LANGUAGES.get(language, "").capitalize()
    return _NAMES.get(language) or stems or f"in the language {language!r}"


def _sample(corpus: Snapshot) -> list[str]:
    ids = corpus.passage_ids()
    sample = ids[:: max(1, len(ids) // _SAMPLE)][:_SAMPLE]
    return [passage.text for passage in corpus.get(sample)]


@cache
def _classifier() -> Any:
    """Loaded on first use: it takes half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
