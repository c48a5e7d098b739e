"""An answer in the ledger is found without a call, a use or a change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_server import ModelServer

from hopyard.models.calls.attempt import finished_output
from hopyard.models.ledger import Entry, Ledger
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import Context

from ..asking import CONTEXT, PARIS, ask, in_turn, model_caller, restart

QUESTION = {"question": "Capital of France?"}


@pytest.fixture(autouse=True)
def _fresh(model_server: ModelServer) -> None:
    restart()


def find(context: Context = CONTEXT, model: str = "") -> str | None:
    caller = model_caller()
    name = model or caller.provider.identity
    output = finished_output(caller.ledger, name, DIRECT, QUESTION, context)
    return None if output is None else output.answer


async def test_only_the_same_call_is_found(model_server: ModelServer) -> None:
    model_server.answer = in_turn(PARIS)
    assert find() is None
    await ask()
    before = model_caller().ledger.uses("run")
    assert find() == "Paris"
    assert find(model="another") is None
    assert find(CONTEXT.model_copy(update={"seed": CONTEXT.seed + 1})) is None
    assert model_caller().ledger.uses("run") == before
    assert len(model_server.calls) == 1


async def test_the_answer_of_a_retry_is_found(model_server: ModelServer) -> None:
    model_server.answer = in_turn("no JSON", PARIS)
    await ask()
    assert [call.title for call in model_server.calls] == ["Answer"] * 2
    assert find() == "Paris"


def test_the_models_of_a_prompt_are_those_of_its_latest_calls(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for number, (prompt, version, model) in enumerate(
        [("report", 2, "a"), ("report", 1, "a"), ("other", 1, "c"), ("report", 2, "a")]
    ):
        entry = Entry(prompt, version, model, 0, json.dumps(PARIS), "parsed", 1, 1, 0.1)
        ledger.record(f"{number}", entry, run="run", run_seconds=1)
        ledger._db.execute(
            "UPDATE calls SET at = ? WHERE key = ?", (f"2026-01-0{number + 1}", f"{number}")
        )
    assert ledger.models_of("report") == [(2, "a"), (1, "a")]
    assert ledger.models_of("none") == []
    found = ledger.entry("2")
    assert found is not None and found.prompt == "other"
    assert ledger.entry("9") is None
    ledger.close()
