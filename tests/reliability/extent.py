"""How much of a test is run: a few seeds with every change, many in `make soak`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

LONG = "SOAK_MINUTES" in os.environ
"""Whether this is the long form."""
FIRST_SEED = int(os.environ.get("SOAK_SEED", "1"))


def seeds(short: int, long: int, *, share: float) -> Iterator[int]:
    """The seeds of a test: so many in the short form; in the long form until the time is up.

    Args:
        short: Seeds of the short form.
        long: Seeds of the long form at most.
        share: Of SOAK_MINUTES, for this test.
    """
    if not LONG:
        yield from range(FIRST_SEED, FIRST_SEED + short)
        return
    end = time.monotonic() + 60 * share * float(os.environ["SOAK_MINUTES"])
    done = 0
    try:
        for seed in range(FIRST_SEED, FIRST_SEED + long):
            if done >= short and time.monotonic() > end:
                break
            yield seed
            done += 1
            report(first_seed=FIRST_SEED, seeds=done)
    finally:
        print(f"{done} of {long} seeds from {FIRST_SEED} on")


def report(**counts: int) -> None:
    """Write how much of the test under way was run to the file SOAK_REPORT, in the long form."""
    file = os.environ.get("SOAK_REPORT")
    if not LONG or not file:
        return
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].partition(" ")[0]
    known = json.loads(path.read_bytes()) if path.exists() else {}
    known[test] = known.get(test, {}) | counts
    path.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
