"""The primer: read the nearest reports, and ask about what they leave open."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from hopyard.nodes.global_search.chunks import chunks
from hopyard.nodes.global_search.map import finish_map, numbered_reports, points_from_reports
from hopyard.nodes.global_search.reading import ReadableReport, readable_reports
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.drift import PRIMER, Explored
from hopyard.state.drift import DriftSettings, DriftState, Proposal
from hopyard.state.global_search import GlobalSettings, Point
from hopyard.state.schemas import Step
from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of

__all__ = ("explored", "primer")


async def primer(state: DriftState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Find points in the nearest reports, and follow-up questions.

    If it fails, or there is no report, the question itself is asked next (`next_round`).
    """
    run = await run_of(state, runtime)
    settings = DriftSettings.of(run.settings)
    reports = await _fitting(run, state)
    step = Step(id="primer", kind="primer", title=f"Primer: read {counted(len(reports), 'report')}")
    if not reports:
        return {"notes": [step | {"reason": "there is no report to read"}]}
    values = {
        "question": one_line(state["question"]),
        "reports": numbered_reports(reports),
        "most": str(settings.follow_ups if settings.depth else 0),
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
    window = GlobalSettings.of(run.settings).for_profile(profile_of(run.settings)).window
    cut = chunks([tokens_of(numbered_reports([report])) for report in reports], window)
    return [reports[place] for place in cut[0]] if cut else []


def explored(run: Run, step: Step, output: Explored, points: list[Point]) -> dict[str, Any]:
    """The update of a call that gave points and follow-up questions.

    Args:
        run: The run.
        step: The step of the call.
        output: Its output.
        points: Those of its points that are kept.
    """
    proposals = [
        Proposal(question=one_line(one.question), score=one.score, parent=step["id"])
        for one in output.follow_ups
    ]
    step = finish_map(step, points, len(output.points), run)
    step["facts"]["follow-ups"] = str(len(proposals))
    return {"points": points, "proposals": proposals, "notes": [step]}
