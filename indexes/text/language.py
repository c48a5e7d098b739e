"""The language of a corpus, told by its script and its most frequent words.

It decides about stop words and stems alone, so the common languages suffice, and no model is used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

__all__ = (
    "FREQUENT",
    "LANGUAGES",
    "OTHER",
    "corpus_language",
    "detect_language",
    "foreign_languages",
)

OTHER: Final = "other"
"""A language without stop words and stems of its own here."""

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
"""Each language's Snowball stemmer. Chinese, Japanese and Korean words have no stems, and the
Latin ones among them are English as a rule."""

FREQUENT: Final = {
    language: frozenset(words.split())
    for language, words in {
        "ca": "el la els les de que i en un una amb per és del als com no ha són més aquest",
        "cs": "a v se na je že s z do o jako by ale pro jsou které byl jeho podle také",
        "da": "og i at det er en til på som med af for den ikke der har var også fra blev",
        "de": "der die und das in den von zu mit ist des dem nicht ein eine auf für als sich auch",
        "en": "the of and to in is that was for it with as by on are from at be this which",
        "es": "el la los las de que y en un una con por es del para se no como más fue",
        "fi": "ja on ei että se oli hän mutta ovat joka kun niin myös sekä mukaan tai hänen",
        "fr": "le la les de des et en un une du que est dans qui par pour sur pas au avec",
        "hu": "a az és hogy nem is egy volt ez de csak mint még meg már azt vagy kell",
        "id": "yang dan di dengan untuk dari pada ini itu dalam tidak adalah akan oleh ke",
        "it": "il la le di che e in un una per è del della con non sono dei al nel gli",
        "nl": "de het een en van in is dat op te zijn met voor niet aan er die ook door was",
        "no": "og i det er en til på som med av for den ikke har var også fra ble å seg",
        "pl": "i w na z nie się do jest że o jak ale po od przez są był oraz jego dla",
        "pt": "o a os as de que e em um uma com por é do da para se não como mais foi",
        "ro": "și de la în care cu pe un o nu mai este din pentru sunt că fost sau ale",
        "ru": "и в на не что с по как из он это к для от его был а у но за",
        "sv": "och i att det är en till på som med av för den inte har var också från om ett",
        "tr": "ve bir bu da de için ile olarak olan çok daha gibi ne kadar sonra en ama",
    }.items()
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_SCRIPTS: Final = {
    name: re.compile(pattern)
    for name, pattern in {
        "latin": r"[A-Za-z\u00c0-\u024f]",
        "cyrillic": r"[\u0400-\u04ff]",
        "hangul": r"[\u1100-\u11ff\uac00-\ud7a3]",
        "kana": r"[\u3040-\u30ff]",
        "han": r"[\u4e00-\u9fff]",
        "el": r"[\u0370-\u03ff]",
        "hy": r"[\u0530-\u058f]",
        "hi": r"[\u0900-\u097f]",
        "ta": r"[\u0b80-\u0bff]",
        "arabic": r"[\u0600-\u06ff]",
        "fa": "[\u067e\u0686\u0698\u06af\u06cc]",
        "hebrew": r"[\u0590-\u05ff]",
        "thai": r"[\u0e00-\u0e7f]",
    }.items()
}
_EAST_ASIAN: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{4}")
_DENSITY: Final = 3
"""Latin letters that say as much as one letter of Chinese, Japanese or Korean."""
_LEAST_KANA: Final = 0.1
"""Japanese has more kana among its Chinese letters than this, and a Chinese text has none."""
_LEAST_PERSIAN: Final = 0.03
"""Share of the letters that Persian has and Arabic has not."""
_NAMES: Final = {"ja": "Japanese", "ko": "Korean", "zh": "Chinese", OTHER: "in other languages"}
_LEAST_WORDS: Final = 6
"""Words of a passage whose language counts; fewer say too little."""
_LEAST_SHARE: Final = 0.1
_SAMPLE: Final = 200
"""Passages of a corpus that are looked at."""
_LEAST_FREQUENT: Final = 0.08
"""Share of a language's frequent words in its texts, at least; 0.2 to 0.35 is usual."""


def detect_language(texts: Iterable[str]) -> str:
    """The language that most of some texts is in, as a key of `LANGUAGES`.

    Where the words do not tell, as in lists of names, it is English for Latin letters.
    """
    text = "\n".join(texts).lower()
    found = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()}
    east_asian = found["hangul"] + found["kana"] + found["han"]
    persian = found.pop("fa")
    if east_asian and east_asian * _DENSITY >= found["latin"]:
        if found["hangul"] >= east_asian / 2:
            return "ko"
        return "ja" if found["kana"] > _LEAST_KANA * east_asian else "zh"
    script = max(found, key=lambda name: found[name])
    if script == "arabic":
        return "fa" if persian > _LEAST_PERSIAN * found["arabic"] else "ar"
    if script in LANGUAGES:
        return script
    if script not in {"latin", "cyrillic"}:
        return OTHER
    return _by_words(text) or ("en" if script == "latin" else OTHER)


def corpus_language(corpus: Snapshot) -> str:
    """The language of a corpus, by a sample of its passages."""
    return detect_language(_sample(corpus))


def foreign_languages(corpus: Snapshot) -> dict[str, float]:
    """The languages of a corpus besides English, by a sample of its passages.

    Returns:
        The share of the passages by the language's name, the largest first; shares below a tenth
        are left out.
    """
    texts = _sample(corpus)
    told = Counter(
        detect_language([text])
        for text in texts
        if len(_WORD.findall(text)) >= _LEAST_WORDS or _EAST_ASIAN.search(text)
    )
    del told["en"]
    return {
        _NAMES.get(name) or LANGUAGES[name].capitalize(): count / len(texts)
        for name, count in told.most_common()
        if count / len(texts) >= _LEAST_SHARE
    }


def _sample(corpus: Snapshot) -> list[str]:
    ids = corpus.passage_ids()
    sample = ids[:: max(1, len(ids) // _SAMPLE)][:_SAMPLE]
    return [passage.text for passage in corpus.get(sample)]


def _by_words(text: str) -> str:
    words = Counter(_WORD.findall(text))
    scores = {
        language: sum(words[word] for word in frequent) for language, frequent in FREQUENT.items()
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] > _LEAST_FREQUENT * words.total() else ""
