"""Compare a statement with all sentences and rows of the passages that it cites.

A statement is stated if its numbers, dates and names are, if each of them is in one sentence or row
with something else of the statement (so that the value of another row is noticed), and if enough of
its words are. Numbers may follow from others (`arithmetic`). Negations, superlatives, and the order
of names are compared too (`contradictions`). All this is by form: whether a statement follows from
its passages is for the reader to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hopyard.indexes.records import Passage
from hopyard.nodes.language import script_of
from hopyard.nodes.support.contradictions import contradicts
from hopyard.nodes.support.lines import Line
from hopyard.nodes.support.matches import Hit, Matches
from hopyard.nodes.support.name_check import NameCheck
from hopyard.nodes.support.number_check import NumberCheck
from hopyard.nodes.support.quantities import Date, Number
from hopyard.nodes.support.said import Entity, said

__all__ = ("MOST_QUOTES", "Verdict", "compare")

MOST_QUOTES: Final = 3
"""Sentences and rows of one passage that are quoted for a statement."""
LEAST_SHARE: Final = 0.5
"""Share of a statement's content words that the passages hold at least."""
SPACELESS_SHARE: Final = 0.6
"""The same of pairs of characters: scripts without spaces and capitals show no names."""
WITH_NAMES: Final = 1 / 3
"""The same where names, numbers or dates are found."""
_LEAST_GAIN: Final = 2
"""What another quote adds at least: a name, a number, a date, or two words."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Verdict:
    """The comparison of a statement with its passages.

    Attributes:
        reason: What is missing or contradicts; "" if the statement is supported.
        quotes: By the place of a passage, the sentences and rows to quote, best first.
        bearing: Places of the passages that say something about the statement.
    """

    reason: str = ""
    quotes: dict[int, list[Span]] = field(default_factory=dict)
    bearing: frozenset[int] = frozenset()

    @property
    def supported(self) -> bool:
        """Whether the passages state it."""
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
    return _Comparison(Matches(statement, passages, asked, about)).verdict()


class _Comparison:
    def __init__(self, found: Matches) -> None:
        self._found: Final = found

    def verdict(self) -> Verdict:
        if not self._found.lines:
            return Verdict("there is no text")
        reason = self._missing()
        quotes = {place: self._quotes(place) for place in range(self._found.places)}
        quotes = {place: spans for place, spans in quotes.items() if spans}
        bearing = frozenset(place for place in quotes if self._bears(place))
        return Verdict(reason, quotes, bearing)

    def _missing(self) -> str:
        return (
            NumberCheck(self._found).missing()
            or NameCheck(self._found).missing()
            or self._missing_words()
            or ("" if self._found.foreign else self._contradiction())
        )

    def _missing_words(self) -> str:
        if self._found.foreign:
            return "" if self._found.claim.words or self._found.claim.numbers else "nothing"
        named = [word for entity in self._found.entities if entity.sure for word in entity.words]
        wanted = self._found.claim.words - self._found.asked.words
        if not wanted:
            return (
                ""
                if self._found.asked.text
                or self._found.claim.words
                or self._found.claim.numbers
                or self._found.claim.dates
                else "nothing"
            )
        best = self._best_lines()
        held = (
            frozenset(word for line in best for word in (*line.own.words, *line.subject.words))
            | said(" ".join(named)).words
        )  # each name was found
        hard = (
            len(self._found.claim.numbers)
            + len(self._found.claim.dates)
            + len(self._found.entities)
        )
        least = WITH_NAMES if hard else LEAST_SHARE
        if _is_spaceless(self._found.claim.plain):
            least = SPACELESS_SHARE
        if len(wanted & held) < least * len(wanted):
            return f"words {sorted(wanted - held)}"
        return ""

    def _best_lines(self) -> list[Line]:
        return [
            *self._found.used,
            *(
                line
                for place in range(self._found.places)
                for line in self._found.lines
                if line.passage == place and line.span in self._quotes(place)
            ),
        ]

    def _contradiction(self) -> str:
        return contradicts(
            self._found.claim, self._found.entities, self._best_lines(), self._found.columns()
        )

    def _quotes(self, place: int) -> list[Span]:
        if place not in self._quoted:
            self._quoted[place] = self._choose(place)
        return self._quoted[place]

    @cached_property
    def _quoted(self) -> dict[int, list[Span]]:
        return {}

    def _choose(self, place: int) -> list[Span]:
        own = [line for line in self._found.lines if line.passage == place]
        if not own:
            return []
        best = max(own, key=lambda line: (self._found.score(line), line.span[0] - line.span[1]))
        chosen, held = [best.span], set(self._found.hits(best))
        for line in self._found.used:
            if line.passage == place and line.span not in chosen:
                chosen.append(line.span)
                held |= self._found.hits(line)
        while len(chosen) < MOST_QUOTES:
            rest = [line for line in own if line.span not in chosen]
            if not rest:
                break
            line = max(rest, key=lambda each: self._gain(each, held))
            if self._gain(line, held) < max(_LEAST_GAIN, len(self._found.words) // 5):
                break
            chosen.append(line.span)
            held |= self._found.hits(line)
        return chosen[:MOST_QUOTES]

    def _gain(self, line: Line, held: set[Hit]) -> int:
        """What a line adds to quotes; what its title says adds nothing."""
        context = line.context
        return sum(
            not hit.is_in(context) and 2
            if isinstance(hit, Entity)
            else 2
            if isinstance(hit, (Number, Date))
            else hit not in context.words
            for hit in self._found.hits(line) - held
        )

    def _bears(self, place: int) -> bool:
        """Whether a passage has a name or number of the statement, or a few of its words."""
        own = [line for line in self._found.lines if line.passage == place]
        if self._found.foreign or any(line.passage == place for line in self._found.used):
            return True
        hits = set().union(*(self._found.hits(line) for line in own))
        around = said(own[0].around)
        if any(isinstance(hit, (Number, Date, Entity)) for hit in hits):
            return True
        words = hits | (self._found.words & around.words)
        return len(words) >= min(2, len(self._found.words)) and bool(words)


def _is_spaceless(text: str) -> bool:
    return script_of(text) in {"CJK", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR"}
