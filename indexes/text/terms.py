"""Terms of a domain: noun phrases in small letters, found without a chat model.

A phrase is a run of adjectives and nouns that ends with a noun (Justeson and Katz, "Technical
terminology", 1995). The parts of speech are those of TextBlob's tagger, which brings its lexicon
with it. Terms are English; texts in other languages give none.

A phrase is a term if it is in several passages. Another phrase may end with a term: "nearby lymph
node" ends with "lymph node" (nested terms: Frantzi, Ananiadou and Mima, "Automatic recognition of
multi-word terms: the C-value/NC-value method", 2000). A single word is a term if it is part of
several others and is not everywhere.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from hopyard.indexes.text.english import FUNCTION_WORDS, word_set
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.state.extras import require

_TOKEN: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W_]+)*|[^\w\s]|\w+")
_LONGEST: Final = 4
"""Words of a term at most; of a longer phrase the last words count."""
_NOUNS: Final = frozenset({"NN", "NNS", "NNP", "NNPS"})
_BEFORE: Final = _NOUNS | {"JJ", "VBN"}
_VAGUE: Final = FUNCTION_WORDS | word_set(
    """
    able additional available average bad best better big certain clear common current different
    difficult early easy extra full future general good great high higher important large larger
    late likely little long low lower main major many minor modern much necessary new newer next
    normal old older past possible present real recent right short similar simple single small
    smaller special specific standard strong sure total typical unlikely useful usual various whole
    wide young amount area case chance day example fact form group guide hand help hour idea issue
    item key kind level list lot member minute month need number one option overview page place
    plan point problem question reason result section set side size start step stop table thing
    time today use way week word work year
    """
)
"""Words that make no term: alone, or as the first word of a phrase."""


_LEAST_PASSAGES: Final = 2
"""Passages that have a term, at least."""
_PARTS: Final = 3
"""Longer terms that a single word is part of at least."""
_MOST_PASSAGES: Final = 0.1
"""Share of the passages that have a single word, at most: there "cancer" says nothing."""
_FEW: Final = 20
"""Passages of a corpus in which a share says little."""

Phrase = tuple[str, ...]


class Term(NamedTuple):
    """A phrase that may be a term."""

    start: int
    end: int
    words: tuple[str, ...]
    """In small letters, the last in the singular; from 1 to 4."""


def terms_in(text: str) -> Iterator[Term]:
    """The phrases of an English text that may be terms, in order; no two overlap.

    Which of them are terms shows only in the whole corpus: a term comes back.
    """
    for first, last in sentence_spans(text):
        tokens = list(_TOKEN.finditer(text, first, last))
        run: list[tuple[re.Match[str], str]] = []
        for token, tag in zip(tokens, _tags(tokens), strict=True):
            if tag in _BEFORE and len(token[0]) > 1 and token[0][0].isalpha():
                run.append((token, tag))
                continue
            yield from _term(run)
            run = []
        yield from _term(run)


def is_common_word(word: str) -> bool:
    """Whether a word is in the English lexicon in small letters, so that a capital says little."""
    return word.lower() in FUNCTION_WORDS or word.lower() in _textblob().lexicon


def _term(run: list[tuple[re.Match[str], str]]) -> Iterator[Term]:
    while run and run[-1][1] not in _NOUNS:
        run.pop()
    run = run[-_LONGEST:]
    while run and run[0][0][0].lower() in _VAGUE:
        run.pop(0)
    if not run:
        return
    words = [token[0].lower().replace("’", "'") for token, _ in run]
    if run[-1][1] in {"NNS", "NNPS"}:
        words[-1] = _singular(words[-1])
    if words[-1] not in _VAGUE:
        yield Term(run[0][0].start(), run[-1][0].end(), tuple(words))


def _tags(tokens: list[re.Match[str]]) -> list[str]:
    """The part of speech of each token, as in the Penn Treebank."""
    if not tokens:
        return []
    # A slash divides word and tag in the tagger's own format.
    words = " ".join(token[0].replace("/", ",") for token in tokens)
    return [tag for _, tag in _textblob().tag(words, tokenize=False)]


@lru_cache(maxsize=100_000)
def _singular(word: str) -> str:
    found: str = _textblob().inflect.singularize(word)
    return found


@cache
def _textblob() -> Any:
    """TextBlob's English part with its lexicon, whose file it leaves to be closed by Python."""
    require("finding terms", "terms")
    from textblob import en

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        en.tag("word")
    return en


def choose_terms(passages: Iterable[Sequence[Phrase]]) -> frozenset[Phrase]:
    """The terms of a corpus.

    Args:
        passages: The phrases of each passage, as words in small letters.
    """
    held: Counter[Phrase] = Counter()
    count = 0
    for phrases in passages:
        count += 1
        held.update({end for phrase in phrases for end in _ends(phrase)})
    several = {
        phrase for phrase, number in held.items() if number >= _LEAST_PASSAGES and len(phrase) > 1
    }
    parts: defaultdict[str, set[Phrase]] = defaultdict(set)
    for phrase in several:
        for word in phrase:
            parts[word].add(phrase)
    most = max(_MOST_PASSAGES * count, _FEW)
    alone = {
        (word,)
        for word, longer in parts.items()
        if len(longer) >= _PARTS and _LEAST_PASSAGES <= held[(word,)] <= most
    }
    return frozenset(several | alone)


def term_of(phrase: Phrase, terms: frozenset[Phrase]) -> Phrase:
    """The longest term that a phrase ends with; () if it ends with none."""
    return next((end for end in _ends(phrase) if end in terms), ())


def _ends(phrase: Phrase) -> Iterator[Phrase]:
    return (phrase[start:] for start in range(len(phrase)))
