"""See whether an earlier question asks for the same table: its calls are in the ledger."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.models.ledger import ledger_key
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.every import AGAIN
from hopyard.state.every import EveryState
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context


async def recall(state: EveryState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Ask the model which earlier question to read the documents for, if there is any.

    Later steps take it from the state: what is asked meanwhile does not matter to a resumed run.
    """
    run, question = await run_of(state, runtime), one_line(state["question"])
    update: dict[str, Any] = {"asked": question, "again": None, "notes": Overwrite([])}
    ledger = (await run.caller()).ledger
    earlier = await asyncio.to_thread(ledger.questions, await _asker(run), run.id)
    if not earlier or question in earlier:
        return update
    listed = "\n".join(f"{number}. {each}" for number, each in enumerate(earlier, 1))
    values = {"earlier": listed, "question": question}
    attempt = await run.try_call(AGAIN, values, step="recall")
    step = Step(id="recall", kind="choose", title=f"Compare with earlier questions: {len(earlier)}")
    again = attempt.output
    if again and again.sentence and 1 <= again.earlier <= len(earlier):
        update |= {"asked": earlier[again.earlier - 1], "again": again.model_dump()}
        step["reason"] = f"the same table as for: {update['asked']}"
    step = step if again else attempt.mark(step)
    return {**update, "notes": Overwrite([step])}


async def remember(run: Run, question: str) -> None:
    """Keep a question whose table was opened, for later questions."""
    ledger, asker = (await run.caller()).ledger, await _asker(run)
    await asyncio.to_thread(ledger.keep_question, asker, run.id, question)


async def _asker(run: Run) -> str:
    """Who asks which model about which documents: nobody sees the questions of another person."""
    index, settings = await run.index(), run.settings
    return ledger_key(
        {
            "person": settings.budget.person,
            "groups": settings.groups,
            "model": (await run.caller()).provider.identity,
            "index": str(index.directory),
            "where": settings.where,
        }
    )
