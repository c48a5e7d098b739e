"""Merge the rows, write the table, cite its rows, and say which documents were read."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.nodes.citations import place_claims
from hopyard.nodes.every.table import Item, as_markdown, merge_rows, natural_order, sums
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import run_of
from hopyard.nodes.support.words import number_marks_of, with_marks
from hopyard.prompts.answer import UNKNOWN
from hopyard.prompts.passages import one_line
from hopyard.state.every import EveryState, Table
from hopyard.state.references import file_name
from hopyard.state.schemas import Citation, Step, passage_evidence
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

_NUMBER: Final = re.compile(r"(?<!\w)#(?!\w)", re.ASCII)
"""The place of the number of rows in a sentence, as in `# ports` and `港は#件`; `C#` is a word."""
_NONE: Final = "that there is none, as no document that was read has one."
_HEAD_LINES: Final = 2
"""Lines of a document that say what it is about."""
_NAMED: Final = 10
"""Documents that were not read and are named, at most."""


@dataclass(frozen=True)
class Coverage:
    """Which of the documents that may be found were read.

    Attributes:
        sentence: As in `Read 38 of 41 documents, 2 of them in part: A, B. Not read: C, D, E.`
        share: The share of their sentences that was read, from 0 to 1.
    """

    sentence: str
    share: float


def coverage(index: Index, allowed: Collection[str] | None, read: Collection[str]) -> Coverage:
    """Compare the passages that were read with all that may be found.

    Args:
        allowed: Ids of the passages that may be found; None where all may.
    """
    titles: dict[str, str] = {}
    whole, sentences = Counter[tuple[str, bool]](), Counter[bool]()
    for passage in index.corpus.passages():
        if allowed is None or passage.id in allowed:
            name, was_read = passage.document_id, passage.id in read
            titles[name] = one_line(passage.title or passage.source or name)
            whole[name, was_read] += 1
            sentences[was_read] += len(sentence_spans(passage.text))
    unread = [titles[name] for name in titles if not whole[name, True]]
    partly = [titles[name] for name in titles if whole[name, True] and whole[name, False]]
    text = f"Read {len(titles) - len(unread):,} of {counted(len(titles), 'document')}"
    text += f", {len(partly):,} of them in part: {_named(partly)}." if partly else "."
    text += f" Not read: {_named(unread)}." if unread else ""
    share = sentences[True] / sentences.total() if sentences[False] else 1.0
    return Coverage(text, share)


def _named(titles: Iterable[str]) -> str:
    ordered = sorted(titles, key=natural_order)
    more = f" and {len(ordered) - _NAMED:,} more" if len(ordered) > _NAMED else ""
    return ", ".join(ordered[:_NAMED]) + more


async def close(state: EveryState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer with the table, or with the number of its rows alone in the short style."""
    run, table = await run_of(state, runtime), state["table"]
    index, allowed = await run.index(), await run.allowed()
    read = {name for group in state["groups"] for name in group}.difference(state["unread"])
    if table is None:  # no call decided the form, so none has read
        read = set()
    covered = await asyncio.to_thread(coverage, index, allowed, read)
    items = merge_rows(state["rows"], len(table["columns"])) if table else []
    names = list(dict.fromkeys(name for item in items for name in item.passages))
    passages = {passage.id: passage for passage in await run.passages(names)} if names else {}
    heads = await asyncio.to_thread(_heads, index, passages.values())
    citations, places = await asyncio.to_thread(_cited, state["question"], items, passages, heads)
    step = Step(id="table", kind="table", title=f"Merge {counted(len(state['rows']), 'row')}")
    step["facts"] = {
        "rows": str(len(items)),
        "read": covered.sentence.removeprefix("Read ").rstrip("."),
    }
    answer = UNKNOWN
    if table and (items or (table["count"] and covered.share == 1)):
        totals = sums(state["question"], table["columns"], items)
        answer = _answer(table, items, totals, places, covered, run.settings.answer.style)
    step["answer"] = answer
    update = {
        "answer": answer,
        "citations": citations,
        "evidence": [passage_evidence(name, 1.0) for name in names],
        "steps": [*state["notes"], step],
        "truncated": state["truncated"],
        "read_share": covered.share,
        "unconfirmed": "" if items or answer == UNKNOWN else _NONE,
        "rows": Overwrite([]),
        "unread": Overwrite([]),
        "notes": Overwrite([]),
    }
    return await close_run(run, update)


def _heads(index: Index, passages: Iterable[Passage]) -> dict[str, str]:
    """By document, the words of its file's name and of its first lines, with blanks around them."""
    heads = {}
    for name, source in {each.document_id: each.source for each in passages}.items():
        first = index.corpus.passages_of(name)[0].text.split("\n")
        lines = list(filter(str.strip, first))[:_HEAD_LINES]
        heads[name] = _words(f"{file_name(source).rpartition('.')[0]}\n{' '.join(lines)}")
    return heads


def _words(text: str) -> str:
    return re.sub(r"[\W_]+", " ", f" {text} ".casefold())


def _cited(
    question: str,
    items: Sequence[Item],
    passages: Mapping[str, Passage],
    heads: Mapping[str, str],
) -> tuple[list[Citation], dict[tuple[int, str], int]]:
    """A citation for each row and passage, and its number by the row's place and passage id.

    A row answers the question: what fits the question is quoted, too, and not a name alone. The
    passage need not name the row if the head of its document does, as in an application.
    """
    asked = f"{question.rstrip(' ?.!')}? "

    def claim(item: Item, passage: Passage) -> str:
        values = item.values(passage.id)
        own = item.name not in values and _words(item.name) in heads.get(passage.document_id, "")
        return f"{asked}{'' if own else f'{item.name}: '}{', '.join(values)}"

    claims = {
        (row, name): (claim(item, passages[name]), passages[name])
        for row, item in enumerate(items)
        for name in item.passages
    }
    citations, numbers = place_claims(list(claims.values()), question=question)
    places = {
        place: numbers[claim, passage.id]
        for place, (claim, passage) in claims.items()
        if (claim, passage.id) in numbers
    }
    for citation in citations:
        citation["claim"] = citation["claim"].removeprefix(asked)
    return citations, places


def _answer(
    table: Table,
    items: Sequence[Item],
    totals: Sequence[str],
    places: Mapping[tuple[int, str], int],
    covered: Coverage,
    style: str,
) -> str:
    """The sentence with the number of rows, the table, and what was read."""
    if style == "short":
        shown = filter(None, totals) if totals else (item.name for item in items)
        return str(len(items)) if table["count"] else "; ".join(shown)
    rows = {id(item): row for row, item in enumerate(items)}

    def mark(item: Item, passage: str) -> str:
        number = places.get((rows[id(item)], passage))
        return f"[{number}]" if number else ""

    sentence = table["sentence"]
    number = with_marks(str(len(items)), number_marks_of(sentence))
    said, places_in = _NUMBER.subn(number, sentence)
    if not places_in:
        said = f"{number}: {sentence}"
    parts = [
        said,
        as_markdown(table["columns"], items, mark, totals) if items else "",
        covered.sentence,
    ]
    return "\n\n".join(filter(None, parts))
