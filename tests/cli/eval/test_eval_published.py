"""The command of docs/results.md gives the published row of `auto`, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.evaluation.report import REPORT_FILE, Report

from ..conftest import Run

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data" / "multihoprag"
PUBLISHED = ROOT / "evaluation" / "results" / "0-today" / "multihoprag" / REPORT_FILE
RECORDING = f"recorded:{ROOT / 'benchmarks' / 'recordings' / 'multihoprag'}"

pytestmark = [
    pytest.mark.builtin,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not DATA.exists(), reason="the data folder ../shared is not there"),
]


def test_auto_is_published_as_a_user_gets_it(
    hopyard: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOPYARD_GATE")
    monkeypatch.delenv("HOPYARD_PROFILE")
    command = ("index", "build", DATA / "corpus.jsonl", "--out", "index")
    assert hopyard(*command).code == 0
    ended = hopyard(
        "eval", DATA / "questions.jsonl", "--index", "index", "--split", "dev",
        "--half", "second", "--limit", "30", "--strategies", "single,auto",
        "--model", RECORDING, "--judge", RECORDING, "--out", "out",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    replayed, published = (
        Report.model_validate_json(path.read_bytes())
        for path in (folder / "out" / REPORT_FILE, PUBLISHED)
    )
    assert published.settings["gate"] == "auto"
    now, then = replayed.strategies["auto"], published.strategies["auto"]
    for measured in ("n", "em", "f1", "judged", "routes", "retrieval"):
        assert getattr(now, measured) == getattr(then, measured), measured
    for cost in ("model_calls", "input_tokens", "output_tokens"):
        assert now.usage[cost] == then.usage[cost]
