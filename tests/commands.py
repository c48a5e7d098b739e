"""`hopyard` as a process that a test starts, kills, and starts again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """How a command ended; a negative code is the signal that killed it."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on standard output."""
        return json.loads(self.out)


class Zygote:
    """Starts commands. Use it under `with`.

    Args:
        folder: Where the commands run and where their output is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started = 0
        script = Path(__file__).with_name("zygote.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        assert self._read() == "ready"

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def start(
        self, *arguments: str | Path, environment: dict[str, str], file_limit: int = 0
    ) -> Command:
        """Start `hopyard ARGUMENTS…`.

        Args:
            arguments: Of the command.
            environment: Variables in place of this process's own.
            file_limit: Bytes that a file may have, as if the disk were full then; 0 is no limit.
        """
        self._started += 1
        job = {
            "arguments": [str(each) for each in arguments],
            "environment": dict(os.environ) | environment,
            "folder": str(self.folder),
            "out": str(self.folder / f"{self._started}.out"),
            "err": str(self.folder / f"{self._started}.err"),
            "file_limit": file_limit,
        }
        out, err = Path(job["out"]), Path(job["err"])
        for file in (out, err):  # a process may be killed before it opens them
            file.touch()
        pid = int(self._ask({"start": job}))
        return Command(self, pid, out, err)

    def run(self, *arguments: str | Path, **options: Any) -> Ended:
        """Start a command and wait for its end."""
        return self.start(*arguments, **options).end()

    def _ask(self, order: dict[str, Any]) -> str:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


@dataclass
class Command:
    """A command under way."""

    zygote: Zygote
    pid: int
    out: Path
    err: Path

    def kill(self) -> Ended:
        """Kill it, unless it has ended by itself."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return self.end()

    def end(self) -> Ended:
        """Wait for its end."""
        code = int(self.zygote._ask({"wait": self.pid}))
        return Ended(code, self.out.read_text(), self.err.read_text(errors="replace"))
