"""Compare a statement with all sentences and rows of the passages that it cites.

The passages must have the numbers, dates and names of a statement, and enough of its words. Each
number must be in the row or clause, and each name in the sentence, that says the rest. Numbers may
follow from others (`arithmetic`). All else passes, also a negation or exchanged roles: on recorded
answers, rules that looked for these marked right answers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.support.lines import Line, said
from hopyard.nodes.support.matches import Matches, Span
from hopyard.nodes.support.missing_names import missing_name
from hopyard.nodes.support.missing_numbers import missing_number
from hopyard.nodes.support.words import content_words, script_of, without_particles

LEAST_SHARE: Final = 1 / 3
"""Share of a statement's content words that the quotes hold at least."""
SPACELESS_SHARE: Final = 0.6
"""The same of pairs of characters: scripts without spaces and capitals show no names."""
_SPACELESS: Final = {"CJK", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR"}


@dataclass(frozen=True)
class Verdict:
    """The comparison of a statement with its passages.

    Attributes:
        reason: The missing part, or "".
        quotes: By the place of a passage, the sentences and rows to quote, best first.
        bearing: Places of the passages that say something about the statement.
    """

    reason: str = ""
    quotes: dict[int, list[Span]] = field(default_factory=dict)
    bearing: frozenset[int] = frozenset()

    @property
    def supported(self) -> bool:
        """Whether the passages state it, as far as the rules see."""
        return not self.reason


def compare(
    statement: str, passages: Sequence[Passage], *, asked: str = "", about: str = ""
) -> Verdict:
    """Compare a statement with the passages that it cites.

    Args:
        statement: A statement, or the answer to a question.
        passages: Its passages; they are read together.
        asked: The question, if the statement is its answer. Its words tell which sentences are
            meant; they need not be stated.
        about: The question, if it only decides between equal quotes.
    """
    question, mark, answer = statement.rpartition("? ")
    if mark and answer.strip() and not asked:  # a finding: a question with its answer
        asked, statement = f"{question}?", answer
    found = Matches(statement, passages, asked, about)
    if not found.lines:
        return Verdict("there is no text")
    reason = missing_number(found) or missing_name(found)
    chosen = ((place, found.quotes(place)) for place in range(len(passages)))
    quotes = {place: spans for place, spans in chosen if spans}
    reason = reason or _missing_words(found, quotes)
    return Verdict(reason, quotes, frozenset(place for place in quotes if _bears(found, place)))


def _missing_words(found: Matches, quotes: Mapping[int, Sequence[Span]]) -> str:
    """The words that quotes do not have, if they are too many."""
    claim = found.claim
    wanted = claim.words - found.asked.words
    if not (claim.words or claim.numbers or claim.dates or found.names or found.asked.plain):
        return "nothing to find"
    if found.foreign:
        return ""
    least = SPACELESS_SHARE if script_of(claim.plain) in _SPACELESS else LEAST_SHARE
    lines = [line for line in found.lines if line.span in quotes.get(line.passage, ())]
    held = content_words(" ".join(word for name in found.names for word in name.words))
    held = held.union(*(line.own.words | line.around.words for line in (*lines, *found.used)))
    if len(wanted & held) >= least * len(wanted) or _has_korean_words(found, [*lines, *found.used]):
        return ""
    return f"words {sorted(wanted - held)}"


def _has_korean_words(found: Matches, lines: Sequence[Line]) -> bool:
    """Whether lines have enough of the words of a Korean statement, without their particles."""
    if script_of(found.claim.plain) != "HANGUL":
        return False
    texts = (text.plain for line in lines for text in (line.own, line.around))
    held = content_words(without_particles(" ".join(texts)).casefold())
    asked = said(without_particles(found.asked.plain)).words
    wanted = said(without_particles(found.claim.plain)).words - asked
    wanted = frozenset(word for word in wanted if len(word) > 1)
    return len(wanted & held) >= SPACELESS_SHARE * len(wanted)


def _names_at(lines: Sequence[Line]) -> Iterator[dict[str, set[str]]]:
    """The names of lines, and of the title and section above them."""
    return (part.names for line in lines for part in (line.around, line.own))


def _bears(found: Matches, place: int) -> bool:
    """Whether a passage has a name or number of the statement, or two of its words."""
    own = [line for line in found.lines if line.passage == place]
    if found.foreign or any(line.passage == place for line in found.used):
        return True
    if not (found.words or found.claim.numbers or found.claim.dates):  # names alone, as in a list
        return any(name.is_in(each) for name in found.names for each in _names_at(own))
    hits = frozenset().union(*map(found.hits, own))
    words = hits | (found.words & own[0].around.words)
    hard = any(not isinstance(hit, str) for hit in hits)
    return hard or len(words) >= min(2, len(found.words)) > 0
