"""The answer of `table`: a sentence with the result, the query, and the rows that it came from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.passages.markdown import table_lines
from hopyard.indexes.text.sentences import readable
from hopyard.nodes.lifecycle import close_run
from hopyard.nodes.run import run_of
from hopyard.nodes.support.words import number_marks_of, with_marks
from hopyard.nodes.table.steps import is_empty
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.schemas import NOTE, Citation, Step, passage_evidence
from hopyard.state.settings.fields import Context
from hopyard.state.table import Asked, Outcome, TableState

MOST_CITED: Final = 5
"""Passages that are cited."""
_ROWS_OF_A_PASSAGE: Final = 3
_SHOWN_ROWS: Final = 50
_PLACE: Final = re.compile(r"\{([^{}]+)\}")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED: Final = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:[,.'’\u00a0\u202f]\d{3})+(?![\w.,]\d)\b")
_PLAIN: Final = re.compile(r"(?<![\d.,])\d{4,}(?![.,]?\d)")
_MARKUP: Final = re.compile(r"[\[\]<>`]")


async def close(state: TableState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Put the answer together, and cite the rows; Unknown without a result."""
    run, asked, outcome = await run_of(state, runtime), state["asked"], state["outcome"]
    steps, reason = list(state["steps"]), _why_unknown(asked, outcome, state["tries"])
    if reason or not asked["sql"]:
        if reason:
            steps.append(Step(id="note", kind=NOTE, title="Note", reason=reason))
        return await close_run(run, {"answer": UNKNOWN, "citations": [], "steps": steps})
    passages = await run.existing([passage for passage, _ in outcome["sources"]])
    places = [(passages[name], start) for name, start in outcome["sources"] if name in passages]
    citations = _citations(places)
    style = run.settings.answer.style
    marks = number_marks_of(f"{state['question']} {asked['sentence']}")
    outcome = as_written(outcome, [passage.text for passage in passages.values()], marks)
    answer = result_text(state["question"], asked, outcome, len(citations), style)
    cited = list(dict.fromkeys(passage.id for passage, _ in places))
    evidence = [passage_evidence(name, 1.0) for name in cited]
    read = Step(id="read", kind="read", title="Answer", question=state["question"])
    steps.append(Step(**{**read, "answer": answer, "passages": evidence}))
    update = {"answer": answer, "citations": citations, "evidence": evidence, "steps": steps}
    return await close_run(run, update)


def as_written(outcome: Outcome, texts: Sequence[str], marks: tuple[str, str]) -> Outcome:
    """The outcome with signs in the whole numbers of cells whose rows have them: 1,720 for 1720.

    Args:
        marks: The signs of the question's language; those of the rows if it is not sure.
    """
    written = {
        number: with_marks(number, marks) if marks[0] else found
        for text in texts
        for found in _GROUPED.findall(text)
        if (number := re.sub(r"\D", "", found))
    }
    for code in {code for text in texts for code in _PLAIN.findall(text)}:
        written.pop(code, None)  # such as a year
    rows = [
        [written.get(value, value) if value else value for value in row] for row in outcome["rows"]
    ]
    return Outcome(**{**outcome, "rows": rows})


def _why_unknown(asked: Asked, outcome: Outcome, tries: int) -> str:
    """The text of the note where a query gave no answer, or "".

    No row is an answer only if the model says so in its second sentence, without a place for a
    value. It wrote the first, such as `The gates:`, before there was a result.
    """
    if not asked["sql"]:
        return ""
    again = ", and so did its correction" if tries > 1 else ""
    if outcome["error"]:
        return f"The query over the tables failed{again}: {outcome['error']}"
    says_so = asked["knows"] and asked["sentence"] and not _PLACE.search(asked["sentence"])
    if is_empty(outcome) and not says_so:
        return f"The query over the tables found nothing{again}."
    return ""


def _citations(places: Sequence[tuple[Passage, int]]) -> list[Citation]:
    """The rows, three at most of each of five passages."""
    rows: dict[str, list[tuple[Passage, tuple[int, int]]]] = {}
    for passage, start in places:
        end = passage.text.find("\n", start)
        span = (start, len(passage.text) if end < 0 else end)
        rows.setdefault(passage.id, []).append((passage, span))
    return [
        Citation(
            passage_id=name,
            title=own[0][0].title,
            quote=own[0][0].text[slice(*own[0][1])],
            quotes=[readable(passage.text, span) for passage, span in own[:_ROWS_OF_A_PASSAGE]],
        )
        for name, own in list(rows.items())[:MOST_CITED]
    ]


def result_text(question: str, asked: Asked, outcome: Outcome, cited: int, style: str) -> str:
    """The answer in a style of `answer.style`.

    Args:
        cited: How many citations there are.
        style: `short` gives values alone, `sentence` a sentence, the others the query too.
    """
    rows, sentence = outcome["rows"], _filled(question, asked, outcome)
    values = "" if is_empty(outcome) else _short(rows, more=outcome["more"])
    if style == "short":
        return values or sentence
    lead = sentence.rstrip(" :") or (values if len(rows) == 1 else "")
    marks = "".join(f"[{number}]" for number in range(1, cited + 1))
    lead = f"{lead} {marks}".strip()
    if style == "sentence":
        return f"{lead}: {values}" if len(rows) > 1 else lead
    parts = [lead]
    if len(rows) > 1:
        shown = [[_cell(value) for value in row] for row in rows[:_SHOWN_ROWS]]
        parts.insert(
            0 if lead == marks else 1, "\n".join(table_lines([outcome["columns"], *shown]))
        )
        if len(rows) > _SHOWN_ROWS or outcome["more"]:
            parts.append(f"These are the first {len(shown)} rows of the result.")
    return "\n\n".join([*filter(None, parts), f"```sql\n{asked['sql']}\n```"])


def _filled(question: str, asked: Asked, outcome: Outcome) -> str:
    """The sentence with the values that all rows share; "" if it does not fit the result.

    A number in it that neither the question nor the result has is the model's guess.
    """
    rows, sentence = outcome["rows"], asked["sentence"]
    names = [name.strip().casefold() for name in _PLACE.findall(sentence)]
    known = _NUMBER.findall(f"{question} {asked['sql']}")
    guessed = not set(_NUMBER.findall(_PLACE.sub("", sentence))) <= set(known)
    if is_empty(outcome):
        return "No row of the tables matches." if guessed else sentence
    columns = zip(map(str.casefold, outcome["columns"]), zip(*rows, strict=True), strict=True)
    same = not outcome["more"]
    values = {name: cells[0] for name, cells in columns if same and len({*cells}) == 1}
    told = names or len(rows) > 1 or asked["knows"]  # it knows of a 0, and says so in words
    if guessed or not {*names} <= values.keys() or not told:
        return ""
    return _PLACE.sub(lambda found: _cell(values[found[1].strip().casefold()]), sentence)


def _short(rows: Sequence[Sequence[str | None]], *, more: bool) -> str:
    shown = [", ".join(_cell(value) for value in row) for row in rows[:_SHOWN_ROWS]]
    between = "; " if any(len(row) > 1 for row in rows) else ", "
    return between.join(shown) + ("; …" if more or len(rows) > _SHOWN_ROWS else "")


def _cell(value: str | None) -> str:
    """A value as it is shown: as code if it has what begins a marker, a link, an image or HTML."""
    text = "–" if value is None else " ".join(value.split())
    code = text.replace("`", "'")
    return f"`{code}`" if _MARKUP.search(text) else text
