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
    """Ask which earlier question to read the documents for. A resumed run keeps the answer."""
    run, question = await run_of(state, runtime), one_line(state["question"])
    update: dict[str, Any] = {"asked": question, "said": {}, "notes": Overwrite([])}
    earlier = (await run.caller()).ledger.questions
    known = await asyncio.to_thread(earlier, await asker(run), run.id)
    if not known or question in known:
        return update
    listed = "\n".join(f"{number}. {each}" for number, each in enumerate(known, 1))
    attempt = await run.try_call(AGAIN, {"earlier": listed, "question": question}, step="recall")
    step = Step(id="recall", kind="choose", title=f"Compare with earlier questions: {len(known)}")
    if (again := attempt.output) is None:
        step = attempt.mark(step)
    elif again.sentence and 1 <= again.earlier <= len(known):
        update["asked"] = known[again.earlier - 1]
        update["said"] = {"count": again.kind == "count", "sentence": one_line(again.sentence)}
        step["reason"] = f"the same table as for: {update['asked']}"
    return {**update, "notes": Overwrite([step])}


async def asker(run: Run) -> str:
    """Who asks which model about which documents: nobody sees the questions of another person."""
    settings = run.settings
    rights = [settings.budget.person, settings.groups, settings.where]
    index, model = (await run.index()).manifest.created, (await run.caller()).provider.identity
    return ledger_key({"rights": rights, "index": index.isoformat(), "model": model})
