"""Many people at one `hopyard serve`: does an answer get lost or come twice, does memory grow?

    python benchmarks/serve_load.py [--people 20] [--rounds 4] [--kills 4]

Each person asks in a thread of their own, reads the answer while a scripted model writes it, breaks
the connection off at random and comes back with `Last-Event-ID`. Meanwhile the server is killed
(SIGKILL) and started again. At the end every thread must hold the person's questions, each once and
with its own answer. Then others ask without kills, and the server's memory is read after every 100
questions. Its growth is given for three blocks of equal load.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import Any, Final

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatResult
from langchain_core.runnables import RunnableGenerator

import hopyard
from hopyard.models.chat import ChatProvider, register_chat_provider
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import read_given
from hopyard.state.storage.atomic import write_file
from hopyard.testing import DOCUMENTS, WordEmbedder

RESULT: Final = Path(__file__).parent / "results" / "serve_load.json"
PIECE: Final = 4
"""Characters that the scripted model writes at once."""
PAUSE: Final = 0.02
"""Seconds between two pieces."""
BREAK: Final = 0.03
"""Chance that a person's connection breaks after an event."""
PATIENCE: Final = 120
"""Seconds after which an answer counts as lost."""
BLOCK: Final = 100
"""Questions between two readings of the memory."""


class SlowChat(BaseChatModel):
    """Writes its answer bit by bit."""

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        """The model held to a schema."""

        async def write(sent: AsyncIterator[Any]) -> AsyncIterator[AIMessageChunk]:
            async for messages in sent:
                text = json.dumps(reply(str(schema["title"]), messages[-1].text))
                for place in range(0, len(text), PIECE):
                    yield AIMessageChunk(text[place : place + PIECE])
                    await asyncio.sleep(PAUSE)

        return RunnableGenerator(write)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError


def reply(name: str, turn: str) -> dict[str, Any]:
    """An answer that repeats its question's number."""
    asked = turn.rpartition("Question ")[2].split(":")[0]
    if name == "StandAlone":
        return {"kind": "question", "question": f"Question {asked}: When was the bridge opened?"}
    return {"answer": f"Number {asked}: the Iron Bridge was opened in 1781 [1].", "passages": [1]}


def serve(port: int, index: str) -> None:
    """The server, in a process of its own."""
    import uvicorn

    from hopyard.web.app import application

    provider = ChatProvider("scripted", lambda _: SlowChat(), 32, cure="fix the script")
    register_chat_provider("scripted", provider)
    hopyard.register_embedding("words", WordEmbedder())
    settings = {"index": index, "model": "scripted", "embedding": "words", "profile": "capable"}
    given = read_given(
        (settings | {"gate": "off", "strategy": "single", "answer.check": "rules"}).items()
    )
    with Resources() as resources:
        uvicorn.run(application(given, resources), port=port, log_level="error")


class Server:
    """The process, which can be killed and comes back."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        hopyard.register_embedding("words", WordEmbedder())
        hopyard.build_index(folder / "index", DOCUMENTS, chunk_tokens=0, embedding="words")

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, __file__, "--serve", str(self.port), str(self._folder / "index")]
        environment = os.environ | {"HOPYARD_HOME": str(self._folder / "home")}
        self._process = subprocess.Popen(command, env=environment)  # noqa: ASYNC220
        async with httpx.AsyncClient(trust_env=False) as client:
            while True:
                try:
                    await client.get(f"{self.address}/api/status")
                    return
                except httpx.TransportError:
                    if self._process.poll() is not None:
                        raise
                    await asyncio.sleep(0.05)

    def kill(self) -> None:
        """End it at once."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def memory(self) -> float:
        """Its resident memory, in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text("utf-8")
        [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) / 1024


@dataclass
class Person:
    """Someone who asks, reads, loses the connection and comes back."""

    name: str
    address: str
    chance: random.Random
    asked: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    breaks: int = 0
    problems: list[str] = field(default_factory=list)

    async def ask(self, client: httpx.AsyncClient) -> None:
        """One question, until its answer is there."""
        number = f"{self.name}-{len(self.asked) + 1}"
        question = f"Question {number}: When was the Iron Bridge opened?"
        self.asked.append(question)
        begun, until = perf_counter(), monotonic() + PATIENCE
        last, text = "", ""
        while monotonic() < until:
            try:
                if not await self._is_known(client, question):
                    body = {"question": question, "thread": self.name}
                    await client.post(f"{self.address}/api/threads", json=body)
                last, text, answer = await self._read(client, last, text)
                if answer is not None or await self._is_answered(client, question):
                    break
            except httpx.TransportError:  # the server was killed
                await asyncio.sleep(0.1)
        else:
            self.problems.append(f"{number}: no answer")
            return
        self.seconds.append(perf_counter() - begun)
        # A call that was finished before a kill comes from the ledger, in one piece.
        if answer is not None and not (text in ("", answer) and f"Number {number}:" in answer):
            self.problems.append(f"{number}: read {text!r}, the answer is {answer!r}")

    async def _is_known(self, client: httpx.AsyncClient, question: str) -> bool:
        found = await self._thread(client)
        return question in (found["question"], *(turn["asked"] for turn in found["turns"]))

    async def _is_answered(self, client: httpx.AsyncClient, question: str) -> bool:
        turns = (await self._thread(client))["turns"]
        return bool(turns) and turns[-1]["asked"] == question and turns[-1]["finished"]

    async def _thread(self, client: httpx.AsyncClient) -> dict[str, Any]:
        found = await client.get(f"{self.address}/api/threads/{self.name}")
        return found.json() if found.is_success else {"question": "", "turns": []}

    async def _read(
        self, client: httpx.AsyncClient, last: str, text: str
    ) -> tuple[str, str, str | None]:
        """Follow the events until the answer, a broken connection, or the end."""
        kind = ""
        headers = {"last-event-id": last} if last else {}
        address = f"{self.address}/api/threads/{self.name}/events"
        async with client.stream("GET", address, headers=headers) as events:
            async for line in events.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    last = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    data = json.loads(value)
                    if kind == "begin" or (kind == "token" and data["restart"]):
                        text = ""
                    if kind == "token":
                        text += data["text"]
                    if kind == "answer":
                        return last, text, data["text"]
                elif not line and self.chance.random() < BREAK:
                    self.breaks += 1
                    return last, text, None
        return last, text, None

    async def check(self, client: httpx.AsyncClient) -> None:
        """Compare the thread with what was asked."""
        turns = (await self._thread(client))["turns"]
        if [turn["asked"] for turn in turns] != self.asked:
            self.problems.append(
                f"{self.name}: the thread holds {[turn['asked'] for turn in turns]}"
            )
        for number, turn in enumerate(turns, 1):
            if f"Number {self.name}-{number}:" not in turn["text"]:
                self.problems.append(f"{self.name}: answer {number} is {turn['text']!r}")


async def measure(folder: Path, people: int, rounds: int, kills: int, calm: int) -> dict[str, Any]:
    """Let people ask, with kills and then without.

    Args:
        folder: An empty folder for the index and the threads.
        people: How many ask at the same time.
        rounds: Questions of each person while the server is killed.
        kills: How often it is killed.
        calm: How often they ask without kills, each time until memory can be compared.
    """
    server = Server(folder)
    await server.start()
    asking = asyncio.create_task(ask_all("killed", server, people, rounds))
    chance, done = random.Random(0), 0
    while done < kills and not asking.done():
        await asyncio.sleep(chance.uniform(1, 3))
        server.kill()
        done += 1
        await server.start()
    crowd, memory = await asking, []
    await check_all(crowd)
    for number in range(calm):
        others = await ask_all(f"calm{number}", server, people, -(-BLOCK // people))
        await check_all(others)
        crowd += others
        memory.append(round(server.memory(), 1))
    server.kill()
    seconds = sorted(second for person in crowd for second in person.seconds)
    return {
        "people": people,
        "questions": sum(len(person.asked) for person in crowd),
        "kills": done,
        "broken connections": sum(person.breaks for person in crowd),
        "problems": [problem for person in crowd for problem in person.problems],
        "seconds of an answer, median": round(median(seconds), 2),
        "seconds of an answer, 95th percentile": round(seconds[int(len(seconds) * 0.95)], 2),
        "memory in MB, without kills": memory,
        "growth in MB, three equal blocks": growth(memory),
    }


def growth(memory: Sequence[float]) -> list[float]:
    """How much memory grew in each third of the readings after the first."""
    size = (len(memory) - 1) // 3
    ends = memory[:: size or 1][:4]
    return [round(after - before, 1) for before, after in pairwise(ends)]


async def ask_all(name: str, server: Server, people: int, rounds: int) -> list[Person]:
    """Let new people ask at the same time."""
    crowd = [Person(f"{name}-{n}", server.address, random.Random(n)) for n in range(people)]
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:

        async def ask(person: Person) -> None:
            for _ in range(rounds):
                await person.ask(client)

        async with asyncio.TaskGroup() as group:
            for person in crowd:
                group.create_task(ask(person))
    return crowd


async def check_all(crowd: Iterable[Person]) -> None:
    """Compare the threads with what was asked."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        for person in crowd:
            await person.check(client)


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description="Many people at one `hopyard serve`.")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--calm", type=int, default=10)
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "INDEX"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(int(options.serve[0]), options.serve[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        work = measure(Path(folder), options.people, options.rounds, options.kills, options.calm)
        found = json.dumps(asyncio.run(work), indent=2)
    print(found)
    write_file(RESULT, f"{found}\n".encode())


if __name__ == "__main__":
    main()
