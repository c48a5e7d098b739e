"""Recordings for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hopyard.models.recorded import RecordedCall, Recorder


def record_all(folder: Path, pairs: Iterable[tuple[str, RecordedCall]]) -> None:
    """Record calls: key and answer of each."""
    recorder = Recorder(folder)
    try:
        for key, call in pairs:
            recorder.record(key, call)
    finally:
        recorder.close()
