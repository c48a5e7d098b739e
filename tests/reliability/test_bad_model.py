"""A model that misbehaves: a run ends in an answer or a typed failure, within its budget."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hopyard.agent.session import open_session
from hopyard.models import embeddings
from hopyard.models.calls import request
from hopyard.nodes.resources import close_shared_resources, shared_resources
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import home
from hopyard.state.strategy import STRATEGIES
from hopyard.state.sub_questions import step_id

from ..graphs.conftest import EMBEDDING, Words
from ..graphs.script import full_tree
from .bad_server import FAULTS, BadServer
from .conftest import Everything
from .extent import LONG, report, seeds

pytestmark = pytest.mark.timeout(0 if LONG else 180)

QUESTION = "All?"
MODELS = ("openai:bad", "ollama:bad")
OUTAGES = {
    "429",
    "429 later",
    "429 nonsense",
    "500",
    "503",
    "503 later",
    "reset",
    "half a body",
    "no json",
    "no choices",
}
"""What may end a run: it can be resumed."""
KINDS = ("prose", "empty", "surrogate", "429 later", "500", "400", "hang", "half a body", "no json")
"""A fault of each kind; `tests/models/calls` has what each says of its own call."""
HOP = "Which river does the Iron Bridge cross?"


def _everything() -> Everything:
    everything = Everything()
    everything.lines = full_tree(QUESTION, 2)
    everything.useful = {HOP: "necessary"}
    return everything


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.001)
    embeddings.register_embedder(EMBEDDING, Words())


def _context(index: Path, seed: int, **settings: Any) -> Context:
    chance = random.Random(seed)
    given = {
        "index": str(index),
        "model": MODELS[seed % 2],
        "embedding": EMBEDDING,
        "strategy": chance.choice(("auto", *STRATEGIES)),
        "seed": 100
        * seed,  # a connection is kept for a sampling, and each attempt has the next seed
        "timeout": 0.4,
        "budget": {"calls": chance.choice((0, 3, 12))},
        "retrieval": {"k": 2},
        "profile": "builtin",
        "tree": {"max_depth": 2},
    }
    return Context.model_validate(given | settings)


async def _asked(context: Context, thread: str) -> dict[str, Any] | HopyardError:
    async with open_session() as session:
        try:
            async for _ in session.ask(QUESTION, context, thread):
                pass
        except HopyardError as error:
            return error
        return await session.result(thread)


def _run() -> str:
    """The only run in the ledger."""
    with closing(sqlite3.connect(home() / "ledger.sqlite")) as ledger:
        [[run]] = ledger.execute("SELECT DISTINCT run FROM uses").fetchall()
    return str(run)


def _point_to(server: BadServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    close_shared_resources()  # as in a new process


# The client of the seed before is dropped with the connections that it keeps alive.
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
async def test_every_run_ends_in_an_answer_or_a_typed_failure(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = {"answered": 0, "failed": 0}
    seen: set[str] = set()
    for seed in seeds(12, 1000, share=0.15):
        rate = random.Random(seed).choice((0.2, 0.5, 0.9))
        with BadServer(_everything(), seed, rate=rate) as server:
            _point_to(server, monkeypatch)
            context = _context(index, seed)
            ended = await _asked(context, f"t{seed}")
            if isinstance(ended, HopyardError):
                outcomes["failed"] += 1
                assert str(ended).endswith(".") and len(str(ended)) < 1000
            else:
                outcomes["answered"] += 1
                _check(ended, context)
        seen |= set(server.seen)
        _check_parse_rate()
        report(**outcomes, faults_seen=len(seen))
    assert min(outcomes.values()) > 0, outcomes
    assert len(seen) > len(FAULTS) // 2


def _check(result: dict[str, Any], context: Context) -> None:
    assert result["finished"]
    assert isinstance(result["answer"], str) and 0 < len(result["answer"]) <= 300
    assert result["answer"].isprintable()
    if limit := context.budget.calls:
        assert result["usage"]["model_calls"] <= limit


def _check_parse_rate() -> None:
    for rate in shared_resources().ledger.parse_rates():
        assert rate.parsed + rate.repaired + rate.failed == rate.calls
        assert 0 <= rate.rate <= 1


@pytest.mark.parametrize("fault", FAULTS if LONG else KINDS)
async def test_one_bad_branch_leaves_its_siblings_alone(
    fault: str, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question of a tree is always answered badly; the other half is there all the same.

    What says nothing about other calls degrades the branch alone. What looks like an outage ends
    the run, but only when what the siblings are paying for is finished and recorded.
    """
    everything, number = _everything(), FAULTS.index(fault)
    everything.lines = full_tree(QUESTION, 1)

    def is_bad(turn: str) -> bool:
        return "Passages:" in turn and "Question: All left?" in turn

    with BadServer(everything, 1, rate=1.0, faults=(fault,), only=is_bad) as server:
        _point_to(server, monkeypatch)
        budget: dict[str, Any] = {"strategy": "tree", "budget": {"calls": 0}}
        context = _context(index, number, **budget)
        ended = await _asked(context, "t")
        assert server.seen[fault] > 0, ended
    if isinstance(ended, HopyardError):
        assert fault in OUTAGES, ended
    else:
        _check(ended, context)
        steps = {step["id"]: step for step in ended["steps"]}
        assert steps[step_id("2")]["answer"] == "read: All right?"
    outputs = shared_resources().ledger.calls_of(_run())
    assert any("All right?" in entry.output for entry, _ in outputs)
