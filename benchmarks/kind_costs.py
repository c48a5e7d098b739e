"""Processor seconds of each index kind: to build, and after one document has changed.

    python benchmarks/kind_costs.py CORPUS

CORPUS is a file of lines with `title` and `text`, such as that of `benchmarks/every/questions.py`.
The built-in embedding, no chat model. The seconds of a kind are those beyond `dense,sparse`.
Writes `benchmarks/results/kind_costs.json`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

RESULTS: Final = Path(__file__).parent / "results" / "kind_costs.json"
ROOT: Final = Path(__file__).parent.parent
BASE: Final = "dense,sparse"
KINDS: Final = ("tables", "entity-graph", "entity-graph,communities", "summary-tree")


def cost(home: Path, *command: str) -> float:
    """The processor seconds of a command of `hopyard`."""
    before = os.times()
    environment = {**os.environ, "HOPYARD_HOME": str(home), "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-m", "hopyard.cli.main", *command],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - (before.children_user + before.children_system)
    )


def main() -> None:
    """Build with each kind, change one document, and write the result."""
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        changed = json.loads(lines[0])
        changed["text"] += "\n\nA correction of this article appeared on the next day."
        (place / "changed.jsonl").write_text(json.dumps(changed), "utf-8")
        for number, kind in enumerate(("", *KINDS)):
            index = str(place / str(number))
            kinds = ",".join(filter(None, (BASE, kind)))
            build = cost(place, "index", "build", sys.argv[1], "--out", index, "--with", kinds)
            change = cost(place, "index", "add", index, str(place / "changed.jsonl"))
            start = cost(place, "index", "status", index)
            found[kind or BASE] = {"build": build - start, "change": change - start}
            print(kinds, found[kind or BASE], flush=True)
    base = found[BASE]
    rest = {
        kind: {name: round(max(0.0, own[name] - base[name]), 1) for name in own}
        for kind, own in found.items()
        if kind != BASE
    }
    first = {name: round(seconds, 1) for name, seconds in base.items()}
    text = json.dumps({"documents": len(lines), BASE: first, **rest}, indent=1)
    RESULTS.write_text(text + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
