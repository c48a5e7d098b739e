"""`hopyard serve` is killed at random moments, its start included: each question gets its answer.

Nobody asks again and nobody presses a button: the next server continues what was left.
"""

from __future__ import annotations

import asyncio
import random
import socket
import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import httpx
import pytest
from commands import Zygote
from model_server import ModelServer

from .conftest import EMBEDDING
from .extent import LONG, report, seeds

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="SIGKILL"),
    pytest.mark.timeout(0 if LONG else 300),
]

PEOPLE, KILLS = 4, 3
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "serve_load.py"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_file_location("serve_load", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "serve_load", module)  # for its dataclass
    spec.loader.exec_module(module)
    return module


def test_each_question_is_answered_once(
    load: Any, zygote: Zygote, model_server: ModelServer, index: Path, tmp_path: Path
) -> None:
    model_server.answer = lambda title, messages: load.reply(title, str(messages[-1]["content"]))
    kills = 0
    for seed in seeds(1, 40, share=0.1):
        home = tmp_path / str(seed)
        home.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        arguments = ("serve", "--index", str(index), "--port", str(port), "--strategy", "single")
        models = ("--model", "openai:scripted", "--embedding", EMBEDDING)
        models += ("--set", "gate=off", "--set", "profile=capable")
        environment = model_server.environment() | {"HOPYARD_HOME": str(home)}

        start = partial(zygote.start, *arguments, *models, environment=environment)
        asyncio.run(_killed(load, f"http://127.0.0.1:{port}", start, random.Random(seed)))
        assert not list((home / "serving").iterdir()), f"seed {seed}: a note is left"
        kills += KILLS
        report(kills=kills)


async def _killed(load: Any, address: str, start: Any, chance: random.Random) -> None:
    people = [load.Person(f"p{n}", address, random.Random(n)) for n in range(PEOPLE)]
    asking, server = True, start()
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def ask(person: Any) -> None:
            while asking and not person.problems:
                await person.ask(client)

        tasks = [asyncio.create_task(ask(person)) for person in people]
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0, chance.choice((0.5, 3))))
            server.kill()
            server = start()
        asking = False
        await asyncio.gather(*tasks)
        for person in people:
            await person.check(client)
        server.kill()
    assert [person.problems for person in people if person.problems] == []
