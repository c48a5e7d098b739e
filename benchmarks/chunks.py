"""How much a change of an index sends, by how its files are cut into chunks.

    python benchmarks/chunks.py --passages 1500

Made passages of 62 words and made vectors of 384 dimensions; no model takes part. After 1 % is
added, the bytes of chunks that the former files do not have are added up. Writes
`benchmarks/results/chunks.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from scale import MB, Synthetic, documents

from hopyard.indexes.building.build import add, build
from hopyard.indexes.corpus.chunked import scan

RESULTS: Final = Path(__file__).resolve().parent / "results" / "chunks.json"
WINDOW: Final = 32
"""Bytes that decide whether a chunk ends."""


def fixed(size: int, data: bytes) -> list[bytes]:
    """Chunks of equal size."""
    return [data[start : start + size] for start in range(0, len(data), size)]


def by_content(size: int, data: bytes) -> list[bytes]:
    """Chunks of a mean size that end where the last bytes have a sum of one kind (a gear hash)."""
    if len(data) <= WINDOW:
        return [data]
    gear = np.random.default_rng(1).integers(0, 2**63, 256, dtype=np.uint64)
    values = gear[np.frombuffer(data, np.uint8)]
    sums = values.copy()
    for back in range(1, WINDOW):
        sums[back:] += values[:-back] << np.uint64(back)
    ends = np.flatnonzero((sums & np.uint64((size - 1) << (WINDOW - 1))) == 0) + 1
    chunks, start = [], 0
    for end in [*ends.tolist(), len(data)]:
        if end - start >= size // 4 or end == len(data):
            chunks.append(data[start:end])
            start = end
    return chunks


CUTS: Final[dict[str, Callable[[bytes], list[bytes]]]] = {
    "256 kB": partial(fixed, 1 << 18),
    "4 kB": partial(fixed, 1 << 12),
    "16 kB by content": partial(by_content, 1 << 14),
    "4 kB by content": partial(by_content, 1 << 12),
    "1 kB by content": partial(by_content, 1 << 10),
}


def files(directory: Path) -> dict[str, bytes]:
    """The files that an index in Postgres would have, without their generation."""
    for file in directory.glob("*.sqlite"):
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = {path: (directory / path).read_bytes() for path in scan(directory)}
    return {path.partition("/")[2] or path: data for path, data in found.items()}


def measure(size: int) -> dict[str, Any]:
    """Build, add 1 %, and compare the files."""
    with tempfile.TemporaryDirectory() as folder:
        where: dict[str, Any] = {"directory": Path(folder) / "index", "embedder": Synthetic()}
        asyncio.run(build(documents(0, size), chunk_tokens=0, **where))
        before = files(where["directory"])
        asyncio.run(add(documents(size, size + size // 100), **where))
        after = files(where["directory"])
    found: dict[str, Any] = {"passages": size, "MB": round(sum(map(len, after.values())) / MB, 2)}
    for name, cut in CUTS.items():
        held = {sha256(chunk).digest() for data in before.values() for chunk in cut(data)}
        new = {
            path: sum(len(part) for part in cut(data) if sha256(part).digest() not in held)
            for path, data in after.items()
        }
        most = sorted(new, key=lambda path: -new[path])[:4]
        found[name] = {
            "sent MB": round(sum(new.values()) / MB, 2),
            "chunks": sum(len(cut(data)) for data in after.values()),
            "most": {path: round(new[path] / MB, 2) for path in most},
        }
    return found


def main() -> None:
    """Measure one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=1500)
    result = measure(parser.parse_args().passages)
    print(json.dumps(result, indent=2))
    RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
