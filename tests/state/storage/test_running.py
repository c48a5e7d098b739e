"""A thread that a process works on, and that another one must leave alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hopyard.state.errors import HopyardError, ThreadBusyError
from hopyard.state.storage import checkpoints
from hopyard.state.storage.checkpoints import FileLocks
from hopyard.state.storage.stores import Holder

HOLD = """
import asyncio, sys
from pathlib import Path
from hopyard.state.storage.checkpoints import FileLocks
async def hold():
    async with FileLocks(Path(sys.argv[1])).hold("mine"):
        print("held", flush=True)
        await asyncio.sleep(600)
asyncio.run(hold())
"""


@contextmanager
def other_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the thread `mine`; killed at the end."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.fixture
def locks(tmp_path: Path) -> FileLocks:
    return FileLocks(tmp_path / "running")


async def test_another_process_is_named_and_its_kill_frees_the_thread(
    locks: FileLocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "PATIENCE", 0.1)
    with other_process(tmp_path / "running") as process:
        holder = await locks.holder("mine")
        assert holder is not None
        assert holder.pid == process.pid
        with pytest.raises(ThreadBusyError) as raised:
            async with locks.hold("mine"):
                pass
        said = str(raised.value)
        assert said.startswith(f"The thread 'mine' is running in process {process.pid} on ")
        assert holder.host in said
        assert holder.since.replace("T", " ") in said
        assert "hopyard resume mine" in said
        async with locks.hold("another"):
            pass
    assert await locks.holder("mine") is None  # killed with -9: what it wrote does not count
    async with locks.hold("mine"):
        holder = await locks.holder("mine")
        assert holder is not None
        assert holder.pid == os.getpid()
    assert await locks.holder("mine") is None


async def test_two_runs_of_one_process_do_not_share_a_thread(
    locks: FileLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "PATIENCE", 0.1)
    async with locks.hold("mine"):
        with pytest.raises(ThreadBusyError, match=f"process {os.getpid()} "):
            async with locks.hold("mine"):
                pass


async def test_a_lock_that_is_freed_in_a_moment_is_waited_for(
    locks: FileLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "PATIENCE", 60.0)
    held = asyncio.Event()

    async def hold_shortly() -> None:
        async with locks.hold("mine"):
            held.set()
            await asyncio.sleep(0.15)

    task = asyncio.create_task(hold_shortly())
    await held.wait()
    async with locks.hold("mine"):
        pass
    await task


async def test_a_holder_that_has_not_said_who_it_is(locks: FileLocks, tmp_path: Path) -> None:
    async with locks.hold("mine"):
        (told,) = (tmp_path / "running").glob("*.json")
        told.write_text("{")
        assert await locks.holder("mine") == Holder()
        assert str(Holder()) == "in an unknown process"
    await locks.forget("mine")
    assert list((tmp_path / "running").iterdir()) == []


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "running").write_text("no folder")
    with pytest.raises(HopyardError, match="running"):
        async with FileLocks(tmp_path / "running").hold("mine"):
            pass


async def test_a_look_of_another_process_is_waited_for_and_a_killed_name_does_not_count(
    locks: FileLocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "PATIENCE", 0.01)
    with other_process(tmp_path / "running"):
        pass
    (told,) = (tmp_path / "running").glob("*.json")
    assert await locks.holder("mine") is None
    assert not told.exists()
    look = FileLocks(tmp_path / "running")._try("mine")  # as another process holds it for a moment
    assert look is not None
    asyncio.get_running_loop().call_later(0.3, look.release)
    async with locks.hold("mine"):
        assert told.exists()
