"""The steps of `table`: choose tables, ask for a query and run it, correct it once."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, Final, Literal

from langgraph.runtime import Runtime

from hopyard.indexes.corpus.records import place_in
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kinds.tables.reader import Table, Tables
from hopyard.nodes.lifecycle import start_run
from hopyard.nodes.run import run_of
from hopyard.nodes.support.words import number_marks_of
from hopyard.nodes.table.entries import Entry, entries_of, schema_text, with_near_values
from hopyard.nodes.table.query import run_query
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.table import TABLE_QUERY, failed_query
from hopyard.state.extras import require
from hopyard.state.schemas import Step, StrategyInput, passage_evidence, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.table import Asked, Outcome, TableState
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of
from hopyard.state.verdicts import FAILED, FALLBACK, NOTHING_FOUND

MOST_TABLES: Final = 12
"""Tables whose schemas the model sees, if they fit; tables with the same columns count once."""
_MOST_TOKENS: Final = 4000
"""Tokens of these schemas. The first is seen whatever its size."""
_LOOKED_AT: Final = 20
_RANK: Final = 60
"""Reciprocal rank fusion: Cormack, Clarke and Büttcher 2009."""


async def begin(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start the run; what a thread's last question found is cleared."""
    require("The strategy table", "tables")
    update = await start_run(state, runtime)
    nothing = Outcome(error="", columns=[], rows=[], more=False, sources=[])
    asked = Asked(sql="", sentence="", knows=False)
    cleared = {"evidence": [], "steps": [], "tables": [], "asked": asked, "tries": 0}
    return {**update, **cleared, "outcome": nothing}


async def choose(state: TableState, runtime: Runtime[Context]) -> dict[str, Any]:
    """The tables that match the question: by their own words, and by the passages found."""
    run, question = await run_of(state, runtime), state["question"]
    found = await run.try_find(question, k=_LOOKED_AT, step="tables")
    tables: Tables = await run.reader("tables")
    chosen = await asyncio.to_thread(_choose, tables, question, passage_ids(found.evidence))
    allowed = await run.allowed()
    if allowed is not None:
        kept = await asyncio.to_thread(tables.holding, sorted(allowed))
        chosen = [table for table in chosen if table in kept]
    step = Step(id="tables", kind="search", title="Tables", question=question)
    step["answer"] = "; ".join(place_in(each.title, each.section) for each in chosen) or "none"
    step["passages"] = list(found.evidence)
    if found.problems:
        step |= {"verdict": FALLBACK, "reason": found.reason}
    ids = [table.id for table in chosen]
    return {"tables": ids, "steps": [step], "truncated": found.truncated}


def _choose(tables: Tables, question: str, passages: Sequence[str]) -> list[Table]:
    scores: dict[str, float] = defaultdict(float)
    for ranking in (tables.search(question, _LOOKED_AT), tables.holding(passages)):
        for rank, table in enumerate(ranking):
            scores[table.id] += 1 / (_RANK + rank)
    best = tables.by_id(sorted(scores, key=lambda name: -scores[name]))
    first: dict[object, Table] = {}
    for table in best:
        first.setdefault(table.family or table.id, table)
    return list(first.values())[:MOST_TABLES]


def _shown(tables: Tables, state: TableState, keep: Callable[[str], bool]) -> list[Entry]:
    """The first entries, as many as fit."""
    entries = [
        with_near_values(tables, entry, state["question"], keep)
        for entry in entries_of(tables, state["tables"])
    ]
    sizes = accumulate(tokens_of(schema_text([entry])) for entry in entries)
    return [
        entry
        for place, (entry, size) in enumerate(zip(entries, sizes, strict=True))
        if not place or size <= _MOST_TOKENS
    ]


async def ask(state: TableState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask for a query and run it; the second time for its correction. No table, no query."""
    if not state["tables"]:
        return {}
    run, tries, outcome = await run_of(state, runtime), state["tries"] + 1, state["outcome"]
    step = Step(
        id=f"query-{tries}", kind="query", title="Corrected query" if tries > 1 else "Query"
    )
    tables, allowed = await run.reader("tables"), await run.allowed()

    def keep(passage: str) -> bool:
        return allowed is None or passage in allowed

    entries = await in_thread(_shown, tables, state, keep)
    values = {"tables": schema_text(entries), "question": one_line(state["question"])}
    problem = failed_query(state["asked"]["sql"], problem_of(outcome)) if tries > 1 else ""
    attempt = await run.try_call(
        TABLE_QUERY, {**values, "failed": problem}, step=step["id"], final=True
    )
    if attempt.output is None:
        if tries == 1:
            attempt.check_needed()
        steps = [*state["steps"], attempt.mark(step)]
        return {"steps": steps, "truncated": attempt.truncated, "tries": tries}
    sql, sentence = attempt.output.sql.rstrip("; \n"), attempt.output.sentence
    knows = tries > 1 and sentence != state["asked"]["sentence"]
    asked = Asked(sql=sql, sentence=sentence, knows=knows)
    if asked["sql"]:
        stop = threading.Event()
        marks = number_marks_of(f"{state['question']} {sentence}")
        query = partial(run_query, tables, entries, asked["sql"], keep, stop, marks)
        outcome = await in_thread(query, stop=stop)
        step["facts"] = {"SQL": asked["sql"]}
        if outcome["error"]:
            step |= {"verdict": FAILED, "reason": outcome["error"]}
        else:
            step["answer"] = counted(len(outcome["rows"]), "row")
            read = dict.fromkeys(name for name, _ in outcome["sources"])
            step["passages"] = [passage_evidence(name, 1.0) for name in read]
    else:
        step |= {"verdict": NOTHING_FOUND, "reason": attempt.output.thought or "no table has it"}
    steps = [*state["steps"], step]
    return {"asked": asked, "outcome": outcome, "steps": steps, "tries": tries}


async def after_query(state: TableState) -> Literal["ask", "close"]:
    """One correction, if the query failed or found nothing."""
    may_correct = state["tries"] == 1 and state["asked"]["sql"] and not state["truncated"]
    return "ask" if may_correct and problem_of(state["outcome"]) else "close"


def problem_of(outcome: Outcome) -> str:
    """Why a result is no answer, or "". A single 0 may come from a condition that no row meets."""
    if outcome["error"]:
        return outcome["error"]
    if not outcome["rows"]:
        return "The result has no row."
    if is_empty(outcome):
        return "The result is NULL: perhaps no row meets a condition."
    if len(outcome["rows"]) == 1 and {*outcome["rows"][0]} <= {None, "0"}:
        return "The result is 0: perhaps no row meets a condition."
    return ""


def is_empty(outcome: Outcome) -> bool:
    """Whether a result has no row, or the NULL of a sum over no row."""
    return len(outcome["rows"]) <= 1 and not any(
        value is not None for row in outcome["rows"] for value in row
    )
