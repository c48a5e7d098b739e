"""What the entity graph by rules adds to building an index: time, memory and disk.

    python benchmarks/entity_graph_build.py

Builds two indexes of 2WikiMultiHopQA in a temporary folder, one with embeddings alone and one also
with the entity graph, and adds one document in a hundred to both. The added documents are from
HotpotQA. Each build is a `hopyard` command, in a process of its own. Then it searches the second
index for the questions of the split `dev`. Processor seconds do not count the other work of the
machine; `load_before` says whether there was any. Writes
`benchmarks/results/entity_graph_build.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from entity_graph import ROOT, Row, search_all
from entity_graph_data import DataSet

from hopyard.measures.questions import read_questions
from hopyard.nodes.resources import Resources

RESULTS: Final = ROOT / "benchmarks" / "results" / "entity_graph_build.json"
BUILDS: Final = {"embedding": "dense", "embedding and entity graph": "dense,entity-graph"}
SHARE: Final = 100
"""One document in this many is added."""
MEGABYTE: Final = 1e6

Measured = dict[str, dict[str, Any]]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    source, others = (options.data / name for name in ("2wikimultihopqa", "hotpotqa"))
    if not (source.is_dir() and others.is_dir()):
        print(f"Nothing was measured: {options.data} lacks 2wikimultihopqa or hotpotqa.")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["HOPYARD_HOME"] = name
        corpus = source / "corpus.jsonl"
        more = _more(corpus, others / "corpus.jsonl", folder)
        builds = {name: _build(corpus, more, kinds, folder) for name, kinds in BUILDS.items()}
        questions = read_questions(source / "questions.jsonl", split="dev")
        row = Row(DataSet(source.name, corpus, questions), "names")
        with Resources(folder) as resources:
            found = search_all(row, folder / BUILDS["embedding and entity graph"], resources)
    result = {
        "command": "python benchmarks/entity_graph_build.py",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "builds": builds,
        "speed_beside_embedding_alone": _speeds(builds),
        "query_ms": round(median(each.ms for each in found.values()), 1),
        "query_processor_ms": round(median(each.processor_ms for each in found.values()), 1),
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


def _more(corpus: Path, others: Path, folder: Path) -> Path:
    """A corpus file of documents that the corpus lacks, one for a hundred of the corpus."""
    lines = corpus.read_text(encoding="utf-8").splitlines()
    known = {json.loads(line)["id"] for line in lines}
    new = [
        line
        for line in others.read_text(encoding="utf-8").splitlines(keepends=True)
        if json.loads(line)["id"] not in known
    ]
    more = folder / "more.jsonl"
    more.write_text("".join(new[: len(lines) // SHARE]), encoding="utf-8")
    return more


def _build(corpus: Path, more: Path, kinds: str, folder: Path) -> dict[str, Any]:
    """Build an index, measure it, and add documents to it."""
    index = str(folder / kinds)
    built = _run(["index", "build", str(corpus), "--out", index, "--with", kinds])
    size = sum(path.stat().st_size for path in Path(index).rglob("*") if path.is_file())
    built["megabytes_on_disk"] = round(size / MEGABYTE, 1)
    added = _run(["index", "add", index, str(more)])
    return {"build": built, "add": added}


def _run(command: Sequence[str]) -> dict[str, Any]:
    """Run a hopyard command, and say what it took."""
    load, started = os.getloadavg()[0], perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "hopyard.cli.main", *command, "--json"], stdout=out
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = perf_counter() - started
        if status:
            raise SystemExit(f"The command failed: hopyard {' '.join(command)}")
        out.seek(0)
        report = json.load(out)
    return {
        "documents": report["documents"]["added"],
        "passages": report["passages"],
        "seconds": round(seconds, 1),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_megabytes": round(used.ru_maxrss / 1024),
        "load_before": round(load, 1),
    }


def _speeds(builds: Mapping[str, Any]) -> dict[str, float]:
    """Passages a second with the entity graph, divided by those of embedding alone."""
    alone, both = (builds[name]["build"] for name in BUILDS)
    return {
        clock: round(alone[clock] / both[clock], 2) for clock in ("seconds", "processor_seconds")
    }


if __name__ == "__main__":
    main()
