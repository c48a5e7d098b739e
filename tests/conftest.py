"""What every test gets: a data folder of its own, and on demand a model whose answers it writes."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # LangGraph reads it once, when it is imported
# In memory, where a machine has room for it: a test waits for no disk.
if Path("/dev/shm").is_dir() and shutil.disk_usage("/dev/shm").free > 2**31:  # noqa: S108
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/dev/shm")  # noqa: S108
# Sums come out the same on every machine, and tests side by side do not wait for each other.
os.environ["OMP_NUM_THREADS"] = "1"

import httpx._transports.default
import httpx2._transports.default
import pytest
from commands import Zygote
from hypothesis import HealthCheck, settings
from model_server import ModelServer, Reply, WordEmbedder, scripted_provider
from postgres_server import PostgresServer

from hopyard.models.calls.call import ModelCaller
from hopyard.models.chat import register_chat_provider
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import close_shared_resources

# A client loads its certificates for a twentieth of a second, and no test has a use for them.
for transports in (httpx._transports.default, httpx2._transports.default):
    transports.create_ssl_context = lru_cache(transports.create_ssl_context)

# Properties are about values: how long an example takes depends on what else the machine does.
# The same few examples each time; `make soak` takes many others: `--hypothesis-profile=long`.
settings.register_profile(
    "short",
    deadline=None,
    max_examples=10,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long", settings.get_profile("short"), max_examples=500, derandomize=False, print_blob=True
)
settings.load_profile("short")


# Nothing that the files import is garbage: looking for it takes a sixth of their time.
gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Each process imports the files of a folder from another one on: it finds those compiled that
    the others have imported, where all would compile the same file at the same time."""
    report = yield
    if isinstance(collector, pytest.Directory) and hasattr(collector.config, "workerinput"):
        worker = collector.config.workerinput
        number = int(worker["workerid"].removeprefix("gw"))
        first = len(report.result) * number // worker["workercount"]
        report.result = [*report.result[first:], *report.result[:first]]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every process has the same order, the longest first: pytest drops an order of its arguments
    in which one folder holds another."""
    first = (*TOGETHER, "tests/reliability/")
    items.sort(
        key=lambda item: ([not item.nodeid.startswith(folder) for folder in first], item.path)
    )


TOGETHER = ("tests/web/", "tests/server/", "tests/classifiers/")
"""Folders that stay in one process each: their browser, their server and PyTorch take seconds to
start, and three processes would start them three times."""


def folder_of(nodeid: str) -> str:
    """The folder of `TOGETHER` that a test is in; "" for none."""
    return next((folder for folder in TOGETHER if nodeid.startswith(folder)), "")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadfile`, the folders of `TOGETHER` count as one file each."""
    from xdist.scheduler import LoadFileScheduling

    class ByFolder(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return folder_of(nodeid) or str(super()._split_scope(nodeid))

    return ByFolder(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """From here on garbage is looked for among what the tests make, and less often than usual: it
    took a twelfth of their time."""
    gc.freeze()
    gc.set_threshold(100_000)
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> None:
    """Ctrl-C reaches the tests that send it, also where `nohup` or a shell's `&` shuts it out."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder of the test's own; no setting of the developer's reaches a test."""
    for name in os.environ:
        if name.startswith(("HOPYARD_", "OLLAMA_", "OPENAI_")):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("HOPYARD_HOME", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    # Threads of the built-in model wait without sleeping: beside other tests, one is the quickest.
    monkeypatch.setenv("HOPYARD_BUILTIN_THREADS", "1")
    close_shared_resources()
    yield folder
    close_shared_resources()


def default_answer(title: str, messages: list[dict[str, Any]]) -> dict[str, Any] | str | Reply:
    """A usable output of every schema; a test that cares sets `model_server.answer`."""
    return {
        "Route": {"strategy": "single"},
        "Decomposition": {"kind": "simple", "first": "", "second": ""},
        "Rubric": dict.fromkeys(
            ("wh_form", "specific", "relevant", "non_overlapping", "complete"), 1
        ),
        "BranchScores": dict.fromkeys(
            ("sufficiency", "non_redundancy", "consistency", "decomposition"), 5
        )
        | {"weaker": "first"},
        "Answer": {"answer": "Unknown"},
        "Replacement": {"question": "What is it?"},
        "StandAlone": {"question": "What is it?"},
    }[title]


@pytest.fixture
def retries(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets how often a model is asked again after an output that does not fit."""
    return lambda most: monkeypatch.setattr(ModelCaller, "retries", most)


@pytest.fixture
def one_attempt(retries: Callable[[int], None]) -> None:
    """A model is never asked again after an output that does not fit."""
    retries(0)


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A scripted chat model, usable in this process as the model `scripted`."""
    with ModelServer(default_answer) as server:
        register_chat_provider("scripted", scripted_provider(server))
        yield server


@pytest.fixture
def words() -> WordEmbedder:
    """A fast embedding model, usable in this process as the embedding `words`."""
    embedder = WordEmbedder()
    register_embedder("words", embedder)
    return embedder


@pytest.fixture(scope="session")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """Starts `hopyard` commands as processes of their own, which have everything imported."""
    with Zygote(tmp_path_factory.mktemp("commands")) as started:
        yield started


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A Postgres server; a test takes an empty schema of it with `postgres.place()`."""
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    with PostgresServer() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a ledger or threads can be: an SQLite file, or the address of a database."""
    if request.param == "sqlite":
        return tmp_path / "folder" / "store.sqlite"
    return request.getfixturevalue("postgres").place()


@pytest.fixture
def closed_address() -> str:
    """An address of this machine at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
