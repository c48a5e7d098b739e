"""Citations that can be checked: sentences that are in their passage word for word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.text.english import word_set
from hopyard.indexes.text.sentences import context_of_row, is_item, is_row, readable, sentence_spans
from hopyard.nodes.support.compare import compare
from hopyard.nodes.support.quantities import find_quantities, with_digits
from hopyard.nodes.support.words import language_of
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.schemas import Citation
from hopyard.state.text.markers import find_markers, marker_numbers, renumber

MOST_CITATIONS: Final = 3
_WORD: Final = re.compile(r"\w+")
_FUNCTION_WORDS: Final = word_set("""
    a an and are as at be been being both but by did do does first for from had has have he her
    his how in into is it its of on or same she that the their them they this those to was were
    what when where which who whom whose why will with would you your
""")
JUDGEMENTS: Final = frozenset({"yes", "no", "neither", "none", "equal", "equally"})
"""Words of an answer that is an inference and occurs in no passage."""
LEAST_SHARED_WORDS: Final = 2

_SENTENCE_END: Final = re.compile(r"[.!?。！？]\s|\n")
_EDGES: Final = " \n\t.,;:。、|"
_COUNT_OF_LIST: Final = re.compile(r"\d{1,3}:\s+(?=\S)")
"""As in "2: Nora [1], Vela [2]": it counts the items and says nothing of the first."""
_ITEMS_END: Final = re.compile(r"[,;、]|\s(?:and|und|sowie|et|y|e|en|i|oraz|&)\s")


def is_unknown(answer: str) -> bool:
    """Whether an answer says nothing: no word, or `Unknown`."""
    return not _WORD.search(answer) or answer.strip(" .").lower() == UNKNOWN.lower()


def contains_quote(passage: Passage, quote: str) -> bool:
    """Whether the quote is in the passage, white space aside.

    It is there word for word, or it is a row with the header of each cell (`readable`).
    """
    if not quote.strip():
        return False
    return _flat(quote) in _flat(passage.text) or quote in {
        readable(passage.text, span)
        for span in sentence_spans(passage.text)
        if is_row(passage.text, span[0])
    }


def cite(question: str, answer: str, passages: Sequence[Passage]) -> list[Citation]:
    """Find the sentences that support an answer.

    A sentence supports a name, number or date when it holds it; an answer in a whole sentence is
    supported by what holds all that the question did not say. An answer such as "yes" stands
    nowhere: then each passage's sentence that shares most content words with the question is
    quoted, if it shares two. Passages without a quote are not cited.

    Returns:
        At most three citations, at most one a passage, in the order of the passages.
    """
    if is_unknown(answer):
        return []
    wanted = _content(answer)
    asked = _content(question)
    if not wanted or wanted & JUDGEMENTS:
        return _best_sentences(
            passages, lambda words: len(asked & words) >= LEAST_SHARED_WORDS, asked
        )
    holding = _best_sentences(passages, lambda words: wanted <= words, asked)
    if not holding and (new := wanted - asked):
        holding = _best_sentences(passages, lambda words: new <= words, asked)
    return holding


def place_claims(
    claims: Sequence[tuple[str, Passage]], *, question: str = ""
) -> tuple[list[Citation], dict[tuple[str, str], int]]:
    """Quote what supports each claim, from the passage that the claim was made for.

    A claim with several passages may be spread over them: they are read together.

    Args:
        question: The question, which decides between quotes that cover a claim equally.

    Returns:
        One citation for each passage and its quotes, in the order of the claims, with the claim
        that it was first quoted for; and the number of that of each claim and passage id, from 1.
        A passage without text is not cited.
    """
    together: dict[str, dict[str, Passage]] = {}
    for claim, passage in claims:
        together.setdefault(claim, {})[passage.id] = passage
    citations: list[Citation] = []
    numbers: dict[tuple[str, tuple[str, ...], bool], int] = {}
    places: dict[tuple[str, str], int] = {}
    cited = {
        claim: dict(
            zip(held, cite_passages(claim, list(held.values()), about=question), strict=True)
        )
        for claim, held in together.items()
    }
    for claim, passage in claims:
        citation = cited[claim][passage.id]
        if citation is None:
            continue
        key = (passage.id, tuple(citation["quotes"]), citation["supported"])
        if key not in numbers:
            citations.append(citation)
            numbers[key] = len(citations)
        places[claim, passage.id] = numbers[key]
    return citations, places


def cite_passages(
    claim: str, passages: Sequence[Passage], *, asked: str = "", about: str = ""
) -> list[Citation | None]:
    """The citation of each passage for a claim; None for a passage without text.

    Args:
        claim: A statement that the passages, read together, are to support.
        asked: The question, if the claim is its answer.
        about: The question, if it decides only between quotes that cover the claim equally.
    """
    verdict = compare(claim, passages, asked=asked, about=about)
    citations: list[Citation | None] = []
    for place, passage in enumerate(passages):
        citation = None
        if spans := verdict.quotes.get(place):
            citation = _citation(passage, spans)
            citation["claim"] = claim
            citation["supported"] = verdict.supported and place in verdict.bearing
        citations.append(citation)
    return citations


def _citation(passage: Passage, spans: Sequence[tuple[int, int]]) -> Citation:
    """A citation of sentences and rows of a passage, the best first."""
    return Citation(
        passage_id=passage.id,
        title=passage.title,
        quote=passage.text[slice(*spans[0])],
        quotes=[readable(passage.text, span) for span in sorted(spans)],
    )


def statements(answer: str) -> list[tuple[str, list[int]]]:
    """The statements of an answer that have markers, each with its numbers.

    A statement is the sentence before its markers; where that sentence has markers within, the
    part that follows them.
    """
    return [
        (statement, numbers) for statement, numbers, _ in marked_statements(answer) if statement
    ]


def marked_statements(answer: str) -> Iterator[tuple[str, list[int], tuple[int, int]]]:
    """Each group of markers: the statement before it, or "", its numbers and its place."""
    start = 0
    for match in find_markers(answer):
        before = answer[start : match.start()]
        spans = [span for span in sentence_spans(before) if _WORD.search(before[slice(*span)])]
        statement = before[slice(*spans[-1])].strip(_EDGES) if spans else ""
        if found := _COUNT_OF_LIST.match(statement):
            statement = statement[found.end() :]
        statement = _without_count(statement, answer[match.start() :])
        statement = _in_its_row(statement, answer, match.start())
        numbers = list(dict.fromkeys(marker_numbers(match.group())))
        yield statement, numbers, match.span()
        start = match.end()


def _without_count(statement: str, rest: str) -> str:
    """The first item of a list, without the number of items before the list.

    "Three cities are older: Trier [1], Bonn [2], Mainz [3]" counts the items, and its first passage
    need not. A number that does not count them stays, as in "2 euros" and "phase 2".

    Args:
        rest: The answer from the marker of the statement on.
    """
    lead, colon, first = statement.partition(": ")
    end = _SENTENCE_END.search(rest)
    items = _ITEMS_END.split(renumber(first + rest[: end.start() if end else None], {}))
    number = sum(bool(_WORD.search(item)) for item in items)
    counted = with_digits(lead, language_of(statement) or "en") if colon and number > 1 else ""
    for each in find_quantities(counted)[0]:
        after = counted[each.start :].removeprefix(f"{number} ")
        if each.value == number and not each.unit and after != counted[each.start :]:
            return f"{counted[: each.start]}{after}: {first}"
    return statement


def cited_sentences(answer: str) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """The sentences that have markers, without these, each with its statements and their numbers.

    A sentence can be judged alone, which a part of it ("and 5 km [2]") cannot. A row of a table has
    the header of each cell, and an item of a list the line that ends with a colon above the list.
    """
    plain = renumber(answer, {})
    spans = sentence_spans(plain)
    found: dict[int, list[tuple[str, list[int]]]] = {}
    for statement, numbers, (begin, _) in marked_statements(answer):
        end = len(renumber(answer[:begin], {}).rstrip())
        place = max((at for at, (start, _) in enumerate(spans) if start < end), default=-1)
        found.setdefault(place, []).append((statement, numbers))
    return [(_alone(plain, spans[: place + 1]), parts) for place, parts in found.items()]


def _alone(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The last sentence of some, as it can be read alone; "" for none."""
    if not spans:
        return ""
    sentence = readable(text, spans[-1]).strip(_EDGES)
    if is_item(text, spans[-1][0]):
        lead = next((text[slice(*each)] for each in spans[::-1] if not is_item(text, each[0])), "")
        sentence = sentence.lstrip("-*•‣– ")
        sentence = f"{lead} {sentence}" if lead.endswith(":") else sentence
    return sentence


def _in_its_row(statement: str, answer: str, place: int) -> str:
    """A cell of a Markdown table says what it does of its row: the row's name comes first."""
    row = renumber(answer[answer.rfind("\n", 0, place) + 1 : place], {})
    if not row.startswith("|"):
        return statement
    cells = [cell.strip() for cell in row.split("|") if cell.strip()]
    cell = statement.rpartition("|")[2].strip()
    return cell if not cells or len(cells) == 1 else f"{cells[0]}: {cell}"


def _best_sentences(
    passages: Sequence[Passage], supports: Callable[[set[str]], bool], asked: set[str]
) -> list[Citation]:
    citations: list[Citation] = []
    for passage in passages:
        scored = [
            (len(asked & words), start - end, (start, end))
            for (start, end), words in _sentences(passage)
            if supports(words)
        ]
        if scored:
            citations.append(_citation(passage, [max(scored)[2]]))
        if len(citations) == MOST_CITATIONS:
            break
    return citations


def _sentences(passage: Passage) -> Iterable[tuple[tuple[int, int], set[str]]]:
    for start, end in sentence_spans(passage.text):
        sentence, header = passage.text[start:end], context_of_row(passage.text, start)
        # The title says what "it" and "he" in the sentence stand for.
        yield (start, end), _content(f"{passage.full_title} {header} {sentence}")


def _content(text: str) -> set[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return {word for word in _WORD.findall(plain) if word not in _FUNCTION_WORDS}


def _flat(text: str) -> str:
    return " ".join(text.split())
