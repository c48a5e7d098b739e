"""The primer: read the nearest reports, and ask about what they leave open."""

from __future__ import annotations

from typing import Any, Final

from langgraph.runtime import Runtime

from hopyard.nodes.global_search.chunks import first_chunk, window_of
from hopyard.nodes.global_search.points import finish_map, points_from_reports
from hopyard.nodes.global_search.reading import (
    ReadableReport,
    numbered_reports,
    readable_reports,
    report_tokens,
)
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.drift import PRIMER, Explored
from hopyard.state.drift import DriftState, Proposal
from hopyard.state.global_search import Point
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context
from hopyard.state.text.counting import counted

__all__ = ("MOST_FOLLOW_UPS", "explored", "primer")

MOST_FOLLOW_UPS: Final = 4
"""Follow-up questions of a round (published tool: 20)."""


async def primer(state: DriftState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find points in the nearest reports, and follow-up questions.

    If it fails, or there is no report, the question itself is asked next (`next_round`).
    """
    run = await run_of(state, runtime)
    reports = await _fitting(run, state)
    step = Step(id="primer", kind="primer", title=f"Primer: read {counted(len(reports), 'report')}")
    if not reports:
        return {"notes": [step | {"reason": "there is no report to read"}]}
    values = {
        "question": one_line(state["question"]),
        "reports": numbered_reports(reports),
        "most": str(MOST_FOLLOW_UPS),
    }
    attempt = await run.try_call(PRIMER, values, step=step["id"])
    output = attempt.output
    if output is None:
        return {"notes": [attempt.mark(step)], "truncated": attempt.truncated}
    points = await points_from_reports(run, output.points, reports)
    primed = [report.community for report in reports]
    return explored(run, step, output, points) | {"primed": primed}


async def _fitting(run: Run, state: DriftState) -> list[ReadableReport]:
    """The nearest reports that fit into the window together; the nearest even if it does not."""
    reports = await readable_reports(run, state["chosen"], state["written"])
    return first_chunk(reports, report_tokens, window_of(run.settings))


def explored(run: Run, step: Step, output: Explored, points: list[Point]) -> dict[str, Any]:
    """The update of a call that gave points and follow-up questions."""
    proposals = [
        Proposal(question=one_line(asked.question), score=asked.score, parent=step["id"])
        for asked in output.follow_ups
    ]
    step = finish_map(step, points, len(output.points), run)
    step["facts"]["follow-ups"] = str(len(proposals))
    return {"points": points, "proposals": proposals, "notes": [step]}
