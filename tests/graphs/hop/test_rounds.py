"""A round is one super-step: its vertices are asked at once, and a kill keeps the finished ones."""

from __future__ import annotations

import asyncio
import hashlib
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import ModelServer

from hopyard.agent.session import Event, Session
from hopyard.graphs import hop
from hopyard.state.settings.fields import Context

from ..conftest import Words, changed
from .drawn import build_drawn
from .script import HopScript
from .walks import PAPER, hops, round_of

QUERY = "Who is it?"
LONGEST_WAIT = 60.0
FANS = {"a": "de", "b": "ef", "c": "fg"}
"""Three passages are entered, by questions like the query; each leads to one of two others."""
STAR = [
    *(("z", f"Who is it? {head}", head) for head in FANS),
    *((tail, f"From {tail} to {head}?", head) for tail, heads in FANS.items() for head in heads),
]
USEFUL = {"From a to d?": "necessary", "From b to e?": "indirect", "From c to g?": "necessary"}
REQUESTS = {tail: frozenset(f"From {tail} to {head}?" for head in FANS[tail]) for tail in FANS}


@pytest.fixture(scope="session")
def star(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of that drawing."""
    texts = {name: f"Passage {name} is about {name * 3}." for name in "abcdefgz"}
    return build_drawn(tmp_path_factory.mktemp("star") / "index", texts, STAR, Words())


@pytest.fixture
def context(context: Context, star: Path, script: HopScript) -> Context:
    """Settings of a run that enters by the three edges like the query."""
    script.useful = dict(USEFUL)
    return changed(context, index=str(star), strategy="hop", hop__top_k=3, **PAPER)


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """Let go, and the server answers what it holds back."""
    event = threading.Event()
    yield event
    event.set()


async def events(session: Session, context: Context, thread: str) -> list[Event]:
    return [event async for event in session.ask(QUERY, context, thread)]


def asked_at(script: HopScript) -> list[str]:
    """The vertices that the model was asked about, by their questions."""
    tails = {questions: tail for tail, questions in REQUESTS.items()}
    return [tails[frozenset(questions)] for questions in script.shown]


async def test_all_vertices_of_a_round_are_asked_at_once(
    context: Context, script: HopScript, model_server: ModelServer
) -> None:
    """Each call waits at the server until all three are there: one by one would hang."""
    gate = threading.Barrier(len(FANS))
    script.before = lambda kind, _: gate.wait(LONGEST_WAIT) if kind == "hop" else None
    output = await hop.graph.ainvoke({"question": QUERY}, context=context)
    assert sorted(asked_at(script)) == ["a", "b", "c"]
    assert output["usage"]["model_calls"] == len(FANS) + 1
    calls = model_server.calls[: len(FANS)]
    assert max(call.started for call in calls) < min(call.finished for call in calls)
    rounds = [round_of(step) for step in hops(output)]
    assert rounds == [0] * 3 + [1] * 3 + [2] * 3  # d, e and g have no edge


async def test_a_cancelled_round_goes_on_with_the_vertices_that_are_missing(
    session: Session, context: Context, script: HopScript, held: threading.Event
) -> None:
    await events(session, context, "whole")
    other = changed(context, seed=8)  # another key in the ledger
    script.shown.clear()
    script.before = lambda kind, asked: held.wait(LONGEST_WAIT) if "From b" in asked else None
    running = asyncio.create_task(events(session, other, "t"))
    while await _chosen(session, "t") < 2:  # noqa: ASYNC110  (what is on the disk tells nobody)
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    held.set()

    told = [event async for event in session.resume("t")]
    steps = [event.node for event in told if event.graph == "hop"]
    # Two of the round are read back from the disk, b chooses; then d, e and g, which cannot.
    assert steps.count("choose_hop") == 1 + 3
    assert asked_at(script).count("a") == asked_at(script).count("c") == 1
    whole, resumed = await session.result("whole"), await session.result("t")
    for key in ("answer", "steps", "evidence", "citations", "truncated"):
        assert resumed[key] == whole[key], key
    assert resumed["usage"]["model_calls"] == whole["usage"]["model_calls"] == 4


async def _chosen(session: Session, thread: str) -> int:
    """How many vertices of the first round are on the disk."""
    rows = await session._saver.conn.execute_fetchall(
        "SELECT COUNT(*) FROM writes WHERE thread_id = ? AND channel = 'judged'", (thread,)
    )
    return int(rows[0][0]) - 1  # one is the entry's


LABELS = ("irrelevant", "irrelevant", "indirect", "necessary")


async def test_a_wide_traversal_fits_a_small_thread(
    session: Session,
    context: Context,
    script: HopScript,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The paper's settings, and a little more than its mean of 38.53 calls."""
    chance = random.Random(2)
    passages = [hashlib.sha256(bytes([row])).hexdigest()[:16] for row in range(80)]
    questions = ("When was {} born?", "Who founded the town of {}?", "Where did {} first meet {}?")
    drawing = []
    for tail in passages:
        for _ in range(6):
            names = ["".join(chance.choices("aeioklmnrst", k=6)).title() for _ in range(2)]
            question = chance.choice(questions).format(*names)
            drawing.append((tail, question, chance.choice(passages)))
    build_drawn(tmp_path / "index", {name: name for name in passages}, drawing, Words())
    script.useful = {question: chance.choice(LABELS) for _, question, _ in drawing}
    monkeypatch.chdir(tmp_path)  # the index's path is written with every checkpoint
    await events(session, changed(context, index="index", hop__top_k=20), "t")
    assert max(map(round_of, hops(await session.result("t")))) == 4
    assert script.counts["hop"] > 38.53
    assert (await session.summary("t")).size < 78_000
