"""Which phrases of a corpus are terms of its domain.

A term comes back: it stands in several passages. A phrase that does not may end with one, as
"nearby lymph node" ends with "lymph node" (nested terms: Frantzi, Ananiadou and Mima, "Automatic
recognition of multi-word terms: the C-value/NC-value method", 2000). A single word is a term if it
is part of several others and does not stand everywhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

__all__ = ("choose_terms", "term_of")

_LEAST: Final = 2
"""Passages that a term stands in at least."""
_PARTS: Final = 3
"""Longer terms that a single word is part of at least."""
_MOST: Final = 0.1
"""Share of the passages that a single word may stand in at most: "cancer" says nothing there."""
_FEW: Final = 20
"""Passages of a corpus in which a share says little."""

Phrase = tuple[str, ...]


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
    several = {phrase for phrase, number in held.items() if number >= _LEAST and len(phrase) > 1}
    parts: defaultdict[str, set[Phrase]] = defaultdict(set)
    for phrase in several:
        for word in phrase:
            parts[word].add(phrase)
    most = max(_MOST * count, _FEW)
    alone = {
        (word,)
        for word, longer in parts.items()
        if len(longer) >= _PARTS and _LEAST <= held[(word,)] <= most
    }
    return frozenset(several | alone)


def term_of(phrase: Phrase, terms: frozenset[Phrase]) -> Phrase:
    """The longest term that a phrase ends with; () if it ends with none."""
    return next((end for end in _ends(phrase) if end in terms), ())


def _ends(phrase: Phrase) -> Iterator[Phrase]:
    return (phrase[start:] for start in range(len(phrase)))
