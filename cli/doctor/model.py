"""`hopyard doctor --model NAME`: what the server accepts, and what the model can do."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from hopyard.cli.console import out, say
from hopyard.cli.interrupts import run_async
from hopyard.evaluation.model_check import LIMIT, ModelCheck, check_model
from hopyard.models.calls.sized_request import window_of
from hopyard.models.chat import ChatProvider
from hopyard.models.servers.abilities import abilities_of
from hopyard.nodes.resources import shared_resources
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import Context


def model_results(context: Context) -> dict[str, Any]:
    """The abilities of the server, the results of the ten questions, and what they recommend.

    Returns:
        Plain values for JSON; none for a recording, which answers no new question.
    """
    provider = shared_resources().caller(context.model).provider
    if provider.recording is not None:
        return {}
    check = run_async(check_model(context, shared_resources()))
    profile, strategy, reason = check.recommendation
    return {
        "server": _server(provider),
        "questions": len(check.outcomes),
        "answered": check.answered,
        "seconds": check.seconds,
        "limit_seconds": LIMIT,
        "skills": [
            {"skill": result.skill.value, "right": result.right, "asked": result.asked}
            for result in check.skills
        ],
        "profile": profile,
        "strategy": strategy,
        "reason": reason,
        "recommendation": _sentence(check, context.model),
    }


def _server(provider: ChatProvider) -> dict[str, Any]:
    known = abilities_of(provider.identity)
    try:
        window = window_of(provider)
    except HopyardError:
        window = known.window
    forms = {title: form.value for title, form in known.forms.items()}
    left_out = sorted(known.left_out)
    return {"form": known.form.value, "forms": forms, "left_out": left_out, "window": window}


def _sentence(check: ModelCheck, model: str) -> str:
    profile, strategy, reason = check.recommendation
    if not check.answered:
        return f"No question was answered in {LIMIT:g} s; use a faster model."
    options = f"--model {model} --set profile={profile}"
    options += "" if strategy == "auto" else f" --strategy {strategy}"
    return f"Use {options} ({reason})."


def server_line(results: dict[str, Any]) -> str:
    """The abilities of the server, on one line."""
    server = results["server"]
    forms = [f"{form} for {title}" for title, form in server["forms"].items()]
    left_out = f"; without {', '.join(server['left_out'])}" if server["left_out"] else ""
    window = f"{server['window']:,} tokens" if server["window"] else "unknown"
    structured = ", ".join([server["form"], *forms])
    return f"structured output: {structured}{left_out}; window: {window}"


def print_results(model: str, results: dict[str, Any]) -> None:
    """Print the results as a short table, and the recommendation."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for result in results["skills"]:
        table.add_row(result["skill"], f"{result['right']} of {result['asked']}")
    say(
        f"\n{model} answered {results['answered']} of {results['questions']} questions in "
        f"{results['seconds']:g} s (limit: {results['limit_seconds']:g} s):"
    )
    out.print(table)
    say(results["recommendation"])
