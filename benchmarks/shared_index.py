"""An index in Postgres: what publishing and copying cost beside the same index in a folder.

    python benchmarks/shared_index.py postgresql://me@localhost/scale --sizes 2000 20000

The passages and vectors are those of `benchmarks/scale.py`; no model takes part. Seconds are of the
processor of the client. Writes `benchmarks/results/shared_index.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import psycopg
from scale import MB, Synthetic, cpu, documents

from hopyard.indexes.building.build import add, build
from hopyard.indexes.corpus import mirror, shared
from hopyard.indexes.corpus.shared import build_folder, folder_of
from hopyard.state.settings.index_address import index_address

RESULTS: Final = Path(__file__).resolve().parent / "results" / "shared_index.json"
CHECKS: Final = 20


def chunks(address: str) -> dict[bytes, int]:
    """The bytes of each chunk of an index, as the database keeps them."""
    place = index_address(address)
    query = "SELECT digest, length(data) FROM index_chunks WHERE name = %s"
    with psycopg.connect(place.database) as connection:
        [there] = connection.execute("SELECT to_regclass('index_chunks')").fetchone() or [None]
        return dict(connection.execute(query, [place.name]).fetchall()) if there else {}


def measure(address: str, size: int, folder: Path) -> dict[str, Any]:
    """Build, copy, add 1 %, copy again; on two machines, each with a data folder of its own."""

    def at(machine: str) -> None:
        os.environ["HOPYARD_HOME"] = str(folder / machine)
        shared._mirrors.clear()

    def timed(work: Callable[[], Any]) -> dict[str, float]:
        known, began = chunks(address), cpu()
        work()
        used, now = cpu() - began, chunks(address)
        sent = sum(length for digest, length in now.items() if digest not in known)
        return {"cpu_seconds": round(used, 1), "mb_of_new_chunks": round(sent / MB, 1)}

    def build_in(directory: Path, start: int = 0) -> None:
        where: dict[str, Any] = {"directory": directory, "embedder": Synthetic()}
        if start:
            asyncio.run(add(documents(start, start + start // 100), **where))
        else:
            asyncio.run(build(documents(0, size), chunk_tokens=0, **where))

    at("one")
    found: dict[str, Any] = {"passages": size}
    found["build in a folder"] = timed(lambda: build_in(folder / "plain"))
    found["build in Postgres"] = timed(lambda: build_in(build_folder(address)))
    files = [file for file in build_folder(address).rglob("*") if file.is_file()]
    found["mb_in_a_folder"] = round(sum(file.stat().st_size for file in files) / MB, 1)
    found["mb_in_postgres"] = round(sum(chunks(address).values()) / MB, 1)
    at("two")
    found["first copy"] = timed(lambda: folder_of(address))
    at("one")
    found["add 1 % in a folder"] = timed(lambda: build_in(folder / "plain", size))
    found["add 1 % in Postgres"] = timed(lambda: build_in(build_folder(address), size))
    at("two")
    mirror._FRESH = 0.0  # type: ignore[misc]
    found["copy after 1 %"] = timed(lambda: folder_of(address))
    began = time.perf_counter()
    for _ in range(CHECKS):
        folder_of(address)
    found["check_wall_ms"] = round(1000 * (time.perf_counter() - began) / CHECKS, 1)
    return found


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="Of a database whose schema may be written.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 20000])
    given = parser.parse_args()
    mark = "&" if "?" in given.address else "?"
    results = []
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            address = f"{given.address}{mark}index=scale-{size}"
            results.append(measure(address, size, Path(folder)))
        print(json.dumps(results[-1], indent=2))
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
