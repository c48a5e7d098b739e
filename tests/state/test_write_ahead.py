"""The switch to a write-ahead log, with others at the same file."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from hopyard.state.write_ahead import write_ahead


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE one (x)")
    return path


def test_it_waits_where_sqlite_does_not(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, check_same_thread=False, isolation_level=None)) as other,
        closing(sqlite3.connect(file, timeout=0)) as db,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            db.execute("PRAGMA journal_mode=WAL")
        threading.Timer(0.1, other.execute, ("COMMIT",)).start()
        write_ahead(db)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_it_does_not_wait_for_ever(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as other,
        closing(sqlite3.connect(file, timeout=0)) as db,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_ahead(db, seconds=0.05)


def test_what_is_no_lock_is_raised_at_once(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("no database" * 100)
    with closing(sqlite3.connect(path)) as db, pytest.raises(sqlite3.DatabaseError, match="not a"):
        write_ahead(db)
