from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.indexes.corpus.lock import hold_lock
from hopyard.state.errors import HopyardError, IndexBusyError


def test_a_second_build_is_refused_and_told_by_whom(tmp_path: Path) -> None:
    with (
        hold_lock(tmp_path),
        pytest.raises(IndexBusyError, match=f"built by process {os.getpid()}: wait"),
        hold_lock(tmp_path),
    ):
        pytest.fail("both hold the lock")


def test_a_directory_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("hopyard.indexes.corpus.lock.FileLock.acquire", refuse)

    with pytest.raises(HopyardError, match=r"cannot be written .*Permission denied"):  # noqa: SIM117
        with hold_lock(tmp_path):
            pytest.fail("held")


def test_the_lock_is_free_again_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(KeyError), hold_lock(tmp_path):
        raise KeyError
    with hold_lock(tmp_path):
        pass
